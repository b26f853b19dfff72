#pragma once
// LiveLine: one line at the bottom of a terminal that is rewritten in place; log lines appear above
// it. Off a terminal, with --quiet and with JSON logs it shows nothing. Safe from any thread; one
// object at a time.

#include <mutex>
#include <string>
#include <string_view>

#include "app/session.h"

namespace weir::app {

class LiveLine {
 public:
  explicit LiveLine(Session& session);
  /// The line is gone afterwards.
  ~LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  /// Whether Show is seen by anybody.
  bool active() const { return active_; }
  void Show(std::string_view text);

 private:
  void WriteAbove(std::string_view line);

  Session& session_;
  const bool active_;
  std::mutex mutex_;
  std::string text_;  // guarded by mutex_
};

}  // namespace weir::app
