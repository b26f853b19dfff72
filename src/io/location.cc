#include "io/location.h"

#include <algorithm>

#include "base/bytes.h"
#include "io/object_key.h"

namespace weir::io {
namespace {

constexpr std::string_view kS3Schemes[] = {"s3://", "s3a://", "s3n://"};

std::string_view WithoutTrailingSlash(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

// What follows the scheme, or nullopt.
std::optional<std::string_view> AfterS3Scheme(std::string_view location) {
  for (const std::string_view scheme : kS3Schemes) {
    if (location.starts_with(scheme)) return location.substr(scheme.size());
  }
  return std::nullopt;
}

bool IsBucketCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

bool IsBucketName(std::string_view name) {
  if (name.empty() || name.size() > 255 || name.front() == '.' || name.front() == '-') return false;
  return std::ranges::all_of(name, IsBucketCharacter);
}

}  // namespace

std::optional<std::string> LocalPath(std::string_view location) {
  if (location.starts_with("file:")) {
    location.remove_prefix(5);
    if (location.starts_with("//localhost/")) location.remove_prefix(11);
    // "file:///a" has an empty host; more slashes are somebody's slip.
    while (location.starts_with("//")) location.remove_prefix(1);
  }
  if (!location.starts_with('/')) return std::nullopt;
  std::string path;
  for (char c : WithoutTrailingSlash(location)) {
    if (c != '/' || path.empty() || path.back() != '/') path += c;
  }
  return path;
}

std::string FileLocation(std::string_view path) {
  return "file://" + std::string(WithoutTrailingSlash(path));
}

bool IsS3Location(std::string_view location) { return AfterS3Scheme(location).has_value(); }

Result<S3Place> ParseS3Location(std::string_view location) {
  const auto rest = AfterS3Scheme(location);
  if (!rest) return InvalidInput("'" + Printable(location) + "' does not begin with s3://");
  const std::size_t slash = std::min(rest->find('/'), rest->size());
  S3Place place{.bucket = std::string(rest->substr(0, slash)), .key = {}};
  if (!IsBucketName(place.bucket)) {
    return InvalidInput("'" + Printable(location) + "' names no bucket");
  }
  if (slash + 1 < rest->size()) place.key = WithoutTrailingSlash(rest->substr(slash + 1));
  if (place.key == "/") place.key.clear();
  if (!place.key.empty()) WEIR_TRY(CheckKey(place.key));
  return place;
}

std::string PlainLocation(std::string_view location) {
  if (auto path = LocalPath(location)) return *std::move(path);
  const std::string_view text = WithoutTrailingSlash(location);
  if (const auto rest = AfterS3Scheme(text)) return "s3://" + std::string(*rest);
  return std::string(text);
}

std::string WrittenLocation(std::string_view location) {
  if (const auto path = LocalPath(location)) return FileLocation(*path);
  return PlainLocation(location);
}

std::optional<std::string> Below(std::string_view folder, std::string_view location) {
  const std::string base = PlainLocation(folder);
  const std::string full = PlainLocation(location);
  if (full.size() <= base.size() + 1 || !full.starts_with(base)) return std::nullopt;
  if (base == "/") return full.substr(1);
  if (full[base.size()] != '/') return std::nullopt;
  return full.substr(base.size() + 1);
}

S3Options S3OptionsAt(std::string_view location, const StoreOptions& options) {
  const auto found = options.granted ? options.granted->Find(location) : std::nullopt;
  return found ? Granted(options.s3, found->grant) : options.s3;
}

Result<std::unique_ptr<Store>> OpenLocation(std::string_view location, const StoreOptions& options,
                                            FolderAccess access) {
  if (const auto path = LocalPath(location)) return OpenFolder(*path, access);
  if (IsS3Location(location)) {
    WEIR_ASSIGN_OR_RETURN(S3Place place, ParseS3Location(location));
    return OpenS3(std::move(place.bucket), std::move(place.key), S3OptionsAt(location, options));
  }
  return Unsupported("Weir cannot reach " + Printable(location) + ": only folders and s3://",
                     ErrorCode::kTableUnsupported);
}

}  // namespace weir::io
