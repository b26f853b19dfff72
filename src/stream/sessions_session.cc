#include "stream/sessions_session.h"

#include <utility>

namespace weir::stream {

void Session::Count(SharedTexts::Id type, std::uint64_t count, SharedTexts* texts) {
  for (TypeCount& known : counts) {
    if (known.type() == type) return known.Add(count);
  }
  counts.emplace_back(type, count);
  texts->HoldAgain(type);
}

void Session::AddValue(Int128 more) {
  if (__builtin_add_overflow(value, more, &value)) value_lost = true;
}

void Session::Merge(Session&& other, const SessionShape& shape, SharedTexts* texts) {
  // Swapping keeps each id held by exactly one of the two.
  if (other.first.Before(first)) {
    first = other.first;
    for (std::size_t i = 0; i < shape.firsts; ++i) {
      std::swap(values.data()[i], other.values.data()[i]);
    }
  }
  if (last.Before(other.last)) {
    last = other.last;
    for (std::size_t i = shape.firsts; i < shape.values(); ++i) {
      std::swap(values.data()[i], other.values.data()[i]);
    }
  }
  several = several || other.several || home != other.home;
  if (IsLowest(other.home, other.lowest_offset)) {
    home = other.home;
    lowest_offset = other.lowest_offset;
  }
  value_lost = value_lost || other.value_lost;
  events += other.events;
  AddValue(other.value);
  for (const TypeCount& count : other.counts) Count(count.type(), count.count(), texts);
  if (!other.steps.rows().empty()) steps.Merge(other.steps, shape.steps);
  other.Release(shape, texts);
}

void Session::Release(const SessionShape& shape, SharedTexts* texts) {
  for (const TypeCount& count : counts) texts->Release(count.type());
  counts.clear();
  for (std::size_t i = 0; i < shape.values(); ++i) {
    texts->Release(std::exchange(values.data()[i], 0));
  }
}

std::size_t Session::heap_bytes(const SessionShape& shape) const {
  std::size_t bytes = counts.capacity() * sizeof(TypeCount);
  if (shape.values() > IdList::kInline) bytes += shape.values() * sizeof(SharedTexts::Id);
  return bytes + steps.heap_bytes();
}

}  // namespace weir::stream
