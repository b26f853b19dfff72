#pragma once
// TwinTable: one table in two formats (twin_catalog.h). Not thread safe.

#include <memory>
#include <string>
#include <vector>

#include "connect/table.h"

namespace weir::engine {

class TwinTable final : public connect::Table {
 public:
  TwinTable(std::unique_ptr<connect::Table> leading, std::unique_ptr<connect::Table> following)
      : leading_(std::move(leading)), following_(std::move(following)) {}

  const connect::TableName& name() const override { return leading_->name(); }
  /// Also kInvalidInput WEIR0402 where the two sides are not the same table.
  Result<std::shared_ptr<const connect::TableVersion>> Load() override;
  Result<connect::CommitOutcome> Commit(const connect::TableVersion& base,
                                        const connect::TableCommit& commit) override;
  Status CheckEvolve(const connect::TableVersion& base,
                     const connect::SchemaChange& change) override;
  Result<connect::CommitOutcome> Evolve(const connect::TableVersion& base,
                                        const connect::SchemaChange& change) override;
  /// The leading side's; the following side is left to Commit.
  connect::TableGroup* group() override { return leading_->group(); }
  std::optional<connect::GroupedCommit> Grouped(const connect::TableVersion& base,
                                                const connect::TableCommit& commit) override;
  Status CleanUp() override;
  std::string DataFolder(const connect::TableVersion& version,
                         const connect::PartitionTuple& partition) const override;
  Result<std::vector<connect::DataFile>> LiveFiles(const connect::TableVersion& version) override;
  Result<std::vector<connect::DataFile>> LiveFilesAt(const connect::TableVersion& version,
                                                     std::int64_t snapshot_id) override;
  std::vector<connect::SnapshotInfo> Snapshots(const connect::TableVersion& version) override;
  Result<connect::CommitOutcome> AcceptRollback(const connect::TableVersion& base) override;
  /// What differs between the sides; empty: nothing.
  Result<std::vector<std::string>> Disagreements(const connect::TableVersion& version);

 private:
  std::unique_ptr<connect::Table> leading_;
  std::unique_ptr<connect::Table> following_;
  std::shared_ptr<const connect::TableVersion> version_;
};

}  // namespace weir::engine
