#pragma once
// DeltaTable: one Delta table as the engine sees it.
//
// Load follows the log; Commit makes one try to put the next version after exactly the one that was
// loaded, by a put that fails when somebody else's is there. Whoever lost looks again: the next try
// is judged against all that was committed meanwhile. Not thread safe.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "connect/table.h"
#include "delta/log_reader.h"
#include "delta/maintenance.h"
#include "delta/progress.h"
#include "delta/table_state.h"
#include "io/store.h"

namespace weir::delta {

/// Where a table is.
struct TablePlace {
  std::shared_ptr<io::Store> store;
  std::string folder;    // key in the store: "retail/events"
  std::string location;  // of the store: "file:///lake"
};

class DeltaTable final : public connect::Table {
 public:
  DeltaTable(connect::TableName name, std::string pipeline, TablePlace place, Clock& clock);

  const connect::TableName& name() const override { return name_; }
  Result<std::shared_ptr<const connect::TableVersion>> Load() override;
  Result<connect::CommitOutcome> Commit(const connect::TableVersion& base,
                                        const connect::TableCommit& commit) override;
  Status CheckEvolve(const connect::TableVersion& base,
                     const connect::SchemaChange& change) override;
  Result<connect::CommitOutcome> Evolve(const connect::TableVersion& base,
                                        const connect::SchemaChange& change) override;
  Status CleanUp() override;
  std::string DataFolder(const connect::TableVersion& version,
                         const connect::PartitionTuple& partition) const override;
  Result<std::vector<connect::DataFile>> LiveFiles(const connect::TableVersion& version) override;
  Result<std::vector<connect::DataFile>> LiveFilesAt(const connect::TableVersion& version,
                                                     std::int64_t snapshot_id) override;
  std::vector<connect::SnapshotInfo> Snapshots(const connect::TableVersion& version) override;
  Result<connect::CommitOutcome> AcceptRollback(const connect::TableVersion& base) override;

 private:
  Status Follow();
  void TellOfRemovals(std::int64_t version, const LogCommit& commit) const;
  Status ReadAnew();
  Status FindOwnHistory();
  Status MakeVersion();
  Status CheckStillFits(const Layout& layout);
  Result<connect::CommitOutcome> Try(const connect::TableVersion& base,
                                     const connect::TableCommit& commit);
  Result<bool> StandsAt(const connect::TableVersion& base);
  Result<connect::CommitOutcome> Land(std::int64_t version, Result<LogCommit> built);
  Result<connect::CommitOutcome> Put(std::int64_t version, const std::string& text);
  Result<connect::CommitOutcome> Confirm(std::int64_t version);
  Result<std::vector<connect::DataFile>> FilesOf(const TableState& state);

  connect::TableName name_;
  TablePlace place_;
  Clock& clock_;
  LogReader reader_;
  Maintenance maintenance_;
  ProgressTracker tracker_;
  std::optional<TableState> state_;
  Micros looked_at_ = 0;  // monotonic: when the log was last listed or followed
  std::shared_ptr<const connect::TableVersion> version_;  // of state_
  std::shared_ptr<const Layout> bound_;  // what data files may have been written for
};

}  // namespace weir::delta
