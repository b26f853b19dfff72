#include "state/state_log.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/own_json.h"
#include "state/state_json.h"

namespace weir::state {
namespace {

std::string JournalPrefix(const std::string& writer, std::int64_t epoch) {
  return fmt::format("journal/{}/{:020}/", writer, epoch);
}
std::string ClaimKey(std::int64_t number) { return fmt::format("claims/{:020}", number); }
constexpr const char* kContracts = "contracts/";
std::string ContractKey(std::int64_t number) { return fmt::format("{}{:020}", kContracts, number); }
std::string LogPrefix(const std::string& writer) { return "writers/" + writer + "/epochs/"; }
std::string SlotKey(const std::string& writer, std::int64_t epoch) {
  return fmt::format("{}{:020}", LogPrefix(writer), epoch);
}

std::string StateKey(const std::string& writer, std::int64_t epoch) {
  return fmt::format("state/{}/{:020}", writer, epoch);
}

// The number that follows a prefix, up to the next '/' or the end.
std::optional<std::int64_t> NumberAfter(std::string_view key, std::size_t prefix) {
  std::string_view digits = key.substr(prefix, key.find('/', prefix) - prefix);
  std::int64_t number = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

Result<std::vector<std::int64_t>> NumbersUnder(io::Store& store, const std::string& prefix) {
  WEIR_ASSIGN_OR_RETURN(auto objects, store.List(prefix));
  std::vector<std::int64_t> numbers;
  for (const auto& object : objects)
    if (auto number = NumberAfter(object.key, prefix.size())) numbers.push_back(*number);
  return numbers;
}

}  // namespace

// Rule "same bytes": an unknown or refused put is decided by what is stored. A lost reply may still
// land later, so an empty slot is put again with the same bytes.
Result<PutVerdict> StateLog::PutUntilKnown(const std::string& key, const std::string& bytes) {
  for (;;) {
    auto put = store_.PutIfAbsent(key, bytes);
    if (put && *put == io::PutOutcome::kStored) return PutVerdict::kMine;
    const bool refused = put.has_value();
    if (!refused && put.error().kind != ErrorKind::kCommitUnknown) return std::move(put).error();
    auto stored = store_.Get(key);
    if (stored) return *stored == bytes ? PutVerdict::kMine : PutVerdict::kTheirs;
    if (stored.error().kind != ErrorKind::kNotFound) return std::move(stored).error();
    if (refused) return PutVerdict::kVanished;
  }
}

Result<std::vector<std::int64_t>> StateLog::ClaimNumbers() {
  return NumbersUnder(store_, "claims/");
}

Result<std::optional<Claim>> StateLog::NewestClaim() {
  WEIR_ASSIGN_OR_RETURN(auto numbers, ClaimNumbers());
  if (numbers.empty()) return std::optional<Claim>();
  const std::string key = ClaimKey(std::ranges::max(numbers));
  WEIR_ASSIGN_OR_RETURN(auto bytes, store_.Get(key));
  auto claim = DecodeClaim(bytes);
  if (!claim) return WithContext(std::move(claim).error(), store_.Describe() + "/" + key);
  return std::optional<Claim>(std::move(claim).value());
}

Result<PutVerdict> StateLog::PutClaim(const Claim& claim) {
  return PutUntilKnown(ClaimKey(claim.number), Encode(claim));
}

Status StateLog::DeleteClaim(std::int64_t number) { return store_.Delete(ClaimKey(number)); }

Result<std::vector<ContractEntry>> StateLog::Contracts() {
  WEIR_ASSIGN_OR_RETURN(auto numbers, NumbersUnder(store_, kContracts));
  std::ranges::sort(numbers);
  std::vector<ContractEntry> entries;
  for (const std::int64_t number : numbers) {
    WEIR_ASSIGN_OR_RETURN(auto entry, ReadContract(number));
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<std::optional<ContractEntry>> StateLog::NewestContract() {
  WEIR_ASSIGN_OR_RETURN(const auto numbers, NumbersUnder(store_, kContracts));
  if (numbers.empty()) return std::optional<ContractEntry>();
  WEIR_ASSIGN_OR_RETURN(auto entry, ReadContract(std::ranges::max(numbers)));
  return std::optional(std::move(entry));
}

Result<PutVerdict> StateLog::PutContract(const ContractEntry& entry) {
  return PutUntilKnown(ContractKey(entry.number), Encode(entry));
}

Result<ContractEntry> StateLog::ReadContract(std::int64_t number) {
  const std::string key = ContractKey(number);
  WEIR_ASSIGN_OR_RETURN(const auto bytes, store_.Get(key));
  auto entry = DecodeContractEntry(bytes);
  if (!entry) return WithContext(std::move(entry).error(), store_.Describe() + "/" + key);
  return entry;
}

Result<std::vector<std::int64_t>> StateLog::Slots(const std::string& writer) {
  return NumbersUnder(store_, LogPrefix(writer));
}

Result<LogEntry> StateLog::ReadSlot(const std::string& writer, std::int64_t epoch) {
  const std::string key = SlotKey(writer, epoch);
  WEIR_ASSIGN_OR_RETURN(auto bytes, store_.Get(key));
  auto entry = DecodeLogEntry(bytes);
  if (!entry) return WithContext(std::move(entry).error(), store_.Describe() + "/" + key);
  return entry;
}

Result<PutVerdict> StateLog::PutSlot(const std::string& writer, std::int64_t epoch,
                                     const std::string& bytes) {
  return PutUntilKnown(SlotKey(writer, epoch), bytes);
}

Status StateLog::DeleteSlot(const std::string& writer, std::int64_t epoch) {
  return store_.Delete(SlotKey(writer, epoch));
}

Result<std::map<std::string, std::size_t>> StateLog::Writers() {
  std::map<std::string, std::size_t> writers;
  for (const std::string_view prefix : {"writers/", "journal/", "state/"}) {
    WEIR_ASSIGN_OR_RETURN(auto objects, store_.List(std::string(prefix)));
    for (const auto& object : objects)
      ++writers[object.key.substr(prefix.size(),
                                  object.key.find('/', prefix.size()) - prefix.size())];
  }
  return writers;
}

Status StateLog::PutJournal(const std::string& writer, std::int64_t epoch, int part,
                            const std::vector<std::string>& files) {
  const std::string key = fmt::format("{}{:06}", JournalPrefix(writer, epoch), part);
  WEIR_ASSIGN_OR_RETURN(auto verdict, PutUntilKnown(key, nlohmann::json(files).dump()));
  if (verdict != PutVerdict::kMine) return Internal("journal entry " + key + " is somebody else's");
  return Ok();
}

Result<std::vector<StateLog::JournalEntry>> StateLog::Journals(const std::string& writer) {
  const std::string prefix = "journal/" + writer + "/";
  WEIR_ASSIGN_OR_RETURN(auto objects, store_.List(prefix));
  std::vector<JournalEntry> entries;
  for (const auto& object : objects)
    if (auto epoch = NumberAfter(object.key, prefix.size()))
      entries.push_back({*epoch, object.key});
  return entries;
}

Result<std::vector<StateLog::JournalEntry>> StateLog::Journals(const std::string& writer,
                                                               std::int64_t epoch) {
  WEIR_ASSIGN_OR_RETURN(auto objects, store_.List(JournalPrefix(writer, epoch)));
  std::vector<JournalEntry> entries;
  entries.reserve(objects.size());
  for (const auto& object : objects) entries.push_back({epoch, object.key});
  return entries;
}

Result<std::vector<std::string>> StateLog::ReadJournal(const JournalEntry& entry) {
  WEIR_ASSIGN_OR_RETURN(auto bytes, store_.Get(entry.key));
  try {
    return nlohmann::json::parse(bytes).get<std::vector<std::string>>();
  } catch (const std::exception& error) {
    return Corrupt(entry.key + ": " + error.what(), ErrorCode::kStateCorrupt);
  }
}

Status StateLog::DeleteJournal(const JournalEntry& entry) { return store_.Delete(entry.key); }

Status StateLog::PutState(const std::string& writer, std::int64_t epoch, const std::string& bytes) {
  const std::string key = StateKey(writer, epoch);
  WEIR_ASSIGN_OR_RETURN(auto verdict, PutUntilKnown(key, bytes));
  if (verdict != PutVerdict::kMine) return Internal("state object " + key + " is somebody else's");
  return Ok();
}

Result<std::vector<StateSection>> StateLog::ReadState(const std::string& writer,
                                                      std::int64_t epoch) {
  const std::string key = StateKey(writer, epoch);
  WEIR_ASSIGN_OR_RETURN(auto bytes, store_.Get(key));
  auto sections = DecodeState(bytes);
  if (!sections) return WithContext(std::move(sections).error(), store_.Describe() + "/" + key);
  return sections;
}

Result<std::vector<std::int64_t>> StateLog::States(const std::string& writer) {
  return NumbersUnder(store_, "state/" + writer + "/");
}

Status StateLog::DeleteState(const std::string& writer, std::int64_t epoch) {
  return store_.Delete(StateKey(writer, epoch));
}

Status StateLog::KeepDecisions(const EpochRecord& record) {
  if (record.decisions.empty()) return Ok();
  nlohmann::json json = {{"writer", record.writer}, {"epoch", record.epoch}, {"time", record.time}};
  if (record.shared.watermark) json["watermark"] = *record.shared.watermark;
  for (const Decision& decision : record.decisions) json["decisions"].push_back(ToJson(decision));
  const std::string key =
      fmt::format("decisions/{:020}-{}-{:020}", record.time, record.writer, record.epoch);
  auto verdict = PutUntilKnown(key, json.dump());
  return verdict ? Ok() : Status(std::move(verdict).error());
}

Result<std::vector<StateLog::DecidedEpoch>> StateLog::KeptDecisions() {
  WEIR_ASSIGN_OR_RETURN(auto objects, store_.List("decisions/"));
  std::ranges::sort(objects, {}, &io::ObjectInfo::key);
  std::vector<DecidedEpoch> kept;
  for (const auto& object : objects) {
    WEIR_ASSIGN_OR_RETURN(auto bytes, store_.Get(object.key));
    try {
      const auto json = ParseOwnJson(bytes);
      DecidedEpoch epoch;
      json.at("writer").get_to(epoch.writer);
      json.at("epoch").get_to(epoch.epoch);
      json.at("time").get_to(epoch.time);
      if (auto found = json.find("watermark"); found != json.end())
        epoch.watermark = found->get<Micros>();
      for (const auto& decision : json.at("decisions"))
        epoch.decisions.push_back(DecisionFrom(decision));
      kept.push_back(std::move(epoch));
    } catch (const std::exception& error) {
      return Corrupt(object.key + ": " + error.what(), ErrorCode::kStateCorrupt);
    }
  }
  return kept;
}

}  // namespace weir::state
