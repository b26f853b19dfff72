#pragma once
// StateKeeper: where the operators' state is, as bases and deltas, and when the next base is due.
//
// Each scope (a partition, or what combines partitions) has a chain of state objects of its own.
// One object an epoch holds the sections of all scopes. A scope gets a new base when its deltas
// weigh as much as half of its base, so that what is written stays in proportion to what changes.
// One thread.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "state/claim.h"
#include "state/state_log.h"

namespace weir::engine {

class StateKeeper {
 public:
  using Scope = std::optional<Partition>;  // nullopt: what combines partitions
  using Parts = std::map<std::string, std::string>;

  StateKeeper(state::StateLog& log, std::string writer) : log_(log), writer_(std::move(writer)) {}

  /// Calls `read` for every section that the claim's chains name, each scope's in its order.
  /// Errors: storage, kCorrupt WEIR0504 also for an object that is not there.
  using ReadParts = std::function<Status(const Scope&, const Parts&)>;
  Status Restore(const state::Claim& claim, const ReadParts& read);

  /// Puts the state object of an epoch: `write(scope, base)` gives a scope's parts. Durable when it
  /// returns. Call it once an epoch, also when nothing changed, so that chains have no holes.
  using WriteParts = std::function<Parts(const Scope&, bool base)>;
  Status Save(std::int64_t epoch, const std::set<Scope>& scopes, const WriteParts& write);

  /// As of the last Save or Restore.
  const state::StateChain& chain(const Scope& scope) const;

  /// Removes own objects that no chain names any more, after the record of the last Save is put.
  Status Collect();

 private:
  struct Kept {
    state::StateChain chain;
    std::size_t base_bytes = 0;
    std::size_t delta_bytes = 0;
  };
  bool BaseIsDue(const Kept& kept) const;
  void Extend(Kept& kept, std::int64_t epoch, bool base);

  state::StateLog& log_;
  std::string writer_;
  std::map<Scope, Kept> kept_;
  std::int64_t oldest_own_ = 1;  // own objects before it are gone
  std::int64_t saved_ = 0;
};

}  // namespace weir::engine
