#include "state/epoch_record.h"

#include "base/own_json.h"
#include "state/state_json.h"

namespace weir::state {
namespace {

using Json = nlohmann::json;
using weir::state::ToJson;

constexpr int kFormat = 1;

Json ToJson(const PartitionEpoch& partition) {
  return {{"since", partition.since},
          {"from", partition.from.value()},
          {"counts", ToJson(partition.counts)},
          {"end", ToJson(partition.end)},
          {"released", partition.released}};
}

PartitionEpoch PartitionEpochFrom(const Json& json) {
  PartitionEpoch partition;
  json.at("since").get_to(partition.since);
  partition.from = Offset(json.at("from").get<std::int64_t>());
  partition.counts = LedgerFrom(json.at("counts"));
  partition.end = StandingFrom(json.at("end"));
  json.at("released").get_to(partition.released);
  return partition;
}

Json ToJson(const TableEpoch& table) {
  Json files = Json::array();
  for (const auto& file : table.files) files.push_back(ToJson(file));
  Json before = Json::object();
  for (const auto& [partition, position] : table.before)
    before[std::to_string(partition.value())] = ToJson(position);
  Json json = {{"uuid", table.uuid},
               {"location", table.location},
               {"snapshot_id", table.snapshot_id},
               {"files", std::move(files)},
               {"before", std::move(before)}};
  for (const auto& rows : table.replaced) json["replaced"].push_back(ToJson(rows));
  return json;
}

TableEpoch TableEpochFrom(const Json& json) {
  TableEpoch table;
  json.at("uuid").get_to(table.uuid);
  json.at("location").get_to(table.location);
  json.at("snapshot_id").get_to(table.snapshot_id);
  for (const auto& file : json.at("files")) table.files.push_back(DataFileFrom(file));
  for (const auto& [key, position] : json.at("before").items())
    table.before[PartitionKey(key)] = PositionFrom(position);
  if (auto replaced = json.find("replaced"); replaced != json.end())
    for (const auto& rows : *replaced) table.replaced.push_back(RowsWhereFrom(rows));
  return table;
}

Json ToJson(const DroppedRow& row) {
  return {{"partition", row.partition.value()},
          {"offset", row.offset.value()},
          {"event_time", row.event_time},
          {"key", row.key}};
}

DroppedRow DroppedRowFrom(const Json& json) {
  return {.partition = Partition(json.at("partition").get<std::int32_t>()),
          .offset = Offset(json.at("offset").get<std::int64_t>()),
          .event_time = json.at("event_time").get<Micros>(),
          .key = json.at("key").get<std::vector<std::string>>()};
}

EpochRecord RecordFrom(const Json& json) {
  EpochRecord record;
  json.at("pipeline").get_to(record.pipeline);
  json.at("writer").get_to(record.writer);
  json.at("epoch").get_to(record.epoch);
  json.at("previous_hash").get_to(record.previous_hash);
  json.at("config_hash").get_to(record.config_hash);
  json.at("engine").get_to(record.engine);
  json.at("time").get_to(record.time);
  json.at("topic").get_to(record.topic);
  json.at("applied_through").get_to(record.applied_through);
  for (const auto& [key, partition] : json.at("partitions").items())
    record.partitions[PartitionKey(key)] = PartitionEpochFrom(partition);
  for (const auto& [name, table] : json.at("tables").items())
    record.tables[name] = TableEpochFrom(table);
  if (auto shared = json.find("shared"); shared != json.end()) record.shared = SharedFrom(*shared);
  if (auto decisions = json.find("decisions"); decisions != json.end())
    for (const auto& decision : *decisions) record.decisions.push_back(DecisionFrom(decision));
  if (auto dropped = json.find("dropped"); dropped != json.end())
    for (const auto& row : *dropped) record.dropped.push_back(DroppedRowFrom(row));
  return record;
}

Seal SealFrom(const Json& json) {
  Seal seal;
  json.at("sealer").get_to(seal.sealer);
  json.at("nonce").get_to(seal.nonce);
  json.at("reason").get_to(seal.reason);
  json.at("time").get_to(seal.time);
  return seal;
}

}  // namespace

std::int64_t TableEpoch::rows() const {
  std::int64_t rows = 0;
  for (const auto& file : files) rows += file.record_count;
  return rows;
}

std::string Encode(const EpochRecord& record) {
  Json partitions = Json::object();
  for (const auto& [partition, epoch] : record.partitions)
    partitions[std::to_string(partition.value())] = ToJson(epoch);
  Json tables = Json::object();
  for (const auto& [name, table] : record.tables) tables[name] = ToJson(table);
  Json json = {{"format", kFormat},
               {"kind", "record"},
               {"pipeline", record.pipeline},
               {"writer", record.writer},
               {"epoch", record.epoch},
               {"previous_hash", record.previous_hash},
               {"config_hash", record.config_hash},
               {"engine", record.engine},
               {"time", record.time},
               {"topic", record.topic},
               {"applied_through", record.applied_through},
               {"partitions", std::move(partitions)},
               {"tables", std::move(tables)}};
  if (record.shared != SharedStanding()) json["shared"] = ToJson(record.shared);
  for (const Decision& decision : record.decisions) json["decisions"].push_back(ToJson(decision));
  for (const DroppedRow& row : record.dropped) json["dropped"].push_back(ToJson(row));
  return json.dump();
}

std::string Encode(const Seal& seal) {
  return Json{{"format", kFormat},   {"kind", "seal"},        {"sealer", seal.sealer},
              {"nonce", seal.nonce}, {"reason", seal.reason}, {"time", seal.time}}
      .dump();
}

Result<LogEntry> DecodeLogEntry(std::string_view bytes) {
  try {
    Json json = ParseOwnJson(bytes);
    if (json.at("format").get<int>() > kFormat)
      return Unsupported("an epoch record of a newer version of Weir", ErrorCode::kStateCorrupt);
    const auto kind = json.at("kind").get<std::string>();
    if (kind == "record") return LogEntry(RecordFrom(json));
    if (kind == "seal") return LogEntry(SealFrom(json));
    return Corrupt("an epoch record of unknown kind", ErrorCode::kStateCorrupt);
  } catch (const std::exception& error) {
    return Corrupt(std::string("an epoch record cannot be read: ") + error.what(),
                   ErrorCode::kStateCorrupt);
  }
}

}  // namespace weir::state
