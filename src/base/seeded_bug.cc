#include "base/seeded_bug.h"

namespace weir {

#ifdef WEIR_SEEDED_BUGS
SeededBug active_seeded_bug = SeededBug::kNone;
#endif

}  // namespace weir
