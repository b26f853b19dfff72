#include "base/check.h"

#include <stdexcept>
#include <string>

namespace weir::internal {
namespace {

// An exception that nobody can catch, so that the terminate handler learns what happened: the
// program prints its one line (app/program.cc), tests and fuzzers abort with the same text.
[[noreturn]] void Throw(const char* condition, const char* file, int line) {
  throw std::logic_error("an invariant is broken: " + std::string(condition) + " at " + file + ":" +
                         std::to_string(line));
}

}  // namespace

void CheckFailed(const char* condition, const char* file, int line) noexcept {
  Throw(condition, file, line);
}

}  // namespace weir::internal
