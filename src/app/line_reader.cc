#include "app/line_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include <poll.h>
#include <unistd.h>

namespace weir::app {
namespace {

constexpr std::size_t kFirstBytes = 1U << 20;
constexpr int kPauseMs = 50;

}  // namespace

LineReader::LineReader(int descriptor, std::string_view name, std::stop_token stop)
    : descriptor_(descriptor), name_(name), stop_(std::move(stop)), bytes_(kFirstBytes) {}

Result<ReadOutcome> LineReader::Next(std::string_view& line) {
  while (true) {
    if (stop_.stop_requested()) return ReadOutcome::kStopped;
    const char* first = bytes_.data() + searched_;
    const void* feed = std::memchr(first, '\n', end_ - searched_);
    if (feed != nullptr) {
      const auto at = static_cast<std::size_t>(static_cast<const char*>(feed) - bytes_.data());
      line = {bytes_.data() + begin_, at - begin_};
      begin_ = searched_ = at + 1;
      return ReadOutcome::kLine;
    }
    searched_ = end_;
    if (ended_) {
      if (begin_ == end_) return ReadOutcome::kEnd;
      line = {bytes_.data() + begin_, end_ - begin_};
      begin_ = end_;
      return ReadOutcome::kLine;
    }
    WEIR_ASSIGN_OR_RETURN(const ReadOutcome outcome, Fill());
    if (outcome == ReadOutcome::kPause) return outcome;
  }
}

// Reads what there is; kPause when nothing came for a moment.
Result<ReadOutcome> LineReader::Fill() {
  pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
  if (poll(&waiting, 1, kPauseMs) == 0) return ReadOutcome::kPause;
  if (begin_ > 0) {
    std::copy(bytes_.data() + begin_, bytes_.data() + end_, bytes_.data());
    end_ -= begin_;
    searched_ -= begin_;
    begin_ = 0;
  }
  if (end_ == bytes_.size()) {
    if (end_ >= kMostBytes) {
      return InvalidInput(std::string(name_) + ": a line is longer than 256 MiB",
                          ErrorCode::kBadEnvelope);
    }
    bytes_.resize(2 * bytes_.size());
  }
  const ssize_t got = read(descriptor_, bytes_.data() + end_, bytes_.size() - end_);
  if (got < 0 && errno != EINTR && errno != EAGAIN) {
    return Unavailable(std::string(name_) + ": " + std::strerror(errno), ErrorCode::kStorageFailed);
  }
  if (got == 0) ended_ = true;
  if (got > 0) end_ += static_cast<std::size_t>(got);
  return ReadOutcome::kLine;
}

}  // namespace weir::app
