#pragma once
// Session: what is kept of one open session, and how rows and sessions are added up. Merging is
// commutative and associative. Event types are held in a SharedTexts, so a session that ends must
// be let go by Release. A plain value otherwise; moved, never copied.

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "record/type.h"
#include "stream/sessions_steps.h"
#include "stream/sessions_texts.h"
#include "stream/sessions_values.h"
#include "stream/short_list.h"

namespace weir::stream {

/// Place of a row in the order (event_time, partition, offset).
struct RowPlace {
  Micros time = 0;
  std::int64_t offset = 0;
  std::int32_t partition = 0;

  bool Before(const RowPlace& other) const {
    if (time != other.time) return time < other.time;
    if (partition != other.partition) return partition < other.partition;
    return offset < other.offset;
  }
};

/// How often an event type came. Three words, since most sessions have several.
class TypeCount {
 public:
  TypeCount() = default;
  TypeCount(SharedTexts::Id type, std::uint64_t count) : type_(type) { Set(count); }
  SharedTexts::Id type() const { return type_; }
  std::uint64_t count() const { return (static_cast<std::uint64_t>(high_) << 32) | low_; }
  void Add(std::uint64_t more) { Set(count() + more); }

 private:
  void Set(std::uint64_t count) {
    low_ = static_cast<std::uint32_t>(count);
    high_ = static_cast<std::uint32_t>(count >> 32);
  }
  SharedTexts::Id type_ = 0;
  std::uint32_t low_ = 0;
  std::uint32_t high_ = 0;
};

/// What all sessions of an operator share.
struct SessionShape {
  std::size_t firsts = 0;            // values kept of the first row ...
  std::size_t lasts = 0;             // ... and of the last
  std::vector<std::uint32_t> steps;  // funnel: type number of each step
  std::size_t values() const { return firsts + lasts; }
};

struct Session {
  RowPlace first;  // first.time is the session's start, last.time its end
  RowPlace last;
  std::int64_t lowest_offset = 0;  // of the lowest (partition, offset)
  std::int32_t home = 0;           // its partition
  bool several = false;            // rows from more than one partition
  bool value_lost = false;         // a row's value was beyond all bounds
  std::int64_t events = 0;
  Int128 value = 0;  // at the price's scale
  ShortList<TypeCount, 4> counts;
  KeptValues values;  // of the first row, then of the last
  StepRows steps;

  Micros start() const { return first.time; }
  Micros end() const { return last.time; }
  bool IsLowest(std::int32_t partition, std::int64_t offset) const {
    return partition != home ? partition < home : offset < lowest_offset;
  }
  /// `type` is held by the caller until the session holds it.
  void Count(SharedTexts::Id type, std::uint64_t count, SharedTexts* texts);
  void AddValue(Int128 more);
  /// Takes in a session of the same key, whose texts are let go.
  void Merge(Session&& other, const SessionShape& shape, SharedTexts* texts);
  /// Lets its texts go. It is of no use then, but for Reset.
  void Release(SharedTexts* texts);
  /// No session, with the memory of this one.
  void Reset(const SessionShape& shape);
  std::size_t heap_bytes() const {
    return counts.heap_bytes() + values.heap_bytes() + steps.heap_bytes();
  }
};

}  // namespace weir::stream
