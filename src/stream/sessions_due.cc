#include "stream/sessions_due.h"

#include <algorithm>

namespace weir::stream {
namespace {

// Long enough that rows that come in the order of time mostly use one list.
constexpr Micros kSpan = 8 * kMicrosPerSecond;

std::int64_t SpanOf(Micros time) {
  const std::int64_t span = time / kSpan;
  return time % kSpan < 0 ? span - 1 : span;
}

// An entry may have moved on, or be another key's by now.
bool IsListed(const KeyEntry& entry, std::int64_t span) { return entry.live && entry.due == span; }

}  // namespace

Micros EarliestEnd(const KeyEntry& entry) {
  Micros end = entry.latest.end();
  entry.Each([&](const Session& session) { end = std::min(end, session.end()); });
  return end;
}

void DueKeys::Put(KeyEntry* entry, Micros end) {
  const std::int64_t span = SpanOf(end);
  if (span >= entry->due) return;
  entry->due = span;
  if (last_ == nullptr || last_span_ != span) {
    constexpr std::size_t kFirstKeys = 32;
    last_ = &lists_[span];
    if (last_->empty()) last_->reserve(kFirstKeys);
    last_span_ = span;
  }
  last_->push_back(entry->index);
}

std::vector<KeyEntry*> DueKeys::TakeUntil(Micros last, SessionKeys* keys) {
  std::vector<KeyEntry*> taken;
  last_ = nullptr;
  while (!lists_.empty() && lists_.begin()->first <= SpanOf(last)) {
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
    last_ = nullptr;
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
  for (const auto& [span, list] : lists_) bytes += list.capacity() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace weir::stream
