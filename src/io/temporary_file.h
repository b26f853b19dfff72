#pragma once
// TemporaryFile: a file being written that has no proper name yet. Removed when destroyed; locked
// while it lives, so that what a killed process left behind can be told from a living writer's.

#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/result.h"
#include "io/file.h"

namespace weir::io {

class TemporaryFile {
 public:
  /// Under a random name in a folder, which must exist.
  static Result<TemporaryFile> Make(const std::string& folder, mode_t mode);
  ~TemporaryFile();
  TemporaryFile(TemporaryFile&&) noexcept = default;
  TemporaryFile& operator=(TemporaryFile&&) noexcept = default;

  const std::string& path() const { return file_.path(); }
  Status Write(std::string_view bytes) { return file_.Write(bytes); }
  void BeginSync() const { file_.BeginSync(); }
  Status Sync() { return file_.Sync(); }

 private:
  explicit TemporaryFile(File file) : file_(std::move(file)) {}

  File file_;
};

/// Removes temporary files older than a minute that nobody has locked. Best effort.
void RemoveStaleTemporaries(const std::string& folder);

}  // namespace weir::io
