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

// What files amount to.
struct Volume {
  std::int64_t files = 0;
  std::int64_t records = 0;
  std::int64_t bytes = 0;

  explicit Volume(const std::vector<connect::DataFile>& of)
      : files(static_cast<std::int64_t>(of.size())) {
    for (const connect::DataFile& file : of) {
      records += file.record_count;
      bytes += file.file_bytes;
    }
  }
};

}  // namespace

std::map<std::string, std::string> SummaryOf(const Snapshot* parent,
                                             const std::vector<connect::DataFile>& added,
                                             const std::vector<connect::DataFile>& removed,
                                             const ManifestCounts& manifests) {
  std::set<std::pair<int, connect::PartitionTuple>> partitions;
  for (const auto* files : {&added, &removed})
    for (const connect::DataFile& file : *files) partitions.emplace(file.spec_id, file.partition);
  const Volume in(added);
  const Volume out(removed);
  std::map<std::string, std::string> summary;
  summary["operation"] = removed.empty() ? "append" : "overwrite";
  if (in.files > 0) {
    summary["added-data-files"] = std::to_string(in.files);
    summary["added-records"] = std::to_string(in.records);
    summary["added-files-size"] = std::to_string(in.bytes);
  }
  if (out.files > 0) {
    summary["deleted-data-files"] = std::to_string(out.files);
    summary["deleted-records"] = std::to_string(out.records);
    summary["removed-files-size"] = std::to_string(out.bytes);
  }
  summary["changed-partition-count"] = std::to_string(partitions.size());
  summary["manifests-created"] = std::to_string(manifests.created);
  summary["manifests-kept"] = std::to_string(manifests.kept);
  summary["manifests-replaced"] = std::to_string(manifests.replaced);
  AddTotal(parent, "total-data-files", in.files - out.files, summary);
  AddTotal(parent, "total-records", in.records - out.records, summary);
  AddTotal(parent, "total-files-size", in.bytes - out.bytes, summary);
  AddTotal(parent, "total-delete-files", 0, summary);
  AddTotal(parent, "total-position-deletes", 0, summary);
  AddTotal(parent, "total-equality-deletes", 0, summary);
  return summary;
}

}  // namespace weir::iceberg
