#include "engine/replay_plan.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/own_json.h"

namespace weir::engine {
namespace {

using nlohmann::json;

json ToJson(const BronzeFile& file) {
  json ranges = json::array();
  for (const auto& [partition, range] : file.ranges)
    ranges.push_back({partition.value(), range.first.value(), range.last.value(), range.rows});
  return {{"path", file.path},     {"rows", file.rows},           {"bytes", file.bytes},
          {"oldest", file.oldest}, {"ascending", file.ascending}, {"ranges", std::move(ranges)}};
}

BronzeFile FileFrom(const json& from) {
  BronzeFile file{.path = from.at("path").get<std::string>(),
                  .rows = from.at("rows").get<std::int64_t>(),
                  .bytes = from.at("bytes").get<std::int64_t>(),
                  .oldest = from.at("oldest").get<Micros>(),
                  .ascending = from.at("ascending").get<bool>(),
                  .ranges = {}};
  for (const json& range : from.at("ranges"))
    file.ranges[Partition(range.at(0).get<std::int32_t>())] = {
        Offset(range.at(1).get<std::int64_t>()), Offset(range.at(2).get<std::int64_t>()),
        range.at(3).get<std::int64_t>()};
  return file;
}

}  // namespace

ReplayTarget ReplayPlan::target() const {
  ReplayTarget target;
  for (const auto& [partition, entry] : goal.partitions) {
    target.ends[partition] = entry.start.next_offset;
    if (entry.start.clock.idle) target.idle.insert(partition);
  }
  target.watermark = goal.shared.watermark.value_or(kNoWatermark);
  return target;
}

std::map<Partition, BronzeRange> ReplayPlan::ranges() const {
  std::map<Partition, BronzeRange> all;
  for (const BronzeFile& file : files)
    for (const auto& [partition, range] : file.ranges) {
      auto [entry, fresh] = all.try_emplace(partition, range);
      if (fresh) continue;
      entry->second.first = std::min(entry->second.first, range.first);
      entry->second.last = std::max(entry->second.last, range.last);
      entry->second.rows += range.rows;
    }
  return all;
}

std::int64_t ReplayPlan::bytes() const {
  std::int64_t bytes = 0;
  for (const BronzeFile& file : files) bytes += file.bytes;
  return bytes;
}

std::string Encode(const ReplayPlan& plan) {
  json files = json::array();
  for (const BronzeFile& file : plan.files) files.push_back(ToJson(file));
  json floors = json::array();
  for (const RecordFloor& floor : plan.floors)
    floors.push_back({floor.partition.value(), floor.offset.value(), floor.floor});
  return json{{"id", plan.id},
              {"config", plan.config_hash},
              {"from", plan.from_source ? "source" : "bronze"},
              {"tables", plan.tables},
              {"bronze", plan.bronze},
              {"snapshot", plan.bronze_snapshot},
              {"files", std::move(files)},
              {"floors", std::move(floors)},
              {"goal", ParseOwnJson(state::Encode(plan.goal))}}
      .dump(1);
}

Result<ReplayPlan> DecodeReplayPlan(std::string_view bytes) {
  try {
    const json from = ParseOwnJson(bytes);
    ReplayPlan plan;
    plan.id = from.at("id").get<std::string>();
    plan.config_hash = from.at("config").get<std::string>();
    plan.from_source = from.at("from").get<std::string>() == "source";
    plan.tables = from.at("tables").get<std::vector<std::string>>();
    plan.bronze = from.at("bronze").get<std::string>();
    plan.bronze_snapshot = from.at("snapshot").get<std::int64_t>();
    for (const json& file : from.at("files")) plan.files.push_back(FileFrom(file));
    for (const json& floor : from.at("floors"))
      plan.floors.push_back({Partition(floor.at(0).get<std::int32_t>()),
                             Offset(floor.at(1).get<std::int64_t>()), floor.at(2).get<Micros>()});
    WEIR_ASSIGN_OR_RETURN(plan.goal, state::DecodeClaim(from.at("goal").dump()));
    return plan;
  } catch (const std::exception& e) {
    return Corrupt(std::string("a replay's plan cannot be read: ") + e.what(),
                   ErrorCode::kStateCorrupt);
  }
}

std::string ReplayFolder(const std::string& id) { return "replay/" + id; }
std::string ReplayPlanKey(const std::string& id) { return ReplayFolder(id) + "/plan"; }
std::string ReplaySwappedKey(const std::string& id) { return ReplayFolder(id) + "/swapped"; }

}  // namespace weir::engine
