#pragma once
// Progress of a pipeline in a Delta table: one `txn` a source partition, whose application id is
// "<pipeline>/<topic>/<partition>" and whose version is the position (docs/PROTOCOL.md).
//
// RESTORE brings older files back and leaves the txns as they are. So the commits since the last
// own one are looked at, and a RESTORE to a version before it is a rollback.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "connect/table.h"
#include "delta/action.h"

namespace weir::delta {

/// since * 2^32 + epoch. kInternal where one of them does not fit.
Result<std::int64_t> TransactionVersionOf(Position position);
Position PositionOf(std::int64_t transaction_version);

/// Tag of a commit's information that holds a partition's next offset.
std::string OffsetTag(const std::string& partition);

class ProgressTracker {
 public:
  explicit ProgressTracker(std::string pipeline) : pipeline_(std::move(pipeline)) {}

  const std::string& pipeline() const { return pipeline_; }
  std::string AppId(const std::string& partition) const { return pipeline_ + "/" + partition; }
  bool IsOwn(const LogCommit& commit) const;
  bool HasOwn(const std::map<std::string, Transaction>& transactions) const;

  /// The next version in order. The first one observed must be the last own one, or the oldest that
  /// is left (then StartBehind is called before).
  void Observe(std::int64_t version, const LogCommit& commit);
  /// The last own version is at most this one, and its commit is gone.
  void StartBehind(std::int64_t version);
  void Reset() { *this = ProgressTracker(pipeline_); }

  std::optional<connect::Progress> ProgressOf(
      const std::map<std::string, Transaction>& transactions) const;
  connect::Lineage lineage() const;

 private:
  std::string pipeline_;
  std::optional<std::int64_t> own_version_;
  bool is_exact_ = false;  // own_version_ is that of a commit that was seen
  bool rolled_back_ = false;
  std::map<std::string, Offset> offsets_;
};

}  // namespace weir::delta
