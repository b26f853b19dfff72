#include "delta/table_state.h"

#include <algorithm>

#include <fmt/format.h>

#include "delta/stats.h"

namespace weir::delta {
namespace {

struct Wanted {
  std::size_t place = 0;  // in the partition tuple
  connect::PartitionValue value;
};

Result<std::vector<Wanted>> PlacesOf(const Layout& layout, const connect::RowsWhere& rows) {
  std::vector<Wanted> out;
  for (const auto& [name, value] : rows.columns) {
    const std::string& column = name;
    const auto found = std::ranges::find_if(layout.partitions, [&](const PartitionColumn& one) {
      return one.name == column && one.transform == connect::Transform::kIdentity;
    });
    if (found == layout.partitions.end()) {
      return Unsupported(
          fmt::format(
              "the table is not partitioned by {}, so rows that the pipeline replaces can't "
              "be told from others; partition by it as it was made",
              column),
          ErrorCode::kTableUnsupported);
    }
    out.push_back({static_cast<std::size_t>(found - layout.partitions.begin()), value});
  }
  return out;
}

std::int64_t RecordsOf(const AddFile& file) {
  return file.stats ? std::max<std::int64_t>(0, RecordsInStats(*file.stats).value_or(0)) : 0;
}

}  // namespace

Status TableState::Apply(std::int64_t version, LogCommit commit) {
  if (commit.protocol) protocol_ = *std::move(commit.protocol);
  if (commit.metadata && (!metadata_ || *metadata_ != *commit.metadata)) {
    metadata_ = std::make_shared<const Metadata>(*std::move(commit.metadata));
  }
  for (Transaction& transaction : commit.transactions) {
    std::string id = transaction.app_id;
    transactions_[std::move(id)] = std::move(transaction);
  }
  // A commit never adds and removes the same path, so the order of the two is free.
  for (RemoveFile& file : commit.removes) Remove(std::move(file));
  for (AddFile& file : commit.adds) WEIR_TRY(Add(std::move(file)));
  version_ = version;
  return Ok();
}

Status TableState::Add(AddFile file) {
  if (file.has_deletion_vector) {
    return Unsupported(
        fmt::format("file {} has a deletion vector, which Weir does not read", file.path),
        ErrorCode::kTableUnsupported);
  }
  Drop(file.path);
  removed_.erase(file.path);
  records_ += RecordsOf(file);
  by_partition_[file.partition_values].insert(file.path);
  std::string path = file.path;
  files_.emplace(std::move(path), std::move(file));
  return Ok();
}

void TableState::Remove(RemoveFile file) {
  Drop(file.path);
  std::string path = file.path;
  removed_[std::move(path)] = std::move(file);
}

void TableState::Drop(const std::string& path) {
  const auto found = files_.find(path);
  if (found == files_.end()) return;
  records_ -= RecordsOf(found->second);
  const auto partition = by_partition_.find(found->second.partition_values);
  if (partition != by_partition_.end()) {
    partition->second.erase(path);
    if (partition->second.empty()) by_partition_.erase(partition);
  }
  files_.erase(found);
}

Result<std::vector<const AddFile*>> TableState::FilesOf(
    const Layout& layout, const std::vector<connect::RowsWhere>& rows) const {
  std::vector<std::vector<Wanted>> any_of;
  for (const connect::RowsWhere& one : rows) {
    WEIR_ASSIGN_OR_RETURN(auto places, PlacesOf(layout, one));
    any_of.push_back(std::move(places));
  }
  std::vector<const AddFile*> out;
  if (any_of.empty()) return out;
  for (const auto& [values, paths] : by_partition_) {
    const connect::PartitionTuple tuple = layout.TupleOf(values);
    const bool is_wanted = std::ranges::any_of(any_of, [&](const auto& wanted) {
      return std::ranges::all_of(wanted,
                                 [&](const Wanted& one) { return tuple[one.place] == one.value; });
    });
    if (!is_wanted) continue;
    for (const std::string& path : paths) out.push_back(&files_.at(path));
  }
  return out;
}

std::vector<RemoveFile> TableState::TakeRemovedBefore(std::int64_t time_ms) {
  std::vector<RemoveFile> out;
  for (auto at = removed_.begin(); at != removed_.end();) {
    if (at->second.deleted_ms.value_or(0) >= time_ms) {
      ++at;
      continue;
    }
    out.push_back(std::move(at->second));
    at = removed_.erase(at);
  }
  return out;
}

}  // namespace weir::delta
