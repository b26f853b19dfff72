#pragma once
// Generator: the events of the made-up shop as records for a log, with planted faults.
//
// The same options and the same start give the same bytes on every machine and in every version
// (docs/GENERATOR.md). Faults are drawn apart from the shop: what a good event says does not depend
// on them. One thread; about a microsecond a record.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "base/time.h"
#include "generate/event_clock.h"
#include "generate/fault_plan.h"
#include "generate/shape.h"
#include "generate/shop.h"
#include "record/offsets.h"

namespace weir::generate {

/// 2025-06-02T08:00:00Z, a Monday: where a counted run starts unless it is told.
inline constexpr Micros kDefaultStart =
    DayOf(2025, 6, 2) * kMicrosPerDay + 28'800 * kMicrosPerSecond;

/// An exact copy is one of the last so many good events that are not late.
inline constexpr std::size_t kDuplicateDistance = 256;

struct GeneratorOptions {
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> count;  // records in all; none: for ever
  std::optional<std::uint64_t>
      rate;                      // records a second, evenly, from now on; pacing is the caller's
  std::optional<Micros> start;   // of event time; default: kDefaultStart, with a rate now
  std::uint64_t mean_rate = 25;  // without a rate: events a second of event time, by day curve
  FaultPlan faults;
  std::string shape = "retail";
  int partitions = 0;  // of the target, keyed as Kafka does; 0: unknown, no partition is named
};

enum class Fault : std::uint8_t { kNone, kLate, kDuplicate, kBad, kTombstone };

/// What the generator knows about a record because it made it, never because it read it.
struct Planted {
  Fault fault = Fault::kNone;
  const Flaw* flaw = nullptr;  // of a bad record
  EventId event_id;            // these four: of records that are valid
  Micros event_time = 0;
  EventType event_type = EventType::kPageView;
  std::int32_t quantity = 0;  // 0: none
  std::int64_t price_cents = ShopEvent::kNoPrice;
};

/// The views live until the next call of Next.
struct GeneratedEvent {
  std::string_view key;                   // user_id
  std::optional<std::string_view> value;  // nullopt: a tombstone
  std::int64_t timestamp_ms = 0;          // when it arrived
  std::optional<Partition> partition;
  Planted planted;
};

class Generator {
 public:
  /// now: start of event time with a rate. kInvalidInput WEIR0701.
  static Result<std::unique_ptr<Generator>> Make(GeneratorOptions options, Micros now);

  /// False when `count` records were made.
  bool Next(GeneratedEvent* event);

  /// As resolved: the start is set.
  const GeneratorOptions& options() const { return options_; }
  const Shape& shape() const { return *shape_; }

 private:
  struct Sent {
    std::string value;
    Planted planted;
    std::uint32_t user = 0;
  };

  Generator(GeneratorOptions options, std::unique_ptr<Catalogue> catalogue,
            std::unique_ptr<Shape> shape);
  Fault DrawFault();
  void DrawShopEvent();
  void PassTime();
  void MakeGood(GeneratedEvent* event, bool late);
  void MakeBad(GeneratedEvent* event);
  void MakeDuplicate(GeneratedEvent* event);
  void MakeTombstone(GeneratedEvent* event);
  void Keep(const GeneratedEvent& event);
  void SetKey(std::uint32_t user, GeneratedEvent* event);

  GeneratorOptions options_;
  std::unique_ptr<Catalogue> catalogue_;  // on the heap: shop and shape refer to it
  std::unique_ptr<Shape> shape_;
  Shop shop_;
  EventClock clock_;
  Random time_random_;
  Random fault_random_;
  std::uint64_t made_ = 0;
  std::size_t next_flaw_ = 0;
  ShopEvent shop_event_;
  JsonText value_;
  JsonText key_;
  std::string spoilt_;
  std::vector<Sent> sent_;  // ring of the last good events, kept when duplicates are planted
  std::size_t next_sent_ = 0;
  std::vector<bool> partition_started_;  // whether it has a good event: before that none is late
};

}  // namespace weir::generate
