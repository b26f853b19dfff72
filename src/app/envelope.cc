#include "app/envelope.h"

#include <algorithm>
#include <array>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "config/quantity.h"

namespace weir::app {
namespace {

using Json = nlohmann::ordered_json;

Error NoEnvelope(std::string message) {
  return WithRemedy(
      InvalidInput(std::move(message), ErrorCode::kBadEnvelope),
      R"(a line is like {"key": "u1", "value": "..."}; `weir help produce` says more)");
}

// name or name_b64; null, and absence where that is allowed, is nullopt.
Result<std::optional<std::string>> BytesOf(const Json& object, const std::string& name,
                                           bool required) {
  const auto text = object.find(name);
  const auto coded = object.find(name + "_b64");
  if (text != object.end() && coded != object.end()) {
    return NoEnvelope("`" + name + "` and `" + name + "_b64` exclude each other");
  }
  if (text == object.end() && coded == object.end()) {
    if (required) return NoEnvelope("`" + name + "` is missing; null is a tombstone");
    return std::optional<std::string>();
  }
  const Json& found = text != object.end() ? *text : *coded;
  if (found.is_null()) return std::optional<std::string>();
  if (!found.is_string()) return NoEnvelope("`" + name + "` is no text");
  if (text != object.end()) return std::optional(found.get<std::string>());
  auto bytes = Base64Decode(found.get_ref<const std::string&>());
  if (!bytes) return NoEnvelope("`" + name + "_b64` is no base64");
  return std::optional(std::move(*bytes));
}

Result<std::int64_t> WholeNumber(const Json& value, const std::string& name, std::int64_t least,
                                 std::int64_t most) {
  const bool is_whole = value.is_number_integer() &&
                        !(value.is_number_unsigned() &&
                          value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX));
  if (!is_whole || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most) {
    return NoEnvelope("`" + name + "` is no whole number in its range");
  }
  return value.get<std::int64_t>();
}

Result<std::int64_t> TimestampOf(const Json& value) {
  if (!value.is_string()) return WholeNumber(value, "timestamp", -1, INT64_MAX);
  auto time = config::ParseTime(value.get_ref<const std::string&>());
  if (!time) return NoEnvelope("`timestamp`: " + time.error().message);
  return *time / kMicrosPerMilli;
}

Status AddHeaders(const Json& headers, Envelope& envelope) {
  if (headers.is_null()) return Ok();
  if (headers.is_object()) {
    for (const auto& [name, value] : headers.items()) {
      if (!value.is_string() && !value.is_null())
        return NoEnvelope("header `" + name + "` is no text");
      envelope.headers.push_back(
          {name, value.is_null() ? std::nullopt : std::optional(value.get<std::string>())});
    }
    return Ok();
  }
  if (!headers.is_array()) return NoEnvelope("`headers` is no list");
  for (const Json& header : headers) {
    if (!header.is_object()) return NoEnvelope("a header is an object with `name` and `value`");
    WEIR_ASSIGN_OR_RETURN(auto name, BytesOf(header, "name", false));
    WEIR_ASSIGN_OR_RETURN(auto value, BytesOf(header, "value", false));
    if (!name) return NoEnvelope("a header needs a `name`");
    envelope.headers.push_back({std::move(*name), std::move(value)});
  }
  return Ok();
}

bool IsKnown(const std::string& name) {
  constexpr auto kKnown = std::to_array<std::string_view>({"partition", "key", "key_b64", "value",
                                                           "value_b64", "timestamp", "headers",
                                                           "offset", "topic", "timestamp_type"});
  return std::ranges::count(kKnown, name) > 0;
}

void PutBytes(Json& object, const std::string& name, const std::optional<std::string_view>& bytes) {
  if (!bytes) {
    object[name] = nullptr;
  } else if (IsValidUtf8(*bytes)) {
    object[name] = std::string(*bytes);
  } else {
    object[name + "_b64"] = Base64Encode(*bytes);
  }
}

}  // namespace

connect::OutgoingRecord Envelope::ToRecord() const {
  connect::OutgoingRecord record;
  record.partition = partition;
  if (key) record.key = *key;
  if (value) record.value = *value;
  record.timestamp_ms = timestamp_ms;
  for (const Header& header : headers) {
    record.headers.push_back({header.name, header.value
                                               ? std::optional<std::string_view>(*header.value)
                                               : std::nullopt});
  }
  return record;
}

Result<Envelope> ParseEnvelope(std::string_view line) {
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object()) return NoEnvelope("this is no JSON object");
  for (const auto& [name, unused] : object.items()) {
    if (!IsKnown(name)) return NoEnvelope("an envelope has no `" + Printable(name) + "`");
  }
  Envelope envelope;
  WEIR_ASSIGN_OR_RETURN(envelope.key, BytesOf(object, "key", false));
  WEIR_ASSIGN_OR_RETURN(envelope.value, BytesOf(object, "value", true));
  if (object.contains("partition") && !object["partition"].is_null()) {
    WEIR_ASSIGN_OR_RETURN(auto number, WholeNumber(object["partition"], "partition", 0,
                                                   std::numeric_limits<std::int32_t>::max()));
    envelope.partition = Partition(static_cast<std::int32_t>(number));
  }
  if (object.contains("timestamp") && !object["timestamp"].is_null()) {
    WEIR_ASSIGN_OR_RETURN(envelope.timestamp_ms, TimestampOf(object["timestamp"]));
  }
  if (object.contains("headers")) WEIR_TRY(AddHeaders(object["headers"], envelope));
  return envelope;
}

std::string EnvelopeLine(const LogRecord& record) {
  Json object = Json::object();
  object["partition"] = record.partition.value();
  object["offset"] = record.offset.value();
  object["timestamp"] = record.timestamp_ms;
  if (record.key) PutBytes(object, "key", record.key);
  PutBytes(object, "value", record.value);
  if (!record.headers.empty()) {
    Json& headers = object["headers"] = Json::array();
    for (const RecordHeader& header : record.headers) {
      Json& made = headers.emplace_back(Json::object());
      PutBytes(made, "name", header.name);
      PutBytes(made, "value", header.value);
    }
  }
  return object.dump();
}

}  // namespace weir::app
