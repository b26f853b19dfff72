#include "generate/answer_key.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"

namespace weir::generate {
namespace {

template <typename Number>
void Compare(std::string_view what, Number expected, Number found, std::vector<std::string>& out) {
  if (expected != found)
    out.push_back(fmt::format("{}: expected {}, found {}", what, expected, found));
}

template <typename Key>
void CompareCounts(std::string_view what, const std::map<Key, std::int64_t>& expected,
                   const std::map<Key, std::int64_t>& found, std::vector<std::string>& out) {
  std::map<Key, std::array<std::int64_t, 2>> both;
  for (const auto& [name, count] : expected) both[name][0] = count;
  for (const auto& [name, count] : found) both[name][1] = count;
  for (const auto& [name, counts] : both) {
    Compare(fmt::format("{}.{}", what, name), counts[0], counts[1], out);
  }
}

void CompareValid(std::string_view table, const ValidTotals& expected, const ValidTotals& found,
                  std::vector<std::string>& out) {
  const auto name = [table](std::string_view figure) {
    return fmt::format("{}.{}", table, figure);
  };
  Compare(name("rows"), expected.rows, found.rows, out);
  Compare(name("unique_rows"), expected.unique_rows, found.unique_rows, out);
  CompareCounts(name("event_types"), expected.event_types, found.event_types, out);
  CompareCounts(name("days"), expected.days, found.days, out);
  Compare(name("price_sum"), DecimalToString(expected.price_cents, 2),
          DecimalToString(found.price_cents, 2), out);
  Compare(name("quantity_sum"), DecimalToString(expected.quantity, 0),
          DecimalToString(found.quantity, 0), out);
  Compare(name("event_id_checksum"), fmt::format("{:016x}", expected.id_checksum),
          fmt::format("{:016x}", found.id_checksum), out);
  Compare(name("unique_event_id_checksum"), fmt::format("{:016x}", expected.unique_id_checksum),
          fmt::format("{:016x}", found.unique_id_checksum), out);
}

void ComparePartitions(const std::map<std::int32_t, PartitionTotals>& expected,
                       const std::map<std::int32_t, PartitionTotals>& found,
                       std::vector<std::string>& out) {
  std::map<std::int32_t, std::array<PartitionTotals, 2>> both;
  for (const auto& [partition, totals] : expected) both[partition][0] = totals;
  for (const auto& [partition, totals] : found) both[partition][1] = totals;
  for (const auto& [partition, totals] : both) {
    const std::string what = fmt::format("partitions.{}", partition);
    Compare(what + ".read", totals[0].read, totals[1].read, out);
    Compare(what + ".good", totals[0].good, totals[1].good, out);
    Compare(what + ".duplicate", totals[0].duplicate, totals[1].duplicate, out);
    Compare(what + ".late", totals[0].late, totals[1].late, out);
    Compare(what + ".quarantined", totals[0].quarantined, totals[1].quarantined, out);
    Compare(what + ".tombstone", totals[0].tombstone, totals[1].tombstone, out);
  }
}

// Pipelines need not have all of them.
void CompareGold(const std::map<std::string, GoldTotals>& expected,
                 const std::map<std::string, GoldTotals>& found, std::vector<std::string>& out) {
  for (const auto& [kind, totals] : expected) {
    const auto same = found.find(kind);
    if (same == found.end()) continue;
    Compare(kind + ".rows", totals.rows, same->second.rows, out);
    CompareCounts(kind, totals.sums, same->second.sums, out);
    Compare(kind + ".checksum", fmt::format("{:016x}", totals.checksum),
            fmt::format("{:016x}", same->second.checksum), out);
  }
}

}  // namespace

std::vector<std::string> Differences(const AnswerKey& expected, const AnswerKey& found) {
  std::vector<std::string> out;
  if (!expected.event_time) {
    CompareValid("valid", expected.valid, found.valid, out);
    Compare("quarantine.rows", expected.quarantine.rows, found.quarantine.rows, out);
    CompareCounts("quarantine.reasons", expected.quarantine.reasons, found.quarantine.reasons, out);
    ComparePartitions(expected.partitions, found.partitions, out);
    return out;
  }
  const EventTimeTotals none;
  const EventTimeTotals& ours = found.event_time ? *found.event_time : none;
  CompareValid("silver", expected.event_time->silver, ours.silver, out);
  CompareValid("late", expected.event_time->late, ours.late, out);
  Compare("quarantine.rows", expected.quarantine.rows, found.quarantine.rows, out);
  CompareCounts("quarantine.reasons", expected.quarantine.reasons, found.quarantine.reasons, out);
  Compare("duplicate", expected.event_time->duplicate, ours.duplicate, out);
  ComparePartitions(expected.event_time->partitions, ours.partitions, out);
  CompareGold(expected.event_time->gold, ours.gold, out);
  return out;
}

ValidSum::ValidSum(const Shape& shape)
    : holds_event_id_(shape.holds_event_id()), holds_amounts_(shape.holds_amounts()) {}

void ValidSum::Add(const Planted& planted, bool is_copy) {
  ++totals_.rows;
  if (!is_copy) ++totals_.unique_rows;
  ++event_types_[static_cast<std::size_t>(planted.event_type)];
  ++days_[FloorDay(planted.event_time)];
  if (holds_amounts_) {
    totals_.quantity += planted.quantity;
    if (planted.price_cents != ShopEvent::kNoPrice) totals_.price_cents += planted.price_cents;
  }
  if (holds_event_id_) {
    const UuidText id = ToUuidText(planted.event_id);
    IdChecksum one;
    one.Add(std::string_view(id.data(), id.size()));
    totals_.id_checksum += one.value();
    if (!is_copy) totals_.unique_id_checksum += one.value();
  }
}

ValidTotals ValidSum::Totals() const {
  ValidTotals totals = totals_;
  for (std::size_t type = 0; type < event_types_.size(); ++type) {
    if (event_types_[type] == 0) continue;
    totals.event_types[std::string(ToString(static_cast<EventType>(type)))] = event_types_[type];
  }
  for (const auto& [day, rows] : days_) totals.days[FormatDay(day)] = rows;
  return totals;
}

AnswerKeyBuilder::AnswerKeyBuilder(const Generator& generator, std::optional<Micros> delay)
    : has_ids_(generator.shape().holds_event_id()),
      valid_(generator.shape()),
      silver_(generator.shape()),
      late_(generator.shape()) {
  const GeneratorOptions& options = generator.options();
  key_.corpus = {.seed = options.seed,
                 .shape = options.shape,
                 .start = *options.start,
                 .rate = static_cast<std::int64_t>(options.rate.value_or(0)),
                 .mean_rate = static_cast<std::int64_t>(options.mean_rate),
                 .faults = ToString(options.faults),
                 .late_by = options.faults.late_by};
  for (int partition = 0; partition < options.partitions; ++partition) key_.partitions[partition];
  if (!delay) return;
  WEIR_CHECK(options.partitions > 0);
  key_.event_time.emplace().delay = *delay;
  key_.event_time->partitions = key_.partitions;
}

void AnswerKeyBuilder::Add(const GeneratedEvent& event) {
  const Planted& planted = event.planted;
  PartitionTotals nowhere;
  PartitionTotals& ledger = event.partition ? key_.partitions[event.partition->value()] : nowhere;
  ++key_.records;
  ++ledger.read;
  if (key_.event_time) AddByEventTime(event);
  switch (planted.fault) {
    case Fault::kBad:
      WEIR_CHECK(planted.flaw != nullptr);
      ++ledger.quarantined;
      ++key_.planted.bad;
      ++key_.planted.flaws[std::string(planted.flaw->name)];
      ++key_.quarantine.rows;
      ++key_.quarantine.reasons[std::string(ToString(planted.flaw->reason))];
      return;
    case Fault::kTombstone:
      ++ledger.tombstone;
      ++key_.planted.tombstone;
      return;
    case Fault::kLate:
      ++key_.planted.late;
      break;
    case Fault::kDuplicate:
      ++key_.planted.duplicate;
      break;
    case Fault::kNone:
      break;
  }
  ++ledger.good;
  valid_.Add(planted, planted.fault == Fault::kDuplicate);
}

// A copy has key, partition and event time of its original. So where it is in time the original
// was, too, and is still remembered, whatever the horizon.
void AnswerKeyBuilder::AddByEventTime(const GeneratedEvent& event) {
  const Planted& planted = event.planted;
  const std::int32_t partition = event.partition->value();
  PartitionTotals& ledger = key_.event_time->partitions[partition];
  ++ledger.read;
  if (planted.fault == Fault::kBad) {
    ++ledger.quarantined;
    return;
  }
  if (planted.fault == Fault::kTombstone) {
    ++ledger.tombstone;
    return;
  }
  const auto newest = newest_.try_emplace(partition, planted.event_time).first;
  if (planted.event_time < newest->second - key_.event_time->delay) {
    ++ledger.late;
    const bool is_new = late_ids_.emplace(planted.event_id.high, planted.event_id.low).second;
    late_.Add(planted, has_ids_ && !is_new);
  } else if (planted.fault == Fault::kDuplicate && has_ids_) {
    ++ledger.duplicate;
    ++key_.event_time->duplicate;
  } else {
    ++ledger.good;
    silver_.Add(planted, false);
    if (has_ids_) gold_.Add(event.key, planted);
  }
  newest->second = std::max(newest->second, planted.event_time);
}

// Of the pipeline, when all is read: a partition that has records, but no valid one, holds it.
std::optional<Micros> AnswerKeyBuilder::Watermark() const {
  std::optional<Micros> watermark;
  for (const auto& [partition, totals] : key_.event_time->partitions) {
    if (totals.read == 0) continue;
    const auto newest = newest_.find(partition);
    if (newest == newest_.end()) return std::nullopt;
    const Micros own = newest->second - key_.event_time->delay;
    watermark = std::min(watermark.value_or(own), own);
  }
  return watermark;
}

AnswerKey AnswerKeyBuilder::Build() const {
  AnswerKey key = key_;
  key.valid = valid_.Totals();
  if (key.event_time) {
    key.event_time->silver = silver_.Totals();
    key.event_time->late = late_.Totals();
    if (has_ids_) key.event_time->gold = gold_.Build(Watermark());
  }
  return key;
}

}  // namespace weir::generate
