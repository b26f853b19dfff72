#pragma once
// Location: where a store is, as text, and the opener that knows which store stands behind it.
//
// "/a", "file:/a" and "file:///a" name one folder; "s3://bucket/a", "s3a://bucket/a" and
// "s3n://bucket/a" one place of an object store. The text is taken as it is: nothing in it is
// percent-decoded. Pure functions, but for OpenLocation.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/granted_places.h"
#include "io/s3_options.h"
#include "io/store.h"

namespace weir::io {

/// "/a/b" of a local location in any spelling, without a trailing slash; nullopt for other schemes.
std::optional<std::string> LocalPath(std::string_view location);
/// "file:///a/b" of "/a/b".
std::string FileLocation(std::string_view path);

struct S3Place {
  std::string bucket;
  std::string key;  // below it, without slashes at its ends; empty for the whole bucket
};

/// Whether the text begins as an object store's location does.
bool IsS3Location(std::string_view location);
/// Its parts. kInvalidInput for another scheme, no bucket, or a key with empty or dotted parts.
Result<S3Place> ParseS3Location(std::string_view location);

/// The one spelling of a location that texts are compared by: "/a/b", "s3://bucket/a".
std::string PlainLocation(std::string_view location);
/// The one spelling that we write, which other readers take: "file:///a/b", "s3://bucket/a".
std::string WrittenLocation(std::string_view location);
/// The part of `location` below `folder`, whatever their spellings; nullopt when it is elsewhere.
std::optional<std::string> Below(std::string_view folder, std::string_view location);

/// How to reach what is no folder. A plain value; stores opened with copies of one share its
/// connections and credentials.
struct StoreOptions {
  S3Options s3;
  std::shared_ptr<GrantedPlaces> granted = nullptr;  // nullptr: nothing is
};
/// How a place of an object store is reached: as granted, else in general.
S3Options S3OptionsAt(std::string_view location, const StoreOptions& options);

/// The store rooted at a location. `access` is for folders: an object store has its own rules.
/// A folder is created when missing; of an object store nothing is asked yet. Errors: kUnsupported
/// WEIR0403 for a scheme that Weir has no store for, kInvalidInput for a malformed one, and those
/// of OpenFolder and OpenS3.
Result<std::unique_ptr<Store>> OpenLocation(std::string_view location, const StoreOptions& options,
                                            FolderAccess access);

}  // namespace weir::io
