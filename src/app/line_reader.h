#pragma once
// LineReader: lines of a file descriptor, without copying, that notices a stop request and a pause
// of whoever writes. A line ends at a line feed, which is not part of it; the last one may lack it.
// One thread.

#include <cstddef>
#include <stop_token>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::app {

enum class ReadOutcome {
  kLine,
  kPause,  // nothing came for a moment: a good time to flush
  kEnd,
  kStopped,
};

class LineReader {
 public:
  /// name: for messages. The descriptor stays the caller's.
  LineReader(int descriptor, std::string_view name, std::stop_token stop);

  /// Sets `line`, valid until the next call. kUnavailable WEIR0503 when reading fails,
  /// kInvalidInput WEIR0603 for a line longer than kMostBytes.
  Result<ReadOutcome> Next(std::string_view& line);

  static constexpr std::size_t kMostBytes = 256U << 20;

 private:
  Result<ReadOutcome> Fill();

  int descriptor_;
  std::string_view name_;
  std::stop_token stop_;
  std::vector<char> bytes_;
  std::size_t begin_ = 0;     // of what was not handed out yet
  std::size_t end_ = 0;       // of what was read
  std::size_t searched_ = 0;  // no line feed before it
  bool ended_ = false;
};

}  // namespace weir::app
