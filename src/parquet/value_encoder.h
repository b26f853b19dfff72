#pragma once
// ValueEncoder: the values of one column chunk as Parquet stores them, plain or by a dictionary.
//
// Only encodings that every reader knows: PLAIN and RLE_DICTIONARY. A chunk uses one of them from
// end to end. A column's own dictionary is used when it pays, cut down to the strings in use; whole
// numbers and reals get one when few of them are distinct. Reused chunk after chunk; one thread.

#include <cstdint>
#include <vector>

#include "parquet/leaf.h"
#include "record/buffer.h"
#include "record/type.h"

namespace weir::parquet {

class ValueEncoder {
 public:
  /// Looks at the values of a chunk and chooses. `leaf` must live until the last Append.
  void Prepare(const LeafData& leaf, std::size_t max_dictionary_bytes);

  bool has_dictionary() const { return entries_ > 0; }
  std::size_t dictionary_entries() const { return entries_; }
  /// The dictionary page.
  const Buffer<std::uint8_t>& dictionary() const { return dictionary_; }

  /// Bytes that all values take, about.
  std::size_t estimated_bytes() const { return estimated_bytes_; }

  /// Appends values [first, first + n) in the encoding of a data page.
  void Append(std::size_t first, std::size_t n, Buffer<std::uint8_t>& out) const;

 private:
  void PrepareText(std::size_t max_dictionary_bytes);
  bool UseTextDictionary(std::size_t max_dictionary_bytes);
  template <typename T, typename Stored>
  void PrepareNumbers(std::size_t max_dictionary_bytes);
  template <typename T, typename Stored>
  bool UseNumberDictionary(std::size_t max_dictionary_bytes);
  void AppendPlain(std::size_t first, std::size_t n, Buffer<std::uint8_t>& out) const;
  void AppendText(std::size_t first, std::size_t n, Buffer<std::uint8_t>& out) const;
  template <typename T, typename Stored>
  void AppendNumbers(std::size_t first, std::size_t n, Buffer<std::uint8_t>& out) const;
  void AppendBooleans(std::size_t first, std::size_t n, Buffer<std::uint8_t>& out) const;
  void AppendFixedBytes(std::size_t first, std::size_t n, Buffer<std::uint8_t>& out) const;

  const LeafData* leaf_ = nullptr;
  std::size_t estimated_bytes_ = 0;
  std::size_t entries_ = 0;  // 0: plain
  int code_width_ = 1;
  Buffer<std::uint8_t> dictionary_;
  Buffer<std::uint32_t> codes_;           // one a value
  std::vector<std::uint32_t> new_codes_;  // scratch: code of the column -> code of the chunk + 1
  std::vector<std::uint32_t> slots_;      // scratch: hash table of numbers, entry + 1
  std::vector<std::uint64_t> numbers_;    // scratch: entry -> bits of the number
};

}  // namespace weir::parquet
