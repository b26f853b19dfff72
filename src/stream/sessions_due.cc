#include "stream/sessions_due.h"

#include <algorithm>

namespace weir::stream {
namespace {

std::int64_t SecondOf(Micros time) {
  const std::int64_t second = time / kMicrosPerSecond;
  return time % kMicrosPerSecond < 0 ? second - 1 : second;
}

// An entry may have moved on, or be another key's by now.
bool IsListed(const KeyEntry& entry, std::int64_t second) {
  return entry.live && entry.due == second;
}

}  // namespace

Micros EarliestEnd(const KeyEntry& entry) {
  Micros end = entry.latest.end();
  entry.Each([&](const Session& session) { end = std::min(end, session.end()); });
  return end;
}

void DueKeys::Put(KeyEntry* entry, Micros end) {
  const std::int64_t second = SecondOf(end);
  if (second >= entry->due) return;
  entry->due = second;
  lists_[second].push_back(entry->index);
}

std::vector<KeyEntry*> DueKeys::TakeUntil(Micros last, SessionKeys* keys) {
  std::vector<KeyEntry*> taken;
  while (!lists_.empty() && lists_.begin()->first <= SecondOf(last)) {
    const auto list = lists_.extract(lists_.begin());
    for (const std::uint32_t index : list.mapped()) {
      KeyEntry& entry = keys->At(index);
      if (!IsListed(entry, list.key())) continue;
      entry.due = kNotDue;
      taken.push_back(&entry);
    }
  }
  return taken;
}

std::optional<Micros> DueKeys::Earliest(SessionKeys* keys) {
  while (!lists_.empty()) {
    const auto list = lists_.extract(lists_.begin());
    std::optional<Micros> earliest;
    for (const std::uint32_t index : list.mapped()) {
      KeyEntry& entry = keys->At(index);
      if (!IsListed(entry, list.key())) continue;
      const Micros end = EarliestEnd(entry);
      entry.due = kNotDue;
      Put(&entry, end);
      if (entry.due == list.key()) earliest = std::min(end, earliest.value_or(end));
    }
    if (earliest) return earliest;
  }
  return std::nullopt;
}

std::size_t DueKeys::bytes() const {
  constexpr std::size_t kNodeBytes = 80;  // of the tree
  std::size_t bytes = lists_.size() * kNodeBytes;
  for (const auto& [second, list] : lists_) bytes += list.capacity() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace weir::stream
