#include "state/standing.h"

namespace weir::state {

LedgerCounts& LedgerCounts::operator+=(const LedgerCounts& other) {
  read += other.read;
  good += other.good;
  duplicate += other.duplicate;
  late += other.late;
  quarantined += other.quarantined;
  tombstone += other.tombstone;
  return *this;
}

}  // namespace weir::state
