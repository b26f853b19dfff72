#pragma once
// AnswerKey: what the tables must hold after the retail job has read what was generated. Counted
// from what the generator planted; nothing here parses an event, and nothing is shared with the
// code that reads events. docs/GENERATOR.md defines every figure, tests/oracle/check_key.py
// computes them anew.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "generate/generator.h"
#include "generate/gold_key.h"
#include "generate/gold_totals.h"
#include "generate/id_checksum.h"
#include "record/type.h"

namespace weir::generate {

/// The table of valid rows. Also what a reader of the table fills, to compare with.
struct ValidTotals {
  std::int64_t rows = 0;
  std::int64_t unique_rows = 0;  // copies not counted
  std::map<std::string, std::int64_t> event_types;
  std::map<std::string, std::int64_t> days;  // UTC day of the event time, 2025-06-02
  Int128 price_cents = 0;                    // sums over the rows that have one
  Int128 quantity = 0;
  std::uint64_t id_checksum = 0;
  std::uint64_t unique_id_checksum = 0;
  bool operator==(const ValidTotals&) const = default;
};

struct QuarantineTotals {
  std::int64_t rows = 0;
  std::map<std::string, std::int64_t> reasons;  // by the text of RejectReason
  bool operator==(const QuarantineTotals&) const = default;
};

/// The ledger of a partition: read = good + duplicate + late + quarantined + tombstone. Without
/// event time copies and late events are good.
struct PartitionTotals {
  std::int64_t read = 0;
  std::int64_t good = 0;
  std::int64_t duplicate = 0;
  std::int64_t late = 0;
  std::int64_t quarantined = 0;
  std::int64_t tombstone = 0;
  bool operator==(const PartitionTotals&) const = default;
};

struct PlantedTotals {
  std::int64_t late = 0;
  std::int64_t duplicate = 0;
  std::int64_t bad = 0;
  std::int64_t tombstone = 0;
  std::map<std::string, std::int64_t> flaws;  // bad records by the name of the flaw
  bool operator==(const PlantedTotals&) const = default;
};

/// How the corpus was made, so that it can be made again.
struct CorpusInfo {
  std::uint64_t seed = 0;
  std::string shape;
  Micros start = 0;
  std::int64_t rate = 0;  // 0: by the day curve
  std::int64_t mean_rate = 0;
  std::string faults;
  Micros late_by = 0;
  bool operator==(const CorpusInfo&) const = default;
};

/// What a pipeline with a watermark so far behind, and with a dedupe by event id, must hold of the
/// valid events; each of them is in silver, or late, or a copy of one that is in silver.
struct EventTimeTotals {
  Micros delay = 0;
  ValidTotals silver;
  ValidTotals late;
  std::int64_t duplicate = 0;
  std::map<std::int32_t, PartitionTotals> partitions;
  std::map<std::string, GoldTotals> gold;  // by the kind of table; empty: not counted
  bool operator==(const EventTimeTotals&) const = default;
};

struct AnswerKey {
  CorpusInfo corpus;
  std::int64_t records = 0;
  PlantedTotals planted;
  ValidTotals valid;
  QuarantineTotals quarantine;
  std::map<std::int32_t, PartitionTotals> partitions;  // empty: partitions unknown
  std::optional<EventTimeTotals> event_time;           // then it is compared instead of `valid`
  bool operator==(const AnswerKey&) const = default;

  /// JSON of version 1, members in a fixed order, ending in a line feed.
  std::string ToJson() const;
  /// kCorrupt WEIR0504 for anything that ToJson did not write.
  static Result<AnswerKey> FromJson(std::string_view text);
};

/// What differs, a line each: "valid.rows: expected 10, found 9". Corpus and plantings are left
/// out, and gold tables that were not found.
std::vector<std::string> Differences(const AnswerKey& expected, const AnswerKey& found);

/// Adds up planted valid events.
class ValidSum {
 public:
  explicit ValidSum(const Shape& shape);
  void Add(const Planted& planted, bool is_copy);
  ValidTotals Totals() const;

 private:
  bool holds_event_id_;
  bool holds_amounts_;
  ValidTotals totals_;
  std::array<std::int64_t, kEventTypeCount> event_types_{};
  std::map<std::int32_t, std::int64_t> days_;
};

/// Counts records while they are drawn.
class AnswerKeyBuilder {
 public:
  /// delay: of the watermark, for the totals by event time; needs the number of partitions.
  explicit AnswerKeyBuilder(const Generator& generator, std::optional<Micros> delay = std::nullopt);
  void Add(const GeneratedEvent& event);
  AnswerKey Build() const;

 private:
  void AddByEventTime(const GeneratedEvent& event);
  std::optional<Micros> Watermark() const;

  AnswerKey key_;
  bool has_ids_;  // copies cannot be told without
  ValidSum valid_;
  ValidSum silver_;
  ValidSum late_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> late_ids_;
  GoldKey gold_;
  std::map<std::int32_t, Micros> newest_;  // event time, by partition
};

}  // namespace weir::generate
