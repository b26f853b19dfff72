#pragma once
// IcebergTable: one Iceberg table as the engine sees it.
//
// Load reads what is current; Commit makes one try to put an append on top of exactly that, files
// first, then one swap. Foreign commits in between are a conflict, and their changes are respected:
// the next version is always an edit of the one that was loaded. Not thread safe; several tables
// may share one Pointers.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "connect/table.h"
#include "iceberg/append.h"
#include "iceberg/attempt.h"
#include "iceberg/cleanup.h"
#include "iceberg/files.h"
#include "iceberg/metadata.h"
#include "iceberg/pointers.h"

namespace weir::iceberg {

/// A try whose files are written and whose swap is not yet asked for.
struct PreparedCommit {
  MetadataPtr base;
  BuiltAppend built;
  std::vector<std::string> written;  // by this try alone
};

class IcebergTable final : public connect::Table {
 public:
  /// `group`: what commits tables of these pointers in one step.
  IcebergTable(connect::TableName name, std::string pipeline, std::shared_ptr<Pointers> pointers,
               std::shared_ptr<connect::TableGroup> group, Warehouse warehouse, Clock& clock);

  const connect::TableName& name() const override { return name_; }
  Result<std::shared_ptr<const connect::TableVersion>> Load() override;
  Status CheckEvolve(const connect::TableVersion& base,
                     const connect::SchemaChange& change) override;
  Result<connect::CommitOutcome> Evolve(const connect::TableVersion& base,
                                        const connect::SchemaChange& change) override;
  Result<connect::CommitOutcome> Commit(const connect::TableVersion& base,
                                        const connect::TableCommit& commit) override;
  connect::TableGroup* group() override;
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

  /// A commit in its three steps, of which the group does the second one for many: the files, the
  /// swap, and what follows from its outcome. After an error of Prepare nothing is left.
  Result<PreparedCommit> Prepare(const connect::TableVersion& base,
                                 const connect::TableCommit& commit);
  PointerSwap SwapOf(const PreparedCommit& prepared) const;
  Result<connect::CommitOutcome> Finish(PreparedCommit& prepared,
                                        const Result<SwapOutcome>& outcome);
  /// Instead of a swap.
  void Abandon(const PreparedCommit& prepared) { Discard(prepared.written); }

 private:
  Result<MetadataPtr> ReadCurrent();
  Result<std::shared_ptr<const connect::TableVersion>> VersionOf(MetadataPtr metadata);
  Result<const std::vector<ManifestFile>*> ManifestsOf(const TableMetadata& metadata);
  Result<std::vector<connect::DataFile>> FilesOf(const TableMetadata& metadata,
                                                 const std::vector<ManifestFile>& manifests);
  Result<PreparedCommit> Build(const connect::TableVersion& base,
                               const connect::TableCommit& commit);
  Result<connect::CommitOutcome> Land(PreparedCommit prepared);
  Status Write(PreparedCommit& prepared);
  Status WriteFiles(PreparedCommit& prepared);
  /// `list`: the manifest list that the built version has.
  void Show(BuiltAppend& built, const std::string& list);
  Attempt AttemptOn(const TableMetadata& metadata) const;
  void Discard(const std::vector<std::string>& written);
  std::string MetadataFolder(const TableMetadata& metadata) const;

  connect::TableName name_;
  std::string pipeline_;
  std::shared_ptr<Pointers> pointers_;
  std::shared_ptr<connect::TableGroup> group_;
  Files files_;
  Clock& clock_;
  Cleanup cleanup_;
  // Metadata files never change under their name, so what was read or written is kept.
  std::shared_ptr<const connect::TableVersion> version_;
  std::string listed_;  // the manifest list that manifests_ was read from
  std::vector<ManifestFile> manifests_;
  std::set<std::string> unmergeable_;
};

}  // namespace weir::iceberg
