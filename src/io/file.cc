#include "io/file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weir::io {

Error FileError(int error, std::string_view path, std::string_view action) {
  std::string message(path);
  message += ": cannot ";
  message += action;
  message += ": ";
  message += std::strerror(error);
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return Unavailable(std::move(message), ErrorCode::kStorageFull);
    case EACCES:
    case EPERM:
    case EROFS:
      return Refused(std::move(message), ErrorCode::kStorageDenied);
    case ENOENT:
      return NotFound(std::move(message));
    default:
      return Unavailable(std::move(message), ErrorCode::kStorageFailed);
  }
}

Result<File> File::Open(const std::string& path, int flags, mode_t mode) {
  while (true) {
    const int handle = open(path.c_str(), flags | O_CLOEXEC, mode);
    if (handle >= 0) return File(handle, path);
    if (errno != EINTR) return FileError(errno, path, "open");
  }
}

File::~File() {
  if (handle_ >= 0) close(handle_);
}

File::File(File&& other) noexcept
    : handle_(std::exchange(other.handle_, -1)), path_(std::move(other.path_)) {}

File& File::operator=(File&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  return *this;
}

Status File::Write(std::string_view bytes) {
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t written = write(handle_, rest.data(), rest.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return FileError(errno, path_, "write " + std::to_string(bytes.size()) + " bytes");
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return Ok();
}

Result<std::string> File::ReadAll() {
  struct stat info {};
  if (fstat(handle_, &info) != 0) return FileError(errno, path_, "look at");
  if (!S_ISREG(info.st_mode)) return NotFound(path_ + ": not a file");
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        pread(handle_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (count < 0) {
      if (errno == EINTR) continue;
      return FileError(errno, path_, "read");
    }
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

void File::BeginSync() const {
  // An error here is one of Sync's as well.
  static_cast<void>(sync_file_range(handle_, 0, 0, SYNC_FILE_RANGE_WRITE));
}

Status File::Sync() {
  if (fsync(handle_) == 0) return Ok();
  return FileError(errno, path_, "sync");
}

Status SyncFolder(const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(const File folder, File::Open(path, O_RDONLY | O_DIRECTORY));
  if (fsync(folder.handle()) == 0) return Ok();
  // Some network file systems cannot sync a folder, since they write names through.
  if (errno == EINVAL || errno == ENOTSUP) return Ok();
  return FileError(errno, path, "sync the folder");
}

}  // namespace weir::io
