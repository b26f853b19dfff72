#include "app/state_lock.h"

#include <charconv>
#include <fstream>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "io/location.h"

namespace weir::app {
namespace {

std::string LockPath(const std::string& state_folder) { return state_folder + "/lock"; }

}  // namespace

Result<std::unique_ptr<io::FileLock>> LockState(const std::string& state_folder, Clock& clock) {
  // Whoever asks for the holder has the lock for an instant, so one refusal is not the answer yet.
  constexpr int kTries = 4;
  if (io::IsS3Location(state_folder)) return std::unique_ptr<io::FileLock>();
  constexpr Micros kPause = 50 * kMicrosPerMilli;
  for (int i = 1;; ++i) {
    auto lock = io::LockFile(LockPath(state_folder));
    if (lock || lock.error().code != ErrorCode::kStateLocked || i == kTries) return lock;
    clock.Sleep(kPause);
  }
}

std::optional<std::int64_t> StateLockHolder(const std::string& state_folder) {
  if (io::IsS3Location(state_folder)) return std::nullopt;
  const int file = open(LockPath(state_folder).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  const bool is_free = flock(file, LOCK_SH | LOCK_NB) == 0;
  close(file);  // frees it again
  if (is_free) return std::nullopt;
  std::ifstream in(LockPath(state_folder));
  std::string text;
  in >> text;
  std::int64_t pid = 0;
  std::from_chars(text.data(), text.data() + text.size(), pid);
  return pid;
}

}  // namespace weir::app
