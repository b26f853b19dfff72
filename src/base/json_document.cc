#include "base/json_document.h"

#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_depth.h"

namespace weir {
namespace {

// Everything that walks a document recurses; real metadata nests as deep as its schema's structs
// do.
constexpr int kMaxDepth = 200;

Error Wrong(const char* key, std::string_view what) {
  return Corrupt(fmt::format("\"{}\" {}", key, what), ErrorCode::kMetadataCorrupt);
}

}  // namespace

Result<Json> ParseJson(std::string_view text) {
  if (!NestsAtMost(text, kMaxDepth)) return Corrupt("nested too deep", ErrorCode::kMetadataCorrupt);
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Corrupt("not a JSON object", ErrorCode::kMetadataCorrupt);
  return json;
}

std::string DumpJson(const Json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

const Json* Find(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

Result<std::int64_t> LongAt(const Json& object, const char* key) {
  if (Find(object, key) == nullptr) return Wrong(key, "is missing");
  if (const auto number = FindLong(object, key)) return *number;
  return Wrong(key, "is not a whole number");
}

Result<int> IntAt(const Json& object, const char* key) {
  WEIR_ASSIGN_OR_RETURN(const std::int64_t number, LongAt(object, key));
  if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max()) {
    return Wrong(key, "is out of range");
  }
  return static_cast<int>(number);
}

Result<std::string> TextAt(const Json& object, const char* key) {
  if (Find(object, key) == nullptr) return Wrong(key, "is missing");
  if (auto text = FindText(object, key)) return *std::move(text);
  return Wrong(key, "is not text");
}

Result<const Json*> ArrayAt(const Json& object, const char* key) {
  const Json* found = Find(object, key);
  if (found == nullptr || !found->is_array()) return Wrong(key, "is missing or not a list");
  return found;
}

Result<const Json*> ObjectAt(const Json& object, const char* key) {
  const Json* found = Find(object, key);
  if (found == nullptr || !found->is_object()) return Wrong(key, "is missing or not an object");
  return found;
}

Result<std::vector<std::string>> TextsAt(const Json& object, const char* key) {
  std::vector<std::string> out;
  const Json* found = Find(object, key);
  if (found == nullptr) return out;
  if (!found->is_array()) return Wrong(key, "is not a list");
  for (const Json& item : *found) {
    if (!item.is_string()) return Wrong(key, "is not a list of texts");
    out.push_back(item.get<std::string>());
  }
  return out;
}

Result<std::map<std::string, std::optional<std::string>>> TextMapAt(const Json& object,
                                                                    const char* key) {
  std::map<std::string, std::optional<std::string>> out;
  const Json* found = Find(object, key);
  if (found == nullptr) return out;
  if (!found->is_object()) return Wrong(key, "is not an object");
  for (const auto& [name, value] : found->items()) {
    if (value.is_null()) {
      out[name] = std::nullopt;
    } else if (value.is_string()) {
      out[name] = value.get<std::string>();
    } else {
      return Wrong(key, "has a value that is not text");
    }
  }
  return out;
}

std::optional<std::int64_t> FindLong(const Json& object, const char* key) {
  const Json* found = Find(object, key);
  if (found == nullptr || !found->is_number_integer()) return std::nullopt;
  if (found->is_number_unsigned() &&
      found->get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) {
    return std::nullopt;
  }
  return found->get<std::int64_t>();
}

std::optional<std::string> FindText(const Json& object, const char* key) {
  const Json* found = Find(object, key);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

bool FindFlag(const Json& object, const char* key, bool fallback) {
  const Json* found = Find(object, key);
  return found == nullptr || !found->is_boolean() ? fallback : found->get<bool>();
}

}  // namespace weir
