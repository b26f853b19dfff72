#include "stream/sessions_texts.h"

#include <random>

#include <xxhash.h>

#include "base/check.h"

namespace weir::stream {
namespace {

constexpr std::size_t kFirstSlots = 64;
constexpr std::size_t kSmallArena = std::size_t{64} << 10;

std::uint64_t MakeSeed() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

}  // namespace

std::uint64_t TextHash(std::string_view text) {
  static const std::uint64_t kSeed = MakeSeed();
  return XXH3_64bits_withSeed(text.data(), text.size(), kSeed);
}

SharedTexts::SharedTexts() : entries_(1), slots_(kFirstSlots, 0) {}

SharedTexts::Id SharedTexts::Hold(std::string_view text) {
  const auto hash = static_cast<std::uint32_t>(TextHash(text));
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    Entry& entry = entries_[slots_[at]];
    if (entry.hash == hash && At(slots_[at]) == text) {
      ++entry.holds;
      return slots_[at];
    }
  }
  Id id = 0;
  if (free_.empty()) {
    id = static_cast<Id>(entries_.size());
    WEIR_CHECK(id != 0);
    entries_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  entries_[id] = {arena_.size(), static_cast<std::uint32_t>(text.size()), hash, 1};
  arena_.insert(arena_.end(), text.begin(), text.end());
  slots_[at] = id;
  if (size() * 2 >= slots_.size()) Grow();
  return id;
}

void SharedTexts::Release(Id id) {
  if (id == 0) return;
  Entry& entry = entries_[id];
  WEIR_DCHECK(entry.holds > 0);
  if (--entry.holds != 0) return;
  Unlink(id);
  garbage_ += entry.size;
  free_.push_back(id);
  if (garbage_ > kSmallArena && garbage_ > arena_.size() / 2) Compact();
}

// Takes the id out of its slot and moves those behind it up, so that no probe breaks off early.
void SharedTexts::Unlink(Id id) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = entries_[id].hash & mask;
  while (slots_[hole] != id) hole = (hole + 1) & mask;
  for (std::size_t at = (hole + 1) & mask; slots_[at] != 0; at = (at + 1) & mask) {
    const std::size_t home = entries_[slots_[at]].hash & mask;
    if (((at - home) & mask) < ((at - hole) & mask)) continue;  // its probe starts behind the hole
    slots_[hole] = slots_[at];
    hole = at;
  }
  slots_[hole] = 0;
}

void SharedTexts::Grow() {
  std::vector<Id> old(slots_.size() * 2, 0);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Id id : old) {
    if (id == 0) continue;
    std::size_t at = entries_[id].hash & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = id;
  }
}

void SharedTexts::Compact() {
  std::vector<char> arena;
  arena.reserve(arena_.size() - garbage_);
  for (Entry& entry : entries_) {
    if (entry.holds == 0) continue;
    const auto* text = arena_.data() + entry.offset;
    entry.offset = arena.size();
    arena.insert(arena.end(), text, text + entry.size);
  }
  arena_ = std::move(arena);
  garbage_ = 0;
}

std::size_t SharedTexts::bytes() const {
  return entries_.capacity() * sizeof(Entry) + (free_.capacity() + slots_.capacity()) * sizeof(Id) +
         arena_.capacity();
}

}  // namespace weir::stream
