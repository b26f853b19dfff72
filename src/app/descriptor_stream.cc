#include "app/descriptor_stream.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <unistd.h>

namespace weir::app {

DescriptorBuffer::DescriptorBuffer(int descriptor) : descriptor_(descriptor) {
  setp(bytes_.data(), bytes_.data() + bytes_.size());
}

bool DescriptorBuffer::WriteOut() {
  const char* at = pbase();
  while (error_ == 0 && at < pptr()) {
    const ssize_t written = write(descriptor_, at, static_cast<std::size_t>(pptr() - at));
    if (written >= 0) {
      at += written;
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  setp(bytes_.data(), bytes_.data() + bytes_.size());
  return error_ == 0;
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type c) {
  if (!WriteOut()) return traits_type::eof();
  if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
  return traits_type::not_eof(c);
}

int DescriptorBuffer::sync() { return WriteOut() ? 0 : -1; }

DescriptorStream::DescriptorStream(int descriptor) : std::ostream(nullptr), buffer_(descriptor) {
  rdbuf(&buffer_);
}

bool DescriptorStream::reader_left() const { return buffer_.error() == EPIPE; }

Status DescriptorStream::Finish() {
  flush();
  const int error = buffer_.error();
  if (error == 0 || error == EPIPE) return Ok();
  return Unavailable(std::string("standard output: ") + std::strerror(error),
                     error == ENOSPC ? ErrorCode::kStorageFull : ErrorCode::kStorageFailed);
}

}  // namespace weir::app
