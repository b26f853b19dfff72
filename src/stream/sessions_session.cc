#include "stream/sessions_session.h"

#include <utility>

namespace weir::stream {

void Session::Count(SharedTexts::Id type, std::uint64_t count, SharedTexts* texts) {
  for (TypeCount& known : counts) {
    if (known.type() == type) return known.Add(count);
  }
  counts.push_back(TypeCount(type, count));
  texts->HoldAgain(type);
}

void Session::AddValue(Int128 more) {
  if (__builtin_add_overflow(value, more, &value)) value_lost = true;
}

void Session::Merge(Session&& other, const SessionShape& shape, SharedTexts* texts) {
  const auto take_values = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values.Set(i, other.values.At(i), shape.values());
  };
  if (other.first.Before(first)) {
    first = other.first;
    take_values(0, shape.firsts);
  }
  if (last.Before(other.last)) {
    last = other.last;
    take_values(shape.firsts, shape.values());
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
  other.Release(texts);
}

void Session::Release(SharedTexts* texts) {
  for (const TypeCount& count : counts) texts->Release(count.type());
  counts.clear();
}

void Session::Reset(const SessionShape& shape) {
  first = last = {};
  lowest_offset = 0;
  home = 0;
  several = value_lost = false;
  events = 0;
  value = 0;
  counts.clear();
  values.Clear(shape.values());
  steps.Clear();
}

}  // namespace weir::stream
