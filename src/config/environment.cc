#include "config/environment.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "base/bytes.h"

namespace weir::config {
namespace {

Error Unreadable(const std::string& path, const std::string& why) {
  return InvalidInput(fmt::format("{} cannot be read: {}", Printable(path, 400), why),
                      ErrorCode::kFileUnreadable);
}

Error TooLong(const std::string& path, std::size_t max_bytes) {
  return Unreadable(path, fmt::format("it is longer than {} bytes", max_bytes));
}

}  // namespace

std::optional<std::string> ProcessEnvironment::Variable(const std::string& name) const {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

Result<std::string> ProcessEnvironment::ReadFile(const std::string& path,
                                                 std::size_t max_bytes) const {
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) return Unreadable(path, "it is a folder");
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return Unreadable(path, std::strerror(errno));
  // One byte more than allowed, so that a pipe or a growing file cannot fill the memory.
  std::string text(max_bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) return Unreadable(path, std::strerror(errno));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > max_bytes) return TooLong(path, max_bytes);
  return text;
}

std::string ProcessEnvironment::CurrentFolder() const {
  std::error_code failure;
  const auto folder = std::filesystem::current_path(failure);
  return failure ? "/" : folder.string();
}

std::optional<std::string> ScriptedEnvironment::Variable(const std::string& name) const {
  const auto found = variables.find(name);
  if (found == variables.end()) return std::nullopt;
  return found->second;
}

Result<std::string> ScriptedEnvironment::ReadFile(const std::string& path,
                                                  std::size_t max_bytes) const {
  const auto found = files.find(path);
  if (found == files.end()) return Unreadable(path, "No such file or directory");
  if (found->second.size() > max_bytes) return TooLong(path, max_bytes);
  return found->second;
}

std::string AbsolutePath(const std::string& folder, const std::string& path) {
  auto joined = (std::filesystem::path(folder) / path).lexically_normal();
  // "a/b/" names the same folder as "a/b"; one spelling, so that paths compare as text.
  if (!joined.has_filename() && joined.has_relative_path()) joined = joined.parent_path();
  return joined.string();
}

std::string FolderOf(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

}  // namespace weir::config
