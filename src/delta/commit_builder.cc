#include "delta/commit_builder.h"

#include <fmt/format.h>

#include "base/random.h"
#include "delta/data_file_add.h"
#include "delta/head.h"
#include "delta/stats.h"

namespace weir::delta {
namespace {

constexpr const char* kOperation = "STREAMING UPDATE";

struct Volume {
  std::int64_t files = 0;
  std::int64_t records = 0;
  std::int64_t bytes = 0;
};

CommitInfo CommitInfoOf(const connect::TableCommit& commit, const Volume& added,
                        std::int64_t removed, const CommitInput& input) {
  CommitInfo info;
  info.time_ms = input.now_ms;
  info.operation = kOperation;
  info.parameters = {{"outputMode", removed == 0 ? "Append" : "Update"},
                     {"queryId", input.tracker.pipeline()}};
  if (const auto epoch = commit.summary.find("weir.epoch"); epoch != commit.summary.end()) {
    info.parameters["epochId"] = epoch->second;
  }
  info.metrics = {{"numOutputRows", std::to_string(added.records)},
                  {"numAddedFiles", std::to_string(added.files)},
                  {"numOutputBytes", std::to_string(added.bytes)},
                  {"numRemovedFiles", std::to_string(removed)}};
  info.tags = commit.summary;
  for (const auto& [partition, part] : commit.progress) {
    info.tags[OffsetTag(partition)] = std::to_string(part.next_offset.value());
  }
  info.engine = "weir";
  if (const auto version = commit.summary.find("engine-version"); version != commit.summary.end()) {
    info.engine = "weir/" + version->second;
  }
  info.attempt = NewUuid();
  info.blind_append = removed == 0;
  return info;
}

Status AddRemoves(const Head& head, const connect::TableCommit& commit, const CommitInput& input,
                  LogCommit& out) {
  WEIR_ASSIGN_OR_RETURN(const auto leaving, input.state.FilesOf(*head.layout, commit.replaced));
  if (!leaving.empty() && head.metadata->Property("delta.appendOnly").value_or("") == "true") {
    return WithRemedy(Refused("the pipeline replaces rows of a table with delta.appendOnly = true",
                              ErrorCode::kTableUnsupported),
                      "unset that property of the table");
  }
  for (const AddFile* file : leaving) {
    out.removes.push_back({.path = file->path,
                           .deleted_ms = input.now_ms,
                           .data_change = true,
                           .partition_values = file->partition_values,
                           .size = file->size});
  }
  return Ok();
}

}  // namespace

Result<LogCommit> BuildCommit(const connect::TableVersion& base, const connect::TableCommit& commit,
                              const CommitInput& input) {
  const Head& head = HeadOf(base);
  LogCommit out;
  Volume added;
  for (const connect::DataFile& file : commit.files) {
    if (file.spec_id != head.layout->spec.spec_id ||
        file.partition.size() != head.layout->partitions.size()) {
      return InvalidInput(
          fmt::format("{} was written for other partition columns than the table has", file.path));
    }
    out.adds.push_back(AddOf(*head.layout, file, input.now_ms));
    added.files += 1;
    added.records += file.record_count;
    added.bytes += file.file_bytes;
  }
  WEIR_TRY(AddRemoves(head, commit, input, out));
  for (const auto& [partition, part] : commit.progress) {
    Transaction transaction{.app_id = input.tracker.AppId(partition), .updated_ms = input.now_ms};
    WEIR_ASSIGN_OR_RETURN(transaction.version, TransactionVersionOf(part.position));
    out.transactions.push_back(std::move(transaction));
  }
  out.info = CommitInfoOf(commit, added, static_cast<std::int64_t>(out.removes.size()), input);
  return out;
}

connect::SnapshotInfo InfoOf(std::int64_t version, const LogCommit& commit) {
  connect::SnapshotInfo out;
  out.snapshot_id = version;
  if (version > 0) out.parent_id = version - 1;
  out.sequence = version;
  const CommitInfo info = commit.info.value_or(CommitInfo{});
  out.time = info.time_ms.value_or(0) * kMicrosPerMilli;
  const bool is_ours = info.operation == kOperation && info.engine.starts_with("weir");
  out.operation = !is_ours ? info.operation : commit.removes.empty() ? "append" : "overwrite";
  out.summary = info.tags;
  std::int64_t records = 0;
  for (const AddFile& file : commit.adds) {
    records += file.stats ? RecordsInStats(*file.stats).value_or(0) : 0;
  }
  out.summary["added-records"] = std::to_string(records);
  out.summary["added-data-files"] = std::to_string(commit.adds.size());
  out.summary["deleted-data-files"] = std::to_string(commit.removes.size());
  return out;
}

}  // namespace weir::delta
