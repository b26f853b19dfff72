#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/own_json.h"
#include "generate/answer_key.h"

namespace weir::generate {
namespace {

using Json = nlohmann::ordered_json;  // what is written is for people too
using OwnJson = nlohmann::json;

constexpr std::string_view kFormat = "weir-answer-key/1";

Json CountsToJson(const std::map<std::string, std::int64_t>& counts) {
  Json json = Json::object();
  for (const auto& [name, count] : counts) json[name] = count;
  return json;
}

std::string HexText(std::uint64_t value) { return fmt::format("{:016x}", value); }

Json CorpusToJson(const CorpusInfo& corpus) {
  return {{"seed", corpus.seed},      {"shape", corpus.shape},
          {"start_us", corpus.start}, {"start", FormatTime(corpus.start)},
          {"rate", corpus.rate},      {"mean_rate", corpus.mean_rate},
          {"faults", corpus.faults},  {"late_by_us", corpus.late_by}};
}

Json ValidToJson(const ValidTotals& valid) {
  return {{"rows", valid.rows},
          {"unique_rows", valid.unique_rows},
          {"event_types", CountsToJson(valid.event_types)},
          {"days", CountsToJson(valid.days)},
          {"price_sum", DecimalToString(valid.price_cents, 2)},
          {"quantity_sum", DecimalToString(valid.quantity, 0)},
          {"event_id_checksum", HexText(valid.id_checksum)},
          {"unique_event_id_checksum", HexText(valid.unique_id_checksum)}};
}

Json GoldToJson(const std::map<std::string, GoldTotals>& gold) {
  Json json = Json::object();
  for (const auto& [kind, totals] : gold) {
    json[kind] = {{"rows", totals.rows},
                  {"sums", CountsToJson(totals.sums)},
                  {"checksum", HexText(totals.checksum)}};
  }
  return json;
}

Json EventTimeToJson(const EventTimeTotals& totals) {
  Json json = {{"delay_us", totals.delay},
               {"silver", ValidToJson(totals.silver)},
               {"late", ValidToJson(totals.late)},
               {"duplicate", totals.duplicate}};
  Json& list = json["partitions"] = Json::array();
  for (const auto& [partition, ledger] : totals.partitions) {
    list.push_back({{"partition", partition},
                    {"read", ledger.read},
                    {"good", ledger.good},
                    {"duplicate", ledger.duplicate},
                    {"late", ledger.late},
                    {"quarantined", ledger.quarantined},
                    {"tombstone", ledger.tombstone}});
  }
  if (!totals.gold.empty()) json["gold"] = GoldToJson(totals.gold);
  return json;
}

std::map<std::string, std::int64_t> CountsFromJson(const OwnJson& json) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& [name, count] : json.items()) counts[name] = count.get<std::int64_t>();
  return counts;
}

// These throw as nlohmann does, to be caught in one place.
std::uint64_t HexFromJson(const OwnJson& json) {
  const auto text = json.get<std::string>();
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, 16);
  if (error != std::errc() || stop != end || text.size() != 16) {
    throw std::invalid_argument("a checksum must have 16 hex digits");
  }
  return value;
}

Int128 UnscaledFromJson(const OwnJson& json, std::size_t scale) {
  const auto text = json.get<std::string>();
  const std::size_t point = text.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : text.size() - point - 1;
  if (text.empty() || decimals != scale) throw std::invalid_argument("a sum of a wrong scale");
  Int128 value = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == point) continue;
    if (text[i] < '0' || text[i] > '9' || text.size() > 36) {
      throw std::invalid_argument("a sum must be digits");
    }
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

ValidTotals ValidFromJson(const OwnJson& valid) {
  return {.rows = valid.at("rows").get<std::int64_t>(),
          .unique_rows = valid.at("unique_rows").get<std::int64_t>(),
          .event_types = CountsFromJson(valid.at("event_types")),
          .days = CountsFromJson(valid.at("days")),
          .price_cents = UnscaledFromJson(valid.at("price_sum"), 2),
          .quantity = UnscaledFromJson(valid.at("quantity_sum"), 0),
          .id_checksum = HexFromJson(valid.at("event_id_checksum")),
          .unique_id_checksum = HexFromJson(valid.at("unique_event_id_checksum"))};
}

EventTimeTotals EventTimeFromJson(const OwnJson& json) {
  EventTimeTotals totals{.delay = json.at("delay_us").get<Micros>(),
                         .silver = ValidFromJson(json.at("silver")),
                         .late = ValidFromJson(json.at("late")),
                         .duplicate = json.at("duplicate").get<std::int64_t>(),
                         .partitions = {},
                         .gold = {}};
  for (const OwnJson& partition : json.at("partitions")) {
    totals.partitions[partition.at("partition").get<std::int32_t>()] = {
        .read = partition.at("read").get<std::int64_t>(),
        .good = partition.at("good").get<std::int64_t>(),
        .duplicate = partition.at("duplicate").get<std::int64_t>(),
        .late = partition.at("late").get<std::int64_t>(),
        .quarantined = partition.at("quarantined").get<std::int64_t>(),
        .tombstone = partition.at("tombstone").get<std::int64_t>()};
  }
  if (!json.contains("gold")) return totals;
  for (const auto& [kind, gold] : json.at("gold").items()) {
    totals.gold[kind] = {.rows = gold.at("rows").get<std::int64_t>(),
                         .sums = CountsFromJson(gold.at("sums")),
                         .checksum = HexFromJson(gold.at("checksum"))};
  }
  return totals;
}

AnswerKey KeyFromJson(const OwnJson& json) {
  AnswerKey key;
  if (json.at("format").get<std::string>() != kFormat) {
    throw std::invalid_argument(fmt::format("the format is not {}", kFormat));
  }
  const OwnJson& corpus = json.at("corpus");
  key.corpus = {.seed = corpus.at("seed").get<std::uint64_t>(),
                .shape = corpus.at("shape").get<std::string>(),
                .start = corpus.at("start_us").get<Micros>(),
                .rate = corpus.at("rate").get<std::int64_t>(),
                .mean_rate = corpus.at("mean_rate").get<std::int64_t>(),
                .faults = corpus.at("faults").get<std::string>(),
                .late_by = corpus.at("late_by_us").get<Micros>()};
  key.records = json.at("records").get<std::int64_t>();
  const OwnJson& planted = json.at("planted");
  key.planted = {.late = planted.at("late").get<std::int64_t>(),
                 .duplicate = planted.at("duplicate").get<std::int64_t>(),
                 .bad = planted.at("bad").get<std::int64_t>(),
                 .tombstone = planted.at("tombstone").get<std::int64_t>(),
                 .flaws = CountsFromJson(planted.at("flaws"))};
  key.valid = ValidFromJson(json.at("tables").at("valid"));
  const OwnJson& quarantine = json.at("tables").at("quarantine");
  key.quarantine = {.rows = quarantine.at("rows").get<std::int64_t>(),
                    .reasons = CountsFromJson(quarantine.at("reasons"))};
  for (const OwnJson& partition : json.at("partitions")) {
    key.partitions[partition.at("partition").get<std::int32_t>()] = {
        .read = partition.at("read").get<std::int64_t>(),
        .good = partition.at("good").get<std::int64_t>(),
        .duplicate = 0,
        .late = 0,
        .quarantined = partition.at("quarantined").get<std::int64_t>(),
        .tombstone = partition.at("tombstone").get<std::int64_t>()};
  }
  if (json.contains("event_time")) key.event_time = EventTimeFromJson(json.at("event_time"));
  return key;
}

}  // namespace

std::string AnswerKey::ToJson() const {
  Json json = {{"format", kFormat},
               {"corpus", CorpusToJson(corpus)},
               {"records", records},
               {"planted",
                {{"late", planted.late},
                 {"duplicate", planted.duplicate},
                 {"bad", planted.bad},
                 {"tombstone", planted.tombstone},
                 {"flaws", CountsToJson(planted.flaws)}}},
               {"tables",
                {{"valid", ValidToJson(valid)},
                 {"quarantine",
                  {{"rows", quarantine.rows}, {"reasons", CountsToJson(quarantine.reasons)}}}}}};
  Json& list = json["partitions"] = Json::array();
  for (const auto& [partition, totals] : partitions) {
    list.push_back({{"partition", partition},
                    {"read", totals.read},
                    {"good", totals.good},
                    {"quarantined", totals.quarantined},
                    {"tombstone", totals.tombstone}});
  }
  if (event_time) json["event_time"] = EventTimeToJson(*event_time);
  return json.dump(2) + "\n";
}

Result<AnswerKey> AnswerKey::FromJson(std::string_view text) {
  try {
    return KeyFromJson(ParseOwnJson(text));
  } catch (const std::exception& problem) {
    return WithRemedy(
        Corrupt(fmt::format("this is no answer key: {}", problem.what()), ErrorCode::kStateCorrupt),
        "write it again with `weir generate --answer-key FILE` and the same options");
  }
}

}  // namespace weir::generate
