#pragma once
// JSON of a Delta log: one object a line. Parsing is bounded and nothing here throws. What is
// absent and what has another type are the same to the Find calls; the At calls tell.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace weir::delta {

using Json = nlohmann::ordered_json;

/// kCorrupt WEIR0405 for anything but one JSON object.
Result<Json> ParseObject(std::string_view text);
std::string DumpJson(const Json& json);

/// The value at a key; nullptr when it is absent or null.
const Json* Find(const Json& object, const char* key);
std::optional<std::int64_t> FindLong(const Json& object, const char* key);
std::optional<std::string> FindText(const Json& object, const char* key);
bool FindFlag(const Json& object, const char* key, bool fallback);

/// kCorrupt WEIR0405 naming the key.
Result<std::int64_t> LongAt(const Json& object, const char* key);
Result<std::string> TextAt(const Json& object, const char* key);
Result<std::vector<std::string>> TextsAt(const Json& object, const char* key);
/// {"key": "text" or null}; empty when it is absent.
Result<std::map<std::string, std::optional<std::string>>> TextMapAt(const Json& object,
                                                                    const char* key);

}  // namespace weir::delta
