#pragma once
// SimLake: tables in memory with compare-and-swap commits, seen through a catalog that loses
// replies, delays and conflicts, beside tools that append, expire and roll back. The engine's Table
// port.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "connect/schema_change.h"
#include "connect/table.h"
#include "sim/world.h"

namespace weir::sim {

/// One committed version.
struct SimVersion {
  std::int64_t number = 0;
  std::vector<connect::SnapshotInfo> snapshots;  // oldest first; the last one is the head
  std::vector<connect::DataFile> files;
  std::size_t files_of_head = 0;  // how many of them came with the head
  std::optional<connect::Progress> progress;
  std::int64_t next_snapshot = 1;
};

struct SimTableState {
  connect::TableDefinition definition;
  std::string uuid;
  SimVersion version;
  std::int64_t last_sequence = 0;              // never falls, also when the table is rolled back
  std::optional<SimVersion> rolled_back_from;  // what an operator rolled away
};

struct LakeChaos {
  double away = 0.01;
  double reply_lost_done = 0.03;
  double reply_lost_not_done = 0.03;
  double lands_later = 0.02;
  double half_committed = 0.02;
  double foreign_append = 0.02;
  double foreign_expiry = 0.02;
  double rollback = 0;
};

/// How the catalog takes a commit to several tables.
enum class Together {
  kNever,       // one table after the other
  kAtomically,  // as a database does
  kInTurn,      // as one step, of which half may be done: some servers
};

/// What all processes of a history share.
class SimLake {
 public:
  explicit SimLake(World& world) : world_(world) {}

  /// A catalog as one process sees it.
  std::unique_ptr<connect::Catalog> CatalogFor(int process);
  /// Moves the world on: late commits land, other tools act.
  void Nature();
  /// Everything late lands now, and nothing goes wrong any more.
  void Calm();
  /// An operator sets rolled-back tables forward again, if nothing was committed since.
  void RollForward();

  std::map<std::string, SimTableState>& tables() { return tables_; }
  LakeChaos& chaos() { return chaos_; }
  Together together = Together::kNever;

 private:
  friend class SimTable;
  friend class SimGroup;
  friend class SimCatalog;
  bool Fires(double chance, Fault fault);
  bool Swap(SimTableState& table, std::int64_t base, const connect::TableCommit& commit);
  static bool Change(SimTableState& table, std::int64_t base, const connect::SchemaChange& change);
  static void Append(SimTableState& table, const std::vector<connect::DataFile>& files,
                     std::int64_t snapshot_id, std::map<std::string, std::string> summary,
                     Micros now);

  World& world_;
  LakeChaos chaos_;
  std::map<std::string, SimTableState> tables_;
  std::vector<std::function<void()>> late_;
};

}  // namespace weir::sim
