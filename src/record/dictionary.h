#pragma once
// Dictionary: the distinct strings of one column, in order of first sight, each with a code.
//
// Append-only, so a code stays good for the dictionary's life. A column holds codes into one
// Dictionary, so that a row group can hand its dictionary to Parquet as it is, without hashing a
// value twice. One thread at a time: growing moves the bytes, so a reader in another thread needs
// a dictionary that nobody adds to any more (owners start a fresh one per row group).
// Holds less than 2 GiB of bytes (CHECKed).

#include <cstdint>
#include <string_view>

#include "record/buffer.h"

namespace weir {

class Dictionary {
 public:
  Dictionary();

  /// Makes room for so many entries at once.
  void Reserve(std::size_t entries);

  /// The code of a string, new or old.
  std::int32_t Intern(std::string_view text);
  /// The same for up to 64 strings at once, which hides the memory's latency. Bit i of `valid` says
  /// whether there is a text i; where not, the code is 0.
  void InternBlock(const std::string_view* texts, std::uint64_t valid, std::size_t n,
                   std::int32_t* codes);

  std::string_view At(std::int32_t code) const {
    auto i = static_cast<std::size_t>(code);
    return {bytes_.data() + offsets_[i], static_cast<std::size_t>(offsets_[i + 1] - offsets_[i])};
  }
  std::int32_t size() const { return static_cast<std::int32_t>(offsets_.size()) - 1; }
  std::size_t memory_bytes() const;

  /// Arrow's layout of the strings: size()+1 offsets and their bytes.
  const Buffer<std::int32_t>& offsets() const { return offsets_; }
  const Buffer<char>& bytes() const { return bytes_; }

 private:
  // A quarter of a cache line: what a probe needs before it looks at bytes.
  struct Slot {
    std::uint32_t hash = 0;
    std::int32_t code = -1;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
  };
  bool Holds(const Slot& slot, std::string_view text, std::uint32_t hash) const;
  std::int32_t Probe(std::string_view text, std::uint32_t hash);
  std::int32_t Add(std::string_view text, std::uint32_t hash, Slot* slot);
  void Rehash(std::size_t slots);

  Buffer<std::int32_t> offsets_;
  Buffer<char> bytes_;
  Buffer<Slot> slots_;  // open addressing, a power of two
  std::uint64_t seed_ = 0;
};

/// Whether it saves anything to hold so many values, of which this has the distinct ones, by code.
bool PaysOff(const Dictionary& dictionary, std::uint64_t values);

}  // namespace weir
