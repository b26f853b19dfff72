#include "io/temporary_file.h"

#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"

namespace weir::io {
namespace {

// Between making a file and locking it lie microseconds; a minute is beyond doubt.
constexpr Micros kStaleAge = 60 * kMicrosPerSecond;

void RemoveIfStale(const std::string& path) {
  auto file = File::Open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat info {};
  if (!file || fstat(file->handle(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  const Micros age = SystemClock().Now() - Micros{info.st_mtim.tv_sec} * kMicrosPerSecond;
  if (age < kStaleAge || flock(file->handle(), LOCK_EX | LOCK_NB) != 0) return;
  unlink(path.c_str());
}

}  // namespace

Result<TemporaryFile> TemporaryFile::Make(const std::string& folder, mode_t mode) {
  const std::string path = fmt::format("{}/{:016x}", folder, EntropyU64());
  WEIR_ASSIGN_OR_RETURN(File file, File::Open(path, O_WRONLY | O_CREAT | O_EXCL, mode));
  flock(file.handle(), LOCK_EX | LOCK_NB);
  return TemporaryFile(std::move(file));
}

TemporaryFile::~TemporaryFile() {
  if (file_.handle() >= 0) unlink(file_.path().c_str());
}

void RemoveStaleTemporaries(const std::string& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    RemoveIfStale(entry->path().string());
  }
}

}  // namespace weir::io
