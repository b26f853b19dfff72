#pragma once
// Seeded bugs: known mistakes, compiled in only for the simulation's own test, which must find all.
//
// `if (HasBug(SeededBug::kSkipReload))` is constant false unless WEIR_SEEDED_BUGS is defined; then
// one of them is chosen by number. A test that cannot find a planted bug checks nothing.

#include <string_view>

namespace weir {

enum class SeededBug {
  kNone,
  kTrustUnknownCommit,  // an unknown commit outcome is taken for success
  kSkipReload,          // an unknown commit is tried again without looking at progress
  kDeleteOnUnknown,     // files are deleted when a commit's outcome is unknown
  kClaimWithoutApply,   // partitions are claimed before the old log is applied
  kNoSeal,              // partitions are taken without sealing the old log
  kScalarProgress,      // progress is compared by epoch number alone
  kSweepAlive,          // the journal of a log that is alive is swept like a dead one's
  kCollectNewest,       // the newest record of a log is collected too
  kTablesBeforeRecord,  // an epoch reaches the tables before it is decided
  kIgnoreTheirs,        // a slot that somebody else filled is taken for ours
  kSkipRollbackCheck,   // a table that was rolled back is written on
  kCount,
};

#ifdef WEIR_SEEDED_BUGS
extern SeededBug active_seeded_bug;
inline bool HasBug(SeededBug bug) { return active_seeded_bug == bug; }
#else
constexpr bool HasBug(SeededBug) { return false; }
#endif

}  // namespace weir
