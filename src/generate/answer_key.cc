#include "generate/answer_key.h"

#include <array>
#include <memory>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/check.h"

namespace weir::generate {
namespace {

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

// Starting a digest again on a kept context is several times faster than a fresh one.
EVP_MD_CTX* Sha256Context() {
  static thread_local std::unique_ptr<EVP_MD_CTX, FreeContext> context = [] {
    std::unique_ptr<EVP_MD_CTX, FreeContext> made(EVP_MD_CTX_new());
    WEIR_CHECK(made != nullptr);
    WEIR_CHECK(EVP_DigestInit_ex(made.get(), EVP_sha256(), nullptr) == 1);
    return made;
  }();
  return context.get();
}

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

void CompareValid(const ValidTotals& expected, const ValidTotals& found,
                  std::vector<std::string>& out) {
  Compare("valid.rows", expected.rows, found.rows, out);
  Compare("valid.unique_rows", expected.unique_rows, found.unique_rows, out);
  CompareCounts("valid.event_types", expected.event_types, found.event_types, out);
  CompareCounts("valid.days", expected.days, found.days, out);
  Compare("valid.price_sum", DecimalToString(expected.price_cents, 2),
          DecimalToString(found.price_cents, 2), out);
  Compare("valid.quantity_sum", DecimalToString(expected.quantity, 0),
          DecimalToString(found.quantity, 0), out);
  Compare("valid.event_id_checksum", fmt::format("{:016x}", expected.id_checksum),
          fmt::format("{:016x}", found.id_checksum), out);
  Compare("valid.unique_event_id_checksum", fmt::format("{:016x}", expected.unique_id_checksum),
          fmt::format("{:016x}", found.unique_id_checksum), out);
}

}  // namespace

void IdChecksum::Add(std::string_view event_id) {
  EVP_MD_CTX* context = Sha256Context();
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  WEIR_CHECK(EVP_DigestInit_ex(context, nullptr, nullptr) == 1);
  WEIR_CHECK(EVP_DigestUpdate(context, event_id.data(), event_id.size()) == 1);
  WEIR_CHECK(EVP_DigestFinal_ex(context, digest.data(), nullptr) == 1);
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 8; ++i) word = word << 8 | digest[i];
  sum_ += word;
}

std::vector<std::string> Differences(const AnswerKey& expected, const AnswerKey& found) {
  std::vector<std::string> out;
  CompareValid(expected.valid, found.valid, out);
  Compare("quarantine.rows", expected.quarantine.rows, found.quarantine.rows, out);
  CompareCounts("quarantine.reasons", expected.quarantine.reasons, found.quarantine.reasons, out);
  std::map<std::int32_t, std::array<PartitionTotals, 2>> both;
  for (const auto& [partition, totals] : expected.partitions) both[partition][0] = totals;
  for (const auto& [partition, totals] : found.partitions) both[partition][1] = totals;
  for (const auto& [partition, totals] : both) {
    const std::string what = fmt::format("partitions.{}", partition);
    Compare(what + ".read", totals[0].read, totals[1].read, out);
    Compare(what + ".good", totals[0].good, totals[1].good, out);
    Compare(what + ".quarantined", totals[0].quarantined, totals[1].quarantined, out);
    Compare(what + ".tombstone", totals[0].tombstone, totals[1].tombstone, out);
  }
  return out;
}

AnswerKeyBuilder::AnswerKeyBuilder(const Generator& generator)
    : holds_event_id_(generator.shape().holds_event_id()),
      holds_amounts_(generator.shape().holds_amounts()),
      event_types_(kEventTypeCount, 0) {
  const GeneratorOptions& options = generator.options();
  key_.corpus = {.seed = options.seed,
                 .shape = options.shape,
                 .start = *options.start,
                 .rate = static_cast<std::int64_t>(options.rate.value_or(0)),
                 .mean_rate = static_cast<std::int64_t>(options.mean_rate),
                 .faults = ToString(options.faults),
                 .late_by = options.faults.late_by};
  for (int partition = 0; partition < options.partitions; ++partition) key_.partitions[partition];
}

void AnswerKeyBuilder::Add(const GeneratedEvent& event) {
  const Planted& planted = event.planted;
  PartitionTotals nowhere;
  PartitionTotals& ledger = event.partition ? key_.partitions[event.partition->value()] : nowhere;
  ++key_.records;
  ++ledger.read;
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
  AddValid(event);
}

void AnswerKeyBuilder::AddValid(const GeneratedEvent& event) {
  const Planted& planted = event.planted;
  const bool is_copy = planted.fault == Fault::kDuplicate;
  ++key_.valid.rows;
  if (!is_copy) ++key_.valid.unique_rows;
  ++event_types_[static_cast<std::size_t>(planted.event_type)];
  ++days_[FloorDay(planted.event_time)];
  if (holds_amounts_) {
    key_.valid.quantity += planted.quantity;
    if (planted.price_cents != ShopEvent::kNoPrice) key_.valid.price_cents += planted.price_cents;
  }
  if (holds_event_id_) {
    const UuidText id = ToUuidText(planted.event_id);
    IdChecksum one;
    one.Add(std::string_view(id.data(), id.size()));
    ids_.Add(one.value());
    if (!is_copy) unique_ids_.Add(one.value());
  }
}

AnswerKey AnswerKeyBuilder::Build() const {
  AnswerKey key = key_;
  for (std::size_t type = 0; type < event_types_.size(); ++type) {
    if (event_types_[type] == 0) continue;
    key.valid.event_types[std::string(ToString(static_cast<EventType>(type)))] = event_types_[type];
  }
  for (const auto& [day, rows] : days_) key.valid.days[FormatDay(day)] = rows;
  key.valid.id_checksum = ids_.value();
  key.valid.unique_id_checksum = unique_ids_.value();
  return key;
}

}  // namespace weir::generate
