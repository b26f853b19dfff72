#pragma once
// JSON documents of table metadata: key order and everything unknown is kept, since we rewrite
// documents of other writers. Parsing is bounded; nothing here throws.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace weir::iceberg {

using Json = nlohmann::ordered_json;

/// Errors: kCorrupt, for anything but one JSON object.
Result<Json> ParseJson(std::string_view text);
std::string DumpJson(const Json& json);

/// Values by key. kCorrupt naming the key when it is missing or of another type.
Result<std::int64_t> LongAt(const Json& object, const char* key);
Result<int> IntAt(const Json& object, const char* key);
Result<std::string> TextAt(const Json& object, const char* key);
/// The array or object at a key; kCorrupt.
Result<const Json*> ArrayAt(const Json& object, const char* key);
Result<const Json*> ObjectAt(const Json& object, const char* key);

/// The same for what may be absent or null; of another type counts as absent.
std::optional<std::int64_t> FindLong(const Json& object, const char* key);
std::optional<std::string> FindText(const Json& object, const char* key);
const Json* Find(const Json& object, const char* key);

}  // namespace weir::iceberg
