#include "iceberg/progress.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace weir::iceberg {
namespace {

// Whether any partition stands earlier in `older` than in `newer`, or is not there at all.
bool IsOlder(const connect::Progress& older, const connect::Progress& newer) {
  return std::ranges::any_of(newer.partitions, [&older](const auto& entry) {
    const auto found = older.partitions.find(entry.first);
    return found == older.partitions.end() || found->second.position < entry.second.position;
  });
}

Result<connect::PartitionProgress> PartFromJson(const Json& json) {
  if (!json.is_array() || json.size() != 3) {
    return Corrupt("a partition's progress is not three numbers");
  }
  std::int64_t numbers[3] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!json[i].is_number_integer()) {
      return Corrupt("a partition's progress is not three numbers");
    }
    numbers[i] = json[i].get<std::int64_t>();
  }
  return connect::PartitionProgress{{numbers[0], numbers[1]}, Offset(numbers[2])};
}

Result<connect::Progress> FromText(const std::string& text) {
  WEIR_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  connect::Progress progress;
  WEIR_ASSIGN_OR_RETURN(progress.snapshot_id, LongAt(json, "snapshot"));
  WEIR_ASSIGN_OR_RETURN(progress.sequence, LongAt(json, "sequence"));
  WEIR_ASSIGN_OR_RETURN(progress.total_records, LongAt(json, "total_records"));
  WEIR_ASSIGN_OR_RETURN(const Json* partitions, ObjectAt(json, "partitions"));
  for (const auto& [name, part] : partitions->items()) {
    WEIR_ASSIGN_OR_RETURN(progress.partitions[name], PartFromJson(part));
  }
  return progress;
}

}  // namespace

std::string ProgressKey(const std::string& pipeline) { return "weir.progress." + pipeline; }

std::string ProgressTag(const std::string& pipeline) { return "weir-" + pipeline; }

std::string ProgressToText(const connect::Progress& progress) {
  Json partitions = Json::object();
  for (const auto& [name, part] : progress.partitions) {
    partitions.push_back(
        {name, Json::array({part.position.since, part.position.epoch, part.next_offset.value()})});
  }
  return DumpJson({{"snapshot", progress.snapshot_id},
                   {"sequence", progress.sequence},
                   {"total_records", progress.total_records},
                   {"partitions", std::move(partitions)}});
}

Result<connect::Progress> ProgressFromText(const std::string& text) {
  auto progress = FromText(text);
  if (progress) return progress;
  Error error = std::move(progress).error();
  error.code = ErrorCode::kMetadataCorrupt;
  return WithContext(std::move(error), "the pipeline's progress in the table cannot be read");
}

Result<std::optional<connect::Progress>> ReadProgress(const TableMetadata& metadata,
                                                      const std::string& pipeline) {
  const auto found = metadata.properties.find(ProgressKey(pipeline));
  if (pipeline.empty() || found == metadata.properties.end()) {
    return std::optional<connect::Progress>();
  }
  WEIR_ASSIGN_OR_RETURN(connect::Progress progress, ProgressFromText(found->second));
  return std::optional<connect::Progress>(std::move(progress));
}

connect::Lineage LineageOf(const TableMetadata& metadata, const std::string& pipeline,
                           const connect::Progress& progress) {
  using connect::Lineage;
  const std::vector<const Snapshot*> chain = metadata.MainAncestors();
  if (chain.empty()) return Lineage::kRolledBack;
  for (const Snapshot* snapshot : chain) {
    if (snapshot->id == progress.snapshot_id) return Lineage::kIntact;
    if (snapshot->sequence <= progress.sequence) return Lineage::kRolledBack;
  }
  // The chain is cut above the recorded snapshot. The cut is expiry's, unless there are signs that
  // main was set back and went on from there.
  const auto total = chain.front()->Total("total-records");
  if (total && *total < progress.total_records) return Lineage::kRolledBack;
  for (const Snapshot* snapshot : chain) {
    const auto shown = snapshot->summary.find(ProgressKey(pipeline));
    if (shown == snapshot->summary.end()) continue;
    const auto theirs = ProgressFromText(shown->second);
    if (theirs && IsOlder(*theirs, progress)) return Lineage::kRolledBack;
  }
  return Lineage::kExpired;
}

}  // namespace weir::iceberg
