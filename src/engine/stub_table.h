#pragma once
// StubTable: what tables of the applier's tests share: versions in memory, files by their paths.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "connect/table.h"

namespace weir::engine {

/// A table that is loaded from memory; how it commits is up to the test.
class StubTable : public connect::Table {
 public:
  explicit StubTable(std::string name) : name_({{"shop"}, std::move(name)}) {
    version_->uuid = "u";
  }

  const connect::TableName& name() const override { return name_; }
  Result<std::shared_ptr<const connect::TableVersion>> Load() override {
    return std::shared_ptr<const connect::TableVersion>(version_);
  }
  Status CleanUp() override { return Ok(); }
  std::string DataFolder(const connect::TableVersion&,
                         const connect::PartitionTuple&) const override {
    return "data";
  }
  Result<std::vector<connect::DataFile>> LiveFiles(const connect::TableVersion&) override {
    return std::vector<connect::DataFile>();
  }
  std::vector<connect::SnapshotInfo> Snapshots(const connect::TableVersion&) override { return {}; }
  Result<connect::CommitOutcome> AcceptRollback(const connect::TableVersion&) override {
    return connect::CommitOutcome::kCommitted;
  }

  /// The commit is in.
  void Land(const connect::TableCommit& commit) {
    MoveOn();
    if (!version_->progress) version_->progress.emplace();
    for (const auto& [partition, progress] : commit.progress)
      version_->progress->partitions[partition] = progress;
    for (const auto& file : commit.files) live.push_back(file.path);
  }
  /// As a commit of somebody else does.
  void MoveOn() { version_ = std::make_shared<connect::TableVersion>(*version_); }
  bool IsCurrent(const connect::TableVersion* base) const { return base == version_.get(); }

  std::vector<std::string> live;  // paths, as often as they were added

 private:
  connect::TableName name_;
  std::shared_ptr<connect::TableVersion> version_ = std::make_shared<connect::TableVersion>();
};

}  // namespace weir::engine
