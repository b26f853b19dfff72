#pragma once
// DescriptorStream: an output stream over a file descriptor that remembers why writing failed,
// which the standard streams forget. One thread at a time.

#include <array>
#include <ostream>
#include <streambuf>

#include "base/result.h"

namespace weir::app {

class DescriptorBuffer final : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor);
  int error() const { return error_; }  // errno of the first failure; 0: none

 protected:
  int_type overflow(int_type c) override;
  int sync() override;

 private:
  bool WriteOut();

  int descriptor_;
  int error_ = 0;
  std::array<char, 1 << 16> bytes_;
};

class DescriptorStream final : public std::ostream {
 public:
  explicit DescriptorStream(int descriptor);
  /// Writes out what is buffered. A closed pipe is fine: its reader has seen enough.
  /// kUnavailable WEIR0501 or WEIR0503 naming the stream.
  Status Finish();
  bool reader_left() const;

 private:
  DescriptorBuffer buffer_;
};

}  // namespace weir::app
