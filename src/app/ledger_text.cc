#include "app/ledger_text.h"

#include "app/listing.h"
#include "base/digits.h"

namespace weir::app {

std::string LedgerText(const state::LedgerCounts& counts) {
  std::string text = GroupDigits(counts.read) + " read = " + GroupDigits(counts.good) + " good";
  if (counts.duplicate != 0) text += " + " + CountOf(counts.duplicate, "duplicate");
  if (counts.late != 0) text += " + " + GroupDigits(counts.late) + " late";
  return text + " + " + GroupDigits(counts.quarantined) + " quarantined + " +
         CountOf(counts.tombstone, "tombstone");
}

}  // namespace weir::app
