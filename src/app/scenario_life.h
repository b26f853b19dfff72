#pragma once
// ScenarioLife: how long a process of a scenario lives, counted in calls of its stores and its
// source. A dead process reaches nothing any more: every call fails and changes nothing. One
// thread.

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "base/result.h"
#include "io/store.h"

namespace weir::app {

class ScenarioLife {
 public:
  static constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

  explicit ScenarioLife(std::int64_t calls = kForEver) : left_(calls) {}

  /// A call of a port. False: the process is dead.
  [[nodiscard]] bool Step() {
    ++calls_;
    if (left_ == kForEver) return true;
    if (left_ > 0) --left_;
    return left_ > 0;
  }
  /// Time passes now, and who dies after that would live through it again.
  void MakeImmortal() {
    if (left_ > 0) left_ = kForEver;
  }
  bool dead() const { return left_ == 0; }
  std::int64_t calls() const { return calls_; }
  static Error Death() { return Internal("the process of the scenario was killed"); }

 private:
  std::int64_t left_;
  std::int64_t calls_ = 0;
};

/// A shared store as a process sees it, from a folder of it on.
std::unique_ptr<io::Store> StoreOf(ScenarioLife& life, io::Store& shared, std::string folder);

}  // namespace weir::app
