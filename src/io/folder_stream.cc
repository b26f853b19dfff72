#include "io/folder_stream.h"

#include <system_error>

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

void FolderStream::BeginFinish() {
  if (conclusion_.valid()) return;
  const auto conclude = [this] { return Conclude(); };
  try {
    conclusion_ = std::async(std::launch::async, conclude);
  } catch (const std::system_error&) {
    conclusion_ = std::async(std::launch::deferred, conclude);  // no thread to be had
  }
}

Status FolderStream::Finish() {
  if (conclusion_.valid()) return conclusion_.get();
  return Conclude();
}

Status FolderStream::Conclude() {
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
