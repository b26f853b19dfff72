#include "iceberg/summary.h"

#include <set>

namespace weir::iceberg {
namespace {

void AddTotal(const Snapshot* parent, const std::string& key, std::int64_t added,
              std::map<std::string, std::string>& summary) {
  if (parent == nullptr) {
    summary[key] = std::to_string(added);
  } else if (const auto before = parent->Total(key)) {
    summary[key] = std::to_string(*before + added);
  }
}

}  // namespace

std::map<std::string, std::string> AppendSummary(const Snapshot* parent,
                                                 const std::vector<connect::DataFile>& files,
                                                 const ManifestCounts& manifests) {
  std::int64_t records = 0;
  std::int64_t bytes = 0;
  std::set<std::pair<int, connect::PartitionTuple>> partitions;
  for (const connect::DataFile& file : files) {
    records += file.record_count;
    bytes += file.file_bytes;
    partitions.emplace(file.spec_id, file.partition);
  }
  const auto count = static_cast<std::int64_t>(files.size());
  std::map<std::string, std::string> summary;
  summary["operation"] = "append";
  if (!files.empty()) {
    summary["added-data-files"] = std::to_string(count);
    summary["added-records"] = std::to_string(records);
    summary["added-files-size"] = std::to_string(bytes);
  }
  summary["changed-partition-count"] = std::to_string(partitions.size());
  summary["manifests-created"] = std::to_string(manifests.created);
  summary["manifests-kept"] = std::to_string(manifests.kept);
  summary["manifests-replaced"] = std::to_string(manifests.replaced);
  AddTotal(parent, "total-data-files", count, summary);
  AddTotal(parent, "total-records", records, summary);
  AddTotal(parent, "total-files-size", bytes, summary);
  AddTotal(parent, "total-delete-files", 0, summary);
  AddTotal(parent, "total-position-deletes", 0, summary);
  AddTotal(parent, "total-equality-deletes", 0, summary);
  return summary;
}

}  // namespace weir::iceberg
