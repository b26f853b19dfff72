#pragma once
// FolderStream: the output stream of a folder store. Buffers small appends; Finish syncs the file
// and gives it its name. Used by one thread.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "io/store.h"
#include "io/temporary_file.h"

namespace weir::io {

class FolderStream final : public OutputStream {
 public:
  /// Syncs a complete file and gives it its name.
  using Publisher = std::function<Status(TemporaryFile&)>;

  FolderStream(TemporaryFile file, Publisher publish)
      : file_(std::move(file)), publish_(std::move(publish)) {}

  Status Append(std::string_view bytes) override;
  std::int64_t size() const override { return size_; }
  Status Finish() override;

 private:
  Status Write(std::string_view bytes);

  TemporaryFile file_;
  Publisher publish_;
  std::string buffer_;
  std::int64_t size_ = 0;
  bool broken_ = false;
};

}  // namespace weir::io
