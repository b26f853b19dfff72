#include "generate/generator.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"
#include "generate/draw.h"
#include "generate/partitioner.h"

namespace weir::generate {
namespace {

// How long a visitor looks at a page on average, and how many visitors there may be at once: above,
// they click faster instead, so that also a short or a very fast run shows whole visits.
constexpr std::uint64_t kSecondsPerPage = 30;
constexpr std::uint64_t kMostVisitors = 16'384;
constexpr std::uint64_t kFewestVisitors = 8;

constexpr std::uint64_t kHighestRate = 10'000'000;
constexpr int kMostPartitions = 100'000;
constexpr Micros kEarliestStart = 0;
constexpr Micros kLatestStart = DayOf(9000, 1, 1) * kMicrosPerDay;

// Seeds of the streams of draws that must not disturb each other.
constexpr std::uint64_t kTimeStream = 0x74696d65;
constexpr std::uint64_t kFaultStream = 0x6661756c74;

Status Check(const GeneratorOptions& options) {
  const auto wrong = [](std::string message) {
    return InvalidInput(std::move(message), ErrorCode::kUsage);
  };
  if (!options.count && !options.rate) return wrong("give --count or --rate");
  if (options.rate && (*options.rate == 0 || *options.rate > kHighestRate)) {
    return wrong(fmt::format("--rate must be from 1 to {}, not {}", kHighestRate, *options.rate));
  }
  if (options.mean_rate == 0 || options.mean_rate > kHighestRate) {
    return wrong(
        fmt::format("the mean rate must be from 1 to {}, not {}", kHighestRate, options.mean_rate));
  }
  if (options.partitions < 0 || options.partitions > kMostPartitions) {
    return wrong(fmt::format("the number of partitions must be from 1 to {}, not {}",
                             kMostPartitions, options.partitions));
  }
  if (options.start && (*options.start < kEarliestStart || *options.start > kLatestStart)) {
    return wrong("--start must be from 1970 to 8999");
  }
  return Ok();
}

}  // namespace

Result<std::unique_ptr<Generator>> Generator::Make(GeneratorOptions options, Micros now) {
  WEIR_TRY(Check(options));
  if (!options.start) options.start = options.rate ? now : kDefaultStart;
  auto catalogue = std::make_unique<Catalogue>();
  std::unique_ptr<Shape> shape = MakeShape(options.shape, *catalogue);
  if (shape == nullptr) {
    return InvalidInput(
        fmt::format("there is no shape '{}', only {}", Printable(options.shape), ShapeNames()),
        ErrorCode::kUsage);
  }
  return std::unique_ptr<Generator>(
      new Generator(std::move(options), std::move(catalogue), std::move(shape)));
}

Generator::Generator(GeneratorOptions options, std::unique_ptr<Catalogue> catalogue,
                     std::unique_ptr<Shape> shape)
    : options_(std::move(options)),
      catalogue_(std::move(catalogue)),
      shape_(std::move(shape)),
      shop_(options_.seed, *catalogue_),
      clock_(*options_.start, options_.mean_rate, options_.rate.value_or(0)),
      time_random_(options_.seed ^ kTimeStream),
      fault_random_(options_.seed ^ kFaultStream),
      partition_started_(static_cast<std::size_t>(std::max(options_.partitions, 1)), false) {}

bool Generator::Next(GeneratedEvent* event) {
  if (options_.count && made_ >= *options_.count) return false;
  ++made_;
  switch (DrawFault()) {
    case Fault::kNone:
      MakeGood(event, false);
      break;
    case Fault::kLate:
      MakeGood(event, true);
      break;
    case Fault::kDuplicate:
      MakeDuplicate(event);
      break;
    case Fault::kBad:
      MakeBad(event);
      break;
    case Fault::kTombstone:
      MakeTombstone(event);
      break;
  }
  event->timestamp_ms = clock_.present() / kMicrosPerMilli;
  return true;
}

// One draw a record, whatever is planted.
Fault Generator::DrawFault() {
  const FaultPlan& plan = options_.faults;
  std::uint32_t dice = Pick(fault_random_, 1'000'000);
  if (dice < plan.late_ppm) return Fault::kLate;
  dice -= plan.late_ppm;
  if (dice < plan.duplicate_ppm) return sent_.empty() ? Fault::kNone : Fault::kDuplicate;
  dice -= plan.duplicate_ppm;
  if (dice < plan.bad_ppm) return Fault::kBad;
  dice -= plan.bad_ppm;
  return dice < plan.tombstone_ppm ? Fault::kTombstone : Fault::kNone;
}

void Generator::DrawShopEvent() {
  const Micros present = clock_.Advance(time_random_);
  const std::uint64_t visitors =
      std::clamp(clock_.RateNow() * kSecondsPerPage, kFewestVisitors, kMostVisitors);
  shop_.Next(present, static_cast<std::uint32_t>(visitors), shop_event_);
  shop_event_.time = std::max(shop_event_.time, ShownTime(shop_event_, *options_.start));
}

void Generator::MakeGood(GeneratedEvent* event, bool late) {
  DrawShopEvent();
  SetKey(shop_event_.user, event);
  const auto partition = static_cast<std::size_t>(event->partition.value_or(Partition(0)).value());
  late = late && partition_started_[partition];
  partition_started_[partition] = true;
  if (late) {
    shop_event_.time = ShownTime(shop_event_, clock_.present() - options_.faults.late_by);
  }
  value_.Clear();
  shape_->Write(shop_event_, value_);
  event->value = value_.view();
  event->planted = {.fault = late ? Fault::kLate : Fault::kNone,
                    .flaw = nullptr,
                    .event_id = shop_event_.id,
                    .event_time = shop_event_.time,
                    .event_type = shop_event_.type,
                    .quantity = shop_event_.quantity,
                    .price_cents = shop_event_.price_cents};
  if (!late && options_.faults.duplicate_ppm != 0) Keep(*event);
}

void Generator::MakeBad(GeneratedEvent* event) {
  DrawShopEvent();
  SetKey(shop_event_.user, event);
  value_.Clear();
  shape_->Write(shop_event_, value_);
  spoilt_ = shape_->Spoil(value_.view(), next_flaw_);
  event->value = spoilt_;
  event->planted = Planted{};
  event->planted.fault = Fault::kBad;
  event->planted.flaw = &shape_->flaws()[next_flaw_];
  next_flaw_ = (next_flaw_ + 1) % shape_->flaws().size();
}

// With a rate, time follows the number of records; by the day curve, that of the shop's events.
void Generator::PassTime() {
  if (options_.rate) clock_.Advance(time_random_);
}

void Generator::MakeDuplicate(GeneratedEvent* event) {
  PassTime();
  const Sent& original = sent_[Pick(fault_random_, sent_.size())];
  SetKey(original.user, event);
  event->value = original.value;
  event->planted = original.planted;
  event->planted.fault = Fault::kDuplicate;
}

void Generator::MakeTombstone(GeneratedEvent* event) {
  PassTime();
  SetKey(DrawUser(fault_random_), event);
  event->value = std::nullopt;
  event->planted = Planted{};
  event->planted.fault = Fault::kTombstone;
}

void Generator::Keep(const GeneratedEvent& event) {
  if (sent_.size() < kDuplicateDistance) sent_.emplace_back();
  Sent& slot = sent_[next_sent_];
  slot.value.assign(*event.value);
  slot.planted = event.planted;
  slot.user = shop_event_.user;
  next_sent_ = (next_sent_ + 1) % kDuplicateDistance;
}

void Generator::SetKey(std::uint32_t user, GeneratedEvent* event) {
  key_.Clear();
  key_.Literal("user_");
  key_.Padded(user, 6);
  event->key = key_.view();
  event->partition.reset();
  if (options_.partitions > 0) event->partition = PartitionOf(event->key, options_.partitions);
}

}  // namespace weir::generate
