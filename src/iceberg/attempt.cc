#include "iceberg/attempt.h"

#include <charconv>

#include <fmt/format.h>

#include "base/random.h"

namespace weir::iceberg {
namespace {

constexpr std::size_t kIdLength = 36;

template <typename T>
std::optional<T> Number(std::string_view text, int base) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The version in an id of ours.
std::optional<std::int64_t> VersionOfId(std::string_view id) {
  if (id.size() != kIdLength) return std::nullopt;
  for (std::size_t i : {8U, 13U, 18U, 23U}) {
    if (id[i] != '-') return std::nullopt;
  }
  if (id[14] != '8') return std::nullopt;
  const auto version = Number<std::uint32_t>(id.substr(0, 8), 16);
  if (!version) return std::nullopt;
  return *version;
}

bool Consume(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

std::string_view BareName(std::string_view file) { return file.substr(file.rfind('/') + 1); }

}  // namespace

Attempt NewAttempt(std::int64_t version) {
  const std::uint64_t a = EntropyU64();
  const std::uint64_t b = EntropyU64();
  return {.version = version,
          .id = fmt::format("{:08x}-{:04x}-8{:03x}-{:x}{:03x}-{:012x}",
                            static_cast<std::uint32_t>(version), a & 0xFFFFU, (a >> 16) & 0xFFFU,
                            8 | ((a >> 28) & 0x3U), (a >> 32) & 0xFFFU, b & 0xFFFF'FFFF'FFFFU)};
}

std::string ManifestName(const Attempt& attempt, int number) {
  return fmt::format("{}-m{}.avro", attempt.id, number);
}

std::string ManifestListName(const Attempt& attempt, std::int64_t snapshot_id) {
  return fmt::format("snap-{}-{}-{}.avro", snapshot_id, attempt.version, attempt.id);
}

std::string MetadataName(const Attempt& attempt) {
  return fmt::format("{:05}-{}.metadata.json", attempt.version, attempt.id);
}

std::optional<std::int64_t> VersionOfOwnFile(std::string_view name) {
  name = BareName(name);
  if (Consume(name, ".metadata.json")) {
    const std::size_t dash = name.find('-');
    return dash == std::string_view::npos ? std::nullopt : VersionOfId(name.substr(dash + 1));
  }
  if (!Consume(name, ".avro")) return std::nullopt;
  if (name.starts_with("snap-")) {
    return name.size() < kIdLength ? std::nullopt
                                   : VersionOfId(name.substr(name.size() - kIdLength));
  }
  return name.size() > kIdLength + 2 && name.substr(kIdLength, 2) == "-m"
             ? VersionOfId(name.substr(0, kIdLength))
             : std::nullopt;
}

std::int64_t VersionOfMetadata(std::string_view file) {
  std::string_view name = BareName(file);
  if (!Consume(name, ".metadata.json") && !Consume(name, ".metadata.json.gz")) return -1;
  Consume(name, ".gz");
  if (name.starts_with('v')) {
    return Number<std::int64_t>(name.substr(1), 10).value_or(-1);
  }
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos) return -1;
  return Number<std::int64_t>(name.substr(0, dash), 10).value_or(-1);
}

}  // namespace weir::iceberg
