#pragma once
// JSON documents of tables' metadata and logs: key order and everything unknown is kept, since we
// rewrite documents of other writers. Parsing is bounded; nothing here throws.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace weir {

using Json = nlohmann::ordered_json;

/// kCorrupt WEIR0405 for anything but one JSON object, and for one that nests too deep.
Result<Json> ParseJson(std::string_view text);
std::string DumpJson(const Json& json);

/// Values by key. kCorrupt WEIR0405 naming the key when it is missing or of another type.
Result<std::int64_t> LongAt(const Json& object, const char* key);
Result<int> IntAt(const Json& object, const char* key);
Result<std::string> TextAt(const Json& object, const char* key);
/// The array or object at a key.
Result<const Json*> ArrayAt(const Json& object, const char* key);
Result<const Json*> ObjectAt(const Json& object, const char* key);
/// A list of texts, or texts and nulls by name: empty when it is missing.
Result<std::vector<std::string>> TextsAt(const Json& object, const char* key);
Result<std::map<std::string, std::optional<std::string>>> TextMapAt(const Json& object,
                                                                    const char* key);

/// The same for what may be absent or null; of another type counts as absent.
std::optional<std::int64_t> FindLong(const Json& object, const char* key);
std::optional<std::string> FindText(const Json& object, const char* key);
bool FindFlag(const Json& object, const char* key, bool fallback);
const Json* Find(const Json& object, const char* key);

}  // namespace weir
