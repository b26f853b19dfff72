#pragma once
// Attempt: the identity of one try to commit, and the names of the files that it makes.
//
// Two appliers may build the same commit at once, so every name carries a random id. The id is a
// version 8 UUID (RFC 9562: free content) that begins with the number of the metadata version that
// the try would make. That lets anybody recognise leftovers of ours later: a file of a try for
// version 7 that nothing names can go as soon as version 7 exists, since the try's base is no
// longer current and it can never land.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir::iceberg {

struct Attempt {
  std::int64_t version = 0;
  std::string id;
};

/// A fresh one for a try to make metadata version `version`.
Attempt NewAttempt(std::int64_t version);

/// "<id>-m0.avro", "snap-<snapshot>-<version>-<id>.avro", "00007-<id>.metadata.json".
std::string ManifestName(const Attempt& attempt, int number);
std::string ManifestListName(const Attempt& attempt, std::int64_t snapshot_id);
std::string MetadataName(const Attempt& attempt);

/// The version of the try that made a file of this name; nullopt for files that are not ours.
std::optional<std::int64_t> VersionOfOwnFile(std::string_view name);

/// The number of a metadata file: 7 of "00007-<any>.metadata.json" and "v7.metadata.json"; -1 of
/// other names. Takes a location or a bare name.
std::int64_t VersionOfMetadata(std::string_view file);

}  // namespace weir::iceberg
