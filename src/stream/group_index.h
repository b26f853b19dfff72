#pragma once
// GroupIndex: key bytes -> slot number, in order of first sight, in flat memory. Not thread safe.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::stream {

class GroupIndex {
 public:
  /// The slot of a key, new or old.
  std::uint32_t SlotOf(std::string_view key);
  std::string_view KeyOf(std::uint32_t slot) const {
    return std::string_view(bytes_).substr(offsets_[slot], offsets_[slot + 1] - offsets_[slot]);
  }
  std::size_t size() const { return hashes_.size(); }
  std::size_t bytes() const;

 private:
  void Grow();

  std::string bytes_;
  std::vector<std::size_t> offsets_ = {0};
  std::vector<std::uint64_t> hashes_;  // by slot
  std::vector<std::uint32_t> table_;   // slot + 1; 0 = empty. A power of two
};

}  // namespace weir::stream
