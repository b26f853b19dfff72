#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/file.h"
#include "io/store.h"

namespace weir::io {
namespace {

class FlockedFile final : public FileLock {
 public:
  explicit FlockedFile(File file) : file_(std::move(file)) {}

 private:
  File file_;  // closing it frees the lock; so does the end of the process
};

Error HeldByAnother(File& file) {
  const auto holder = file.ReadAll();
  std::string pid = holder ? *holder : std::string();
  while (pid.ends_with('\n')) pid.pop_back();
  if (pid.empty()) pid = "unknown";
  return WithRemedy(Refused(file.path() + ": process " + Printable(pid, 20) + " works here",
                            ErrorCode::kStateLocked),
                    "stop that process first");
}

}  // namespace

Result<std::unique_ptr<FileLock>> LockFile(const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(File file, File::Open(path, O_RDWR | O_CREAT, 0600));
  if (flock(file.handle(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return HeldByAnother(file);
    return FileError(errno, path, "lock");
  }
  if (ftruncate(file.handle(), 0) != 0) return FileError(errno, path, "write");
  WEIR_TRY(file.Write(std::to_string(getpid()) + "\n"));
  return std::unique_ptr<FileLock>(std::make_unique<FlockedFile>(std::move(file)));
}

}  // namespace weir::io
