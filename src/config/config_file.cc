#include "config/config_file.h"

#include <utility>

#include "config/variables.h"

namespace weir::config {

std::optional<ConfigFile> OpenConfigFile(const std::string& path, const Environment& environment,
                                         Diagnostics& diagnostics) {
  const std::string absolute = AbsolutePath(environment.CurrentFolder(), path);
  const Result<std::string> text = environment.ReadFile(absolute, kMaxFileBytes);
  if (text) return ParseConfigFile(*text, path, environment, diagnostics);
  diagnostics.Error(ErrorCode::kFileUnreadable, {.file = path, .key_path = {}},
                    text.error().message);
  return std::nullopt;
}

std::optional<ConfigFile> ParseConfigFile(std::string_view text, const std::string& path,
                                          const Environment& environment,
                                          Diagnostics& diagnostics) {
  auto root = ReadYaml(text, path, diagnostics);
  if (!root) return std::nullopt;
  const std::string folder = FolderOf(AbsolutePath(environment.CurrentFolder(), path));
  ExpandVariables(*root, path, folder, environment, diagnostics);
  return ConfigFile{
      .root = std::move(*root),
      .context = {.file = path, .folder = folder, .diagnostics = diagnostics, .secret_paths = {}}};
}

}  // namespace weir::config
