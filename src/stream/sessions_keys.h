#pragma once
// SessionKeys: the keys that have open sessions, each with its sessions in order of start. One flat
// table of hashes over entries that never move. Finding costs three cache misses, which Prefetch
// lets overlap. Not thread safe.

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "stream/sessions_session.h"

namespace weir::stream {

/// Of a key that is in no list of DueKeys.
inline constexpr std::int64_t kNotDue = std::numeric_limits<std::int64_t>::max();

struct KeyEntry {
  Session latest;  // of the greatest start; nearly every key has no other
  std::vector<std::unique_ptr<Session>> earlier;  // ascending by start
  std::string key;
  std::int64_t due = kNotDue;  // span in whose list DueKeys has this key
  std::uint64_t hash = 0;
  std::uint32_t index = 0;        // of this entry
  std::int32_t partition = 0;     // of the first row seen
  std::int32_t dirty_home = -1;   // where a delta will have this key already ...
  std::uint32_t dirty_round = 0;  // ... while the partition is in this round
  bool several = false;           // rows from more than one partition
  bool written = false;           // some state tells of this key
  bool live = false;

  template <typename Visit>
  void Each(const Visit& visit) const {
    for (const auto& session : earlier) visit(*session);
    visit(latest);
  }
};

/// What a session keeps outside of itself is four lines long as a rule; the first two have what a
/// row changes. (Always inline: GCC takes what only prefetches for a function without effect, and
/// drops its calls.)
[[gnu::always_inline]] inline void PrefetchValues(const Session& session, std::size_t lines) {
  const char* memory = session.values.memory();
  for (std::size_t i = 0; i < lines; ++i) __builtin_prefetch(memory + 64 * i, 1);
}

class SessionKeys {
 public:
  SessionKeys();

  KeyEntry* Find(std::string_view key, std::uint64_t hash);
  /// A new entry, whose `latest` is empty. The key is not there yet.
  KeyEntry* Add(std::string_view key, std::uint64_t hash);
  /// Its `latest` was reset: the memory stays for the next key.
  void Remove(KeyEntry* entry);
  KeyEntry& At(std::uint32_t index) { return chunks_[index / kChunk][index % kChunk]; }
  template <typename Visit>
  void Each(const Visit& visit) {
    for (std::uint32_t i = 0; i < used_; ++i) {
      if (KeyEntry& entry = At(i); entry.live) visit(entry);
    }
  }

  /// All lines of an entry. (Always inline: GCC drops calls of what only prefetches.)
  [[gnu::always_inline]] static void PrefetchLines(const KeyEntry& entry) {
    const auto* line = reinterpret_cast<const char*>(&entry);
    for (std::size_t i = 0; i < sizeof(KeyEntry); i += 64) __builtin_prefetch(line + i, 1);
    __builtin_prefetch(line + sizeof(KeyEntry) - 1, 1);
  }
  [[gnu::always_inline]] void PrefetchSlot(std::uint64_t hash) const {
    __builtin_prefetch(&slots_[HomeOf(Tag(hash))]);
  }
  /// The entry that most likely has this hash; its lines are on their way then.
  const KeyEntry* PrefetchEntry(std::uint64_t hash);

  std::size_t size() const { return size_; }
  std::size_t bytes() const;

 private:
  static constexpr std::size_t kChunk = 256;
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t entry = 0;  // index + 1; 0 = empty
  };
  // All that is used of a hash, so that moving slots needs no look at their entries.
  static std::uint32_t Tag(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }
  std::size_t HomeOf(std::uint32_t tag) const { return tag & mask(); }
  std::size_t mask() const { return slots_.size() - 1; }
  void Grow();
  // What the next new keys will take, which rested for a while.
  [[gnu::always_inline]] void PrefetchFree() {
    const std::size_t n = free_.size();
    if (n < 2) return;
    PrefetchLines(At(free_[n - 2]));
    PrefetchValues(At(free_[n - 1]).latest, 2);
  }

  std::vector<Slot> slots_;  // open addressing, a power of two
  std::vector<std::unique_ptr<KeyEntry[]>> chunks_;
  std::vector<std::uint32_t> free_;
  std::uint32_t used_ = 0;
  std::size_t size_ = 0;
  std::size_t key_bytes_ = 0;   // of keys that are too long for their entry
  std::size_t kept_bytes_ = 0;  // of entries that wait for a key
};

}  // namespace weir::stream
