#include "base/own_json.h"

#include <stdexcept>

#include <nlohmann/json.hpp>

namespace weir {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxBytes = 256U << 20;
constexpr int kMaxDepth = 64;

bool RefuseForeign(int depth, Json::parse_event_t /*event*/, Json& value) {
  if (depth > kMaxDepth) throw std::length_error("nested too deep");
  if (value.is_number_float()) throw std::invalid_argument("not a whole number: " + value.dump());
  return true;
}

}  // namespace

Json ParseOwnJson(std::string_view bytes) {
  if (bytes.size() > kMaxBytes) throw std::length_error("longer than 256 MiB");
  Json json = Json::parse(bytes, RefuseForeign);
  if (!json.is_object()) throw std::invalid_argument("not a JSON object");
  return json;
}

}  // namespace weir
