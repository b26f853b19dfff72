#include "io/folder_stream.h"

namespace weir::io {
namespace {
// Small, since a stream is open for each of possibly hundreds of partitions.
constexpr std::size_t kBufferBytes = 64 << 10;
}  // namespace

Status FolderStream::Append(std::string_view bytes) {
  size_ += static_cast<std::int64_t>(bytes.size());
  if (buffer_.size() + bytes.size() > kBufferBytes) WEIR_TRY(WriteBuffer());
  if (bytes.size() > kBufferBytes) return file_.Write(bytes);
  buffer_ += bytes;
  return Ok();
}

Status FolderStream::Finish() {
  WEIR_TRY(WriteBuffer());
  return publish_(file_);
}

Status FolderStream::WriteBuffer() {
  WEIR_TRY(file_.Write(buffer_));
  buffer_.clear();
  return Ok();
}

}  // namespace weir::io
