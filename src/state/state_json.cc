#include "state/state_json.h"

#include <charconv>
#include <stdexcept>

#include "base/bytes.h"

namespace weir::state {
namespace {

using Json = nlohmann::json;

// 128-bit numbers do not fit JSON numbers: decimal text.
std::string NumberText(Int128 value) { return DecimalToString(value, 0); }

Int128 NumberFrom(const std::string& text) {
  Int128 value = 0;
  bool negative = text.starts_with('-');
  std::size_t digits = 0;
  for (char c : text.substr(negative ? 1 : 0)) {
    if (c < '0' || c > '9' || ++digits > 38) throw std::invalid_argument("not a number: " + text);
    value = value * 10 + (c - '0');
  }
  if (digits == 0) throw std::invalid_argument("empty number");
  return negative ? -value : value;
}

Json HexOrNull(const std::optional<std::string>& bytes) {
  return bytes ? Json(HexEncode(*bytes)) : Json();
}

std::optional<std::string> FromHex(const Json& json) {
  if (json.is_null()) return std::nullopt;
  auto bytes = HexDecode(json.get_ref<const std::string&>());
  if (!bytes) throw std::invalid_argument("not hexadecimal");
  return bytes;
}

Json ToJson(const connect::PartitionValue& value) {
  if (value.number) return {{"n", NumberText(*value.number)}};
  if (value.text) return {{"t", HexEncode(*value.text)}};
  return nullptr;
}

connect::PartitionValue PartitionValueFrom(const Json& json) {
  connect::PartitionValue value;
  if (json.is_null()) return value;
  if (auto number = json.find("n"); number != json.end())
    value.number = NumberFrom(number->get_ref<const std::string&>());
  else
    value.text = FromHex(json.at("t"));
  return value;
}

Json ToJson(const connect::ColumnMetrics& metrics) {
  return Json::array({metrics.compressed_bytes, metrics.value_count, metrics.null_count,
                      metrics.nan_count ? Json(*metrics.nan_count) : Json(),
                      HexOrNull(metrics.lower), HexOrNull(metrics.upper)});
}

connect::ColumnMetrics MetricsFrom(const Json& json) {
  connect::ColumnMetrics metrics;
  json.at(0).get_to(metrics.compressed_bytes);
  json.at(1).get_to(metrics.value_count);
  json.at(2).get_to(metrics.null_count);
  if (!json.at(3).is_null()) metrics.nan_count = json.at(3).get<std::int64_t>();
  metrics.lower = FromHex(json.at(4));
  metrics.upper = FromHex(json.at(5));
  return metrics;
}

void PutTime(Json& json, const char* key, const std::optional<Micros>& time) {
  if (time) json[key] = *time;
}

std::optional<Micros> TimeFrom(const Json& json, const char* key) {
  auto found = json.find(key);
  if (found == json.end()) return std::nullopt;
  return found->get<Micros>();
}

Json ClockJson(const PartitionClock& clock) {
  Json json = Json::object();
  PutTime(json, "max_event_time", clock.max_event_time);
  PutTime(json, "floor", clock.floor);
  if (clock.idle) json["idle"] = true;
  return json;
}

PartitionClock ClockFrom(const Json& json) {
  return {.max_event_time = TimeFrom(json, "max_event_time"),
          .floor = TimeFrom(json, "floor"),
          .idle = json.value("idle", false)};
}

Json ChainJson(const StateChain& chain) {
  Json json = Json::array();
  for (const StateSegment& segment : chain)
    json.push_back(Json::array({segment.writer, segment.first, segment.last}));
  return json;
}

StateChain ChainFrom(const Json& json) {
  StateChain chain;
  for (const Json& segment : json) {
    chain.push_back({segment.at(0).get<std::string>(), segment.at(1).get<std::int64_t>(),
                     segment.at(2).get<std::int64_t>()});
    if (chain.back().first < 1 || chain.back().last < chain.back().first)
      throw std::invalid_argument("a state chain that runs backwards");
  }
  return chain;
}

}  // namespace

Json ToJson(Position position) { return Json::array({position.since, position.epoch}); }

Position PositionFrom(const Json& json) {
  return {json.at(0).get<std::int64_t>(), json.at(1).get<std::int64_t>()};
}

Json ToJson(const LedgerCounts& counts) {
  return {{"read", counts.read},
          {"good", counts.good},
          {"duplicate", counts.duplicate},
          {"late", counts.late},
          {"quarantined", counts.quarantined},
          {"tombstone", counts.tombstone}};
}

LedgerCounts LedgerFrom(const Json& json) {
  LedgerCounts counts;
  json.at("read").get_to(counts.read);
  json.at("good").get_to(counts.good);
  json.at("duplicate").get_to(counts.duplicate);
  json.at("late").get_to(counts.late);
  json.at("quarantined").get_to(counts.quarantined);
  json.at("tombstone").get_to(counts.tombstone);
  return counts;
}

Json ToJson(const PartitionStanding& standing) {
  Json tables = Json::object();
  for (const auto& [name, table] : standing.tables) {
    tables[name] = {{"position", ToJson(table.position)}, {"rows", table.rows}};
    if (table.open_rows != 0) tables[name]["open_rows"] = table.open_rows;
  }
  Json json = {{"next_offset", standing.next_offset.value()},
               {"total", ToJson(standing.total)},
               {"tables", std::move(tables)}};
  if (standing.clock != PartitionClock()) json["clock"] = ClockJson(standing.clock);
  if (!standing.state.empty()) json["state"] = ChainJson(standing.state);
  return json;
}

PartitionStanding StandingFrom(const Json& json) {
  PartitionStanding standing;
  standing.next_offset = Offset(json.at("next_offset").get<std::int64_t>());
  standing.total = LedgerFrom(json.at("total"));
  for (const auto& [name, table] : json.at("tables").items())
    standing.tables[name] = {PositionFrom(table.at("position")),
                             table.at("rows").get<std::int64_t>(),
                             table.value("open_rows", std::int64_t{0})};
  if (auto clock = json.find("clock"); clock != json.end()) standing.clock = ClockFrom(*clock);
  if (auto chain = json.find("state"); chain != json.end()) standing.state = ChainFrom(*chain);
  return standing;
}

Json ToJson(const SharedStanding& shared) {
  Json json = {{"finished", shared.finished}, {"rules", shared.rules}, {"sizes", shared.sizes}};
  PutTime(json, "watermark", shared.watermark);
  if (!shared.state.empty()) json["state"] = ChainJson(shared.state);
  return json;
}

SharedStanding SharedFrom(const Json& json) {
  SharedStanding shared;
  json.at("finished").get_to(shared.finished);
  json.at("rules").get_to(shared.rules);
  json.at("sizes").get_to(shared.sizes);
  shared.watermark = TimeFrom(json, "watermark");
  if (auto chain = json.find("state"); chain != json.end()) shared.state = ChainFrom(*chain);
  return shared;
}

Json ToJson(const Decision& decision) {
  Json json = {{"kind", ToString(decision.kind)},
               {"partition", decision.partition.value()},
               {"offset", decision.offset.value()}};
  if (decision.value != kNoWatermark) json["value"] = decision.value;
  return json;
}

Decision DecisionFrom(const Json& json) {
  Decision decision;
  const auto kind = DecisionKindOf(json.at("kind").get_ref<const std::string&>());
  if (!kind) throw std::invalid_argument("a decision of unknown kind");
  decision.kind = *kind;
  decision.partition = Partition(json.at("partition").get<std::int32_t>());
  decision.offset = Offset(json.at("offset").get<std::int64_t>());
  decision.value = json.value("value", kNoWatermark);
  return decision;
}

Json ToJson(const connect::RowsWhere& rows) {
  Json json = Json::object();
  for (const auto& [column, value] : rows.columns) json[column] = ToJson(value);
  return json;
}

connect::RowsWhere RowsWhereFrom(const Json& json) {
  connect::RowsWhere rows;
  for (const auto& [column, value] : json.items()) rows.columns[column] = PartitionValueFrom(value);
  return rows;
}

Json ToJson(const connect::DataFile& file) {
  Json partition = Json::array();
  for (const auto& value : file.partition) partition.push_back(ToJson(value));
  Json columns = Json::object();
  for (const auto& [id, metrics] : file.columns) columns[std::to_string(id)] = ToJson(metrics);
  return {{"path", file.path},
          {"spec_id", file.spec_id},
          {"sort_order_id", file.sort_order_id},
          {"partition", std::move(partition)},
          {"record_count", file.record_count},
          {"file_bytes", file.file_bytes},
          {"columns", std::move(columns)},
          {"split_offsets", file.split_offsets}};
}

connect::DataFile DataFileFrom(const Json& json) {
  connect::DataFile file;
  json.at("path").get_to(file.path);
  json.at("spec_id").get_to(file.spec_id);
  json.at("sort_order_id").get_to(file.sort_order_id);
  for (const auto& value : json.at("partition"))
    file.partition.push_back(PartitionValueFrom(value));
  json.at("record_count").get_to(file.record_count);
  json.at("file_bytes").get_to(file.file_bytes);
  for (const auto& [id, metrics] : json.at("columns").items())
    file.columns[std::stoi(id)] = MetricsFrom(metrics);
  json.at("split_offsets").get_to(file.split_offsets);
  return file;
}

Partition PartitionKey(const std::string& key) {
  std::int32_t number = 0;
  auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
  if (error != std::errc() || end != key.data() + key.size() || number < 0)
    throw std::invalid_argument("not a partition: " + key);
  return Partition(number);
}

}  // namespace weir::state
