#pragma once
// What a key may be, and its parts. Keys become paths, so a wrong one must never get that far.

#include <string_view>

#include "base/result.h"

namespace weir::io {

/// kInvalidInput for an empty key, an absolute one, an empty, "." or ".." part, a NUL byte, or a
/// part that begins with ".weir-".
Status CheckKey(std::string_view key);

/// The same for the prefix of a listing, which may be empty and may end anywhere in a key.
Status CheckPrefix(std::string_view prefix);

/// "a/b" of "a/b/c"; empty where there is no '/'.
std::string_view FolderOf(std::string_view key);

}  // namespace weir::io
