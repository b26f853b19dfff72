#include "engine/status.h"

#include <fmt/format.h>

#include "engine/history.h"
#include "state/state_log.h"

namespace weir::engine {
namespace {

void AddTable(const config::TableSpec& table_spec, const std::string& pipeline,
              connect::Catalog& catalog, PipelineStatus& status) {
  TableStatus table;
  table.table = table_spec.name;
  auto fill = [&]() -> Status {
    WEIR_ASSIGN_OR_RETURN(auto name, connect::ParseTableName(table_spec.name));
    WEIR_ASSIGN_OR_RETURN(auto handle, catalog.Open(name, pipeline));
    WEIR_ASSIGN_OR_RETURN(auto version, handle->Load());
    table.exists = true;
    table.rows = version->total_records;
    WEIR_ASSIGN_OR_RETURN(auto files, handle->LiveFiles(*version));
    table.files = static_cast<std::int64_t>(files.size());
    const auto snapshots = handle->Snapshots(*version);
    table.snapshots = static_cast<std::int64_t>(snapshots.size());
    for (const auto& snapshot : snapshots)
      table.last_commit = std::max(table.last_commit, snapshot.time);
    if (version->lineage == connect::Lineage::kRolledBack) table.problem = "rolled back";
    return Ok();
  };
  if (auto filled = fill(); !filled) table.problem = filled.error().ToString();
  if (!table.problem.empty()) status.problems.push_back(table.table + ": " + table.problem);
  status.tables.push_back(std::move(table));
}

void AddPartitions(const History& history, connect::LogSource* source, PipelineStatus& status) {
  std::map<Partition, connect::PartitionBounds> bounds;
  if (source != nullptr) {
    if (auto topic = source->Describe())
      bounds = topic->partitions;
    else
      status.source_problem = topic.error().ToString();
  }
  if (!status.source_problem.empty()) status.problems.push_back("source: " + status.source_problem);
  for (const auto& [partition, standing] : history.standings) {
    PartitionStatus part{partition, standing.next_offset, std::nullopt, standing.total};
    if (auto found = bounds.find(partition); found != bounds.end())
      part.log_end = found->second.end;
    status.partitions.push_back(part);
  }
}

}  // namespace

Result<PipelineStatus> ReadStatus(const config::PipelineSpec& spec, io::Store& state,
                                  connect::Catalog& catalog, connect::LogSource* source,
                                  Clock& clock) {
  PipelineStatus status;
  status.pipeline = spec.name;
  state::StateLog log(state);
  auto history = ReadHistory(log);
  if (!history && history.error().kind != ErrorKind::kNotFound) return std::move(history).error();
  if (history) {
    status.has_state = true;
    status.writer = history->claim.writer;
    status.total = history->total();
    state::SharedStanding shared = history->shared();
    status.watermark = shared.watermark;
    status.state_sizes = std::move(shared.sizes);
    if (const auto* newest = history->newest()) {
      status.epoch = newest->epoch;
      status.last_epoch = newest->time;
      if (newest->time > clock.Now() + kMicrosPerDay)
        status.problems.emplace_back("the newest epoch is from the future: check the clock");
    }
    AddPartitions(*history, source, status);
  }
  for (const auto& table : spec.tables) AddTable(table, spec.name, catalog, status);
  return status;
}

}  // namespace weir::engine
