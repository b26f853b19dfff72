#include "base/check.h"

#include <cstdlib>
#include <string>

#include "base/log.h"

namespace weir::internal {

void CheckFailed(const char* condition, const char* file, int line) {
  log::Error("an invariant is broken",
             {{"check", condition}, {"at", std::string(file) + ":" + std::to_string(line)}});
  std::abort();
}

}  // namespace weir::internal
