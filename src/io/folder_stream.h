#pragma once
// FolderStream: the output stream of a folder store. Buffers small appends; Finish syncs the file
// and gives it its name. BeginFinish does so on another thread, since a disk takes hardly longer
// over several syncs at once than over one. Used by one thread.

#include <cstdint>
#include <functional>
#include <future>
#include <string>
#include <string_view>

#include "io/store.h"
#include "io/temporary_file.h"

namespace weir::io {

class FolderStream final : public OutputStream {
 public:
  /// Syncs a complete file and gives it its name. Called from any thread.
  using Publisher = std::function<Status(TemporaryFile&)>;

  FolderStream(TemporaryFile file, Publisher publish)
      : file_(std::move(file)), publish_(std::move(publish)) {}

  Status Append(std::string_view bytes) override;
  std::int64_t size() const override { return size_; }
  void BeginFinish() override;
  Status Finish() override;

 private:
  Status Write(std::string_view bytes);
  Status Conclude();

  TemporaryFile file_;
  Publisher publish_;
  std::string buffer_;
  std::int64_t size_ = 0;
  bool broken_ = false;
  std::future<Status> conclusion_;  // last: waits, when destroyed, for who uses the others
};

}  // namespace weir::io
