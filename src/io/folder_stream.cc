#include "io/folder_stream.h"

namespace weir::io {
namespace {
// Small, since a stream is open for each of possibly hundreds of partitions.
constexpr std::size_t kBufferBytes = 64 << 10;
}  // namespace

Status FolderStream::Append(std::string_view bytes) {
  size_ += static_cast<std::int64_t>(bytes.size());
  if (buffer_.size() + bytes.size() > kBufferBytes) {
    WEIR_TRY(Write(buffer_));
    buffer_.clear();
  }
  if (bytes.size() > kBufferBytes) return Write(bytes);
  buffer_ += bytes;
  return Ok();
}

Status FolderStream::Finish() {
  WEIR_TRY(Write(buffer_));
  broken_ = true;  // whatever comes of it, it is over
  return publish_(file_);
}

Status FolderStream::Write(std::string_view bytes) {
  if (broken_) {
    return Unavailable(file_.path() + ": an earlier write failed", ErrorCode::kStorageFailed);
  }
  Status written = file_.Write(bytes);
  broken_ = !written.ok();
  return written;
}

}  // namespace weir::io
