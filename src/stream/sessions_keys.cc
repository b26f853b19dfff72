#include "stream/sessions_keys.h"

#include "base/check.h"

namespace weir::stream {
namespace {

constexpr std::size_t kFirstSlots = 256;

std::size_t HeapBytes(const std::string& key) {
  static const std::size_t kInside = std::string().capacity();
  return key.capacity() > kInside ? key.capacity() + 1 : 0;
}

}  // namespace

SessionKeys::SessionKeys() : slots_(kFirstSlots) {}

KeyEntry* SessionKeys::Find(std::string_view key, std::uint64_t hash) {
  const std::uint32_t tag = Tag(hash);
  for (std::size_t at = HomeOf(tag); slots_[at].entry != 0; at = (at + 1) & mask()) {
    if (slots_[at].tag != tag) continue;
    KeyEntry& entry = At(slots_[at].entry - 1);
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

const KeyEntry* SessionKeys::PrefetchEntry(std::uint64_t hash) {
  const std::uint32_t tag = Tag(hash);
  for (std::size_t at = HomeOf(tag); slots_[at].entry != 0; at = (at + 1) & mask()) {
    if (slots_[at].tag != tag) continue;
    const KeyEntry* entry = &At(slots_[at].entry - 1);
    PrefetchLines(*entry);
    return entry;
  }
  return nullptr;
}

KeyEntry* SessionKeys::Add(std::string_view key, std::uint64_t hash) {
  if ((size_ + 1) * 2 > slots_.size()) Grow();
  std::uint32_t index = used_;
  if (free_.empty()) {
    WEIR_CHECK(used_ != UINT32_MAX);
    if (used_ % kChunk == 0) chunks_.push_back(std::make_unique<KeyEntry[]>(kChunk));
    ++used_;
  } else {
    index = free_.back();
    free_.pop_back();
    kept_bytes_ -= At(index).latest.heap_bytes() + HeapBytes(At(index).key);
    PrefetchFree();
  }
  KeyEntry& entry = At(index);
  entry.key.assign(key);
  entry.hash = hash;
  entry.index = index;
  entry.live = true;
  key_bytes_ += HeapBytes(entry.key);
  std::size_t at = HomeOf(Tag(hash));
  while (slots_[at].entry != 0) at = (at + 1) & mask();
  slots_[at] = {Tag(hash), index + 1};
  ++size_;
  return &entry;
}

void SessionKeys::Remove(KeyEntry* entry) {
  std::size_t hole = HomeOf(Tag(entry->hash));
  while (slots_[hole].entry != entry->index + 1) hole = (hole + 1) & mask();
  // Those behind move up, so that no probe breaks off early.
  for (std::size_t at = (hole + 1) & mask(); slots_[at].entry != 0; at = (at + 1) & mask()) {
    const std::size_t home = HomeOf(slots_[at].tag);
    if (((at - home) & mask()) < ((at - hole) & mask())) continue;
    slots_[hole] = slots_[at];
    hole = at;
  }
  slots_[hole] = {};
  key_bytes_ -= HeapBytes(entry->key);
  free_.push_back(entry->index);
  kept_bytes_ += entry->latest.heap_bytes() + HeapBytes(entry->key);
  entry->key.clear();
  entry->due = kNotDue;
  entry->dirty_home = -1;
  entry->several = entry->written = entry->live = false;
  --size_;
}

void SessionKeys::Grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.entry == 0) continue;
    std::size_t at = HomeOf(slot.tag);
    while (slots_[at].entry != 0) at = (at + 1) & mask();
    slots_[at] = slot;
  }
}

std::size_t SessionKeys::bytes() const {
  return slots_.capacity() * sizeof(Slot) + chunks_.size() * kChunk * sizeof(KeyEntry) +
         free_.capacity() * sizeof(std::uint32_t) + key_bytes_ + kept_bytes_;
}

}  // namespace weir::stream
