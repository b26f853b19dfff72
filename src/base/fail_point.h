#pragma once
// Failure points: named places where a test makes the process die.
//
// Reach(FailPoint::kRecordBefore) does nothing unless the environment variable WEIR_FAIL_POINT is
// "record.before" or "record.before:n": then the n-th time this place is reached the process kills
// itself with SIGKILL, as a power cut of the process would. WEIR_FAIL_POINT_LOG=path makes each hit
// append its name to a file, so that a test can tell how often each was reached. The names stand in
// base/fail_point.inc; a name that is not there does not compile.

#include <functional>
#include <span>
#include <string_view>

namespace weir {

enum class FailPoint {
#define WEIR_FAIL_POINT_NAME(id, name) id,
#include "base/fail_point.inc"
#undef WEIR_FAIL_POINT_NAME
};

/// All names, in the order of the enum.
std::span<const std::string_view> FailPointNames();

namespace internal {
extern bool fail_points_armed;
void ReachFailPoint(FailPoint point);
}  // namespace internal

/// Marks a place. One predictable branch when nothing is armed.
inline void Reach(FailPoint point) {
  if (internal::fail_points_armed) [[unlikely]]
    internal::ReachFailPoint(point);
}

/// Reads the environment; called first thing in main.
void ArmFailPoints();

/// Calls `observer` at every point instead of what the environment says: the simulation counts
/// steps and crashes processes through it. Set before threads exist; nullptr takes it away.
void ObserveFailPoints(std::function<void(FailPoint)> observer);

}  // namespace weir
