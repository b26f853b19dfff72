#include "base/fail_point.h"

#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/log.h"

namespace weir {
namespace {

constexpr auto kNames = std::to_array<std::string_view>({
#define WEIR_FAIL_POINT_NAME(id, name) name,
#include "base/fail_point.inc"
#undef WEIR_FAIL_POINT_NAME
});

std::optional<FailPoint> armed_point;
std::atomic<std::int64_t> passes_left{0};
std::function<void(FailPoint)> observer_of_all;
int log_file = -1;

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

// A test that names a point wrongly would wait for a kill that never comes: end loudly instead.
[[noreturn]] void Reject(std::string_view what, std::string_view value) {
  log::Error(what, {{"value", value}});
  std::_Exit(64);
}

void Arm(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  std::int64_t nth = 1;
  if (name.size() < text.size()) {
    const std::string_view digits = text.substr(name.size() + 1);
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), nth);
    if (error != std::errc() || end != digits.end() || nth < 1) {
      Reject("WEIR_FAIL_POINT needs a count of 1 or more after the colon", text);
    }
  }
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) armed_point = static_cast<FailPoint>(i);
  }
  if (!armed_point) Reject("WEIR_FAIL_POINT names no failure point", text);
  passes_left.store(nth);
}

void OpenLog(const std::string& path) {
  log_file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log_file < 0) Reject("WEIR_FAIL_POINT_LOG cannot be opened", path);
}

}  // namespace

std::span<const std::string_view> FailPointNames() { return kNames; }

void ArmFailPoints() {
  const std::string_view point = Environment("WEIR_FAIL_POINT");
  const std::string_view path = Environment("WEIR_FAIL_POINT_LOG");
  if (!point.empty()) Arm(point);
  if (!path.empty()) OpenLog(std::string(path));
  internal::fail_points_armed = armed_point.has_value() || log_file >= 0;
}

void ObserveFailPoints(std::function<void(FailPoint)> observer) {
  observer_of_all = std::move(observer);
  internal::fail_points_armed = observer_of_all != nullptr;
}

namespace internal {

bool fail_points_armed = false;

void ReachFailPoint(FailPoint point) {
  if (observer_of_all) {
    observer_of_all(point);
    return;
  }
  if (log_file >= 0) {
    // One write in append mode, so that lines of several threads and processes stay whole.
    const std::string line = std::string(kNames[static_cast<std::size_t>(point)]) + "\n";
    if (write(log_file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
      Reject("WEIR_FAIL_POINT_LOG cannot be written", line);
    }
  }
  if (point == armed_point && passes_left.fetch_sub(1) == 1) {
    kill(getpid(), SIGKILL);
    while (true) pause();
  }
}

}  // namespace internal
}  // namespace weir
