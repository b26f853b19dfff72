#pragma once
// SharedTexts: each distinct text once, counted by how many sessions hold it. Pages and event types
// repeat in most sessions; this is what makes an open session small. Not thread safe.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::stream {

/// Hash of a key or text: seeded once a process, so that nobody can aim texts at one slot.
std::uint64_t TextHash(std::string_view text);

class SharedTexts {
 public:
  using Id = std::uint32_t;  // 0 stands for null and is never counted

  SharedTexts();

  /// The id of a text, held once more.
  Id Hold(std::string_view text);
  void HoldAgain(Id id) {
    if (id != 0) ++entries_[id].holds;
  }
  /// Held once less; the text is forgotten when nobody holds it.
  void Release(Id id);

  /// Good until the next Hold or Release.
  std::string_view At(Id id) const {
    return {arena_.data() + entries_[id].offset, entries_[id].size};
  }
  std::size_t size() const { return entries_.size() - 1 - free_.size(); }
  /// One more than the highest id in use.
  std::size_t id_limit() const { return entries_.size(); }
  std::size_t bytes() const;

 private:
  struct Entry {
    std::size_t offset = 0;  // in arena_
    std::uint32_t size = 0;
    std::uint32_t hash = 0;
    std::uint64_t holds = 0;
  };
  void Unlink(Id id);
  void Grow();
  void Compact();

  std::vector<Entry> entries_;  // by id
  std::vector<Id> free_;
  std::vector<Id> slots_;  // open addressing, a power of two; 0 = empty
  std::vector<char> arena_;
  std::size_t garbage_ = 0;  // bytes of arena_ that belong to nobody
};

}  // namespace weir::stream
