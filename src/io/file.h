#pragma once
// File: a POSIX file that closes itself, and the system's errors as ours. Only folder stores and
// locks use it. Errors: kUnavailable WEIR0501 (full), kRefused WEIR0502 (permission), kNotFound,
// kUnavailable WEIR0503 (everything else). Messages name the path.

#include <cstdint>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/result.h"

namespace weir::io {

/// What errno says about a path. `action`: "write 4096 bytes".
Error FileError(int error, std::string_view path, std::string_view action);

class File {
 public:
  static Result<File> Open(const std::string& path, int flags, mode_t mode = 0);
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;

  int handle() const { return handle_; }
  const std::string& path() const { return path_; }
  Status Write(std::string_view bytes);
  /// From the beginning to the end.
  Result<std::string> ReadAll();
  /// Starts to write what Sync will wait for.
  void BeginSync() const;
  Status Sync();

 private:
  File(int handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  int handle_ = -1;
  std::string path_;
};

/// Makes the names in a folder durable.
Status SyncFolder(const std::string& path);

}  // namespace weir::io
