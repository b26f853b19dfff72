#include "engine/event_operators.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/log.h"
#include "config/table_columns.h"
#include "engine/gold_table.h"
#include "engine/operator_clock.h"
#include "engine/state_keeper.h"
#include "engine/state_rules.h"
#include "stream/dedupe.h"
#include "stream/future_check.h"

namespace weir::engine {
namespace {

using config::TableFrom;
using stream::EventRow;

constexpr const char* kDedupePart = "dedupe";
constexpr std::size_t kRowsOfLook = 1 << 16;

const DedupeRules* DedupeOf(const config::PipelineSpec& spec) {
  for (const auto& table : spec.tables)
    if (table.dedupe) return &*table.dedupe;
  return nullptr;
}

// One table of the operators with what a cut gives it.
struct Gold {
  std::string name;
  bool over_valid = false;  // windows that judge lateness by themselves
  std::unique_ptr<GoldTable> table;
};

class Operators final : public EventOperators {
 public:
  Operators(const config::PipelineSpec& spec, const Schema& rows, state::StateLog& log,
            const std::string& writer, const std::optional<ReplayTarget>& replay)
      : spec_(spec),
        rules_(*spec.watermark),
        clock_(rules_, replay),
        keeper_(log, writer),
        time_column_(*rows.IndexOf(spec.contract.event_time_field)) {
    if (const DedupeRules* dedupe = DedupeOf(spec)) dedupe_.emplace(rows, *dedupe);
  }

  Status AddTables(const Schema& rows);
  Status Restore(const state::Claim& claim, Micros running);

  void RejectFuture(const Batch& batch, Micros ingestion_time,
                    std::vector<std::uint32_t>* good_rows,
                    std::vector<Rejection>* rejected) override;
  void Admit(const Batch& batch, std::span<const LogRecord> records,
             std::span<const std::uint32_t> good_rows, std::span<const RecordFloor> floors,
             Admission* out) override;
  void AddPartition(Partition partition, Micros running) override {
    clock_.Add(partition, {}, running);
  }
  bool CutIsDue(const CutInput& input) const override {
    return clock_.CutIsDue(input.running, input.source);
  }
  Result<OperatorCut> Cut(const CutInput& input) override;
  std::map<std::string, OperatorOutput>& outputs() override { return outputs_; }
  Status CollectState() override { return keeper_.Collect(); }
  std::string DescribeOpen() const override;

 private:
  Status ReadParts(const StateKeeper::Scope& scope, const StateKeeper::Parts& parts);
  void TakeRows(const Batch& batch, std::span<const LogRecord> records,
                std::span<const std::uint32_t> good_rows);
  void JudgeByTables(const Batch& batch);
  void Miss(std::size_t row, const std::string& table);
  void NoteJoins(std::map<std::pair<Partition, Offset>, Micros>* floors);
  void BeginOutputs();
  void CloseSome(std::size_t rows);
  void CloseEarly(Micros watermark);
  void Close(Micros watermark);
  void WriteDecisions(const CutInput& input);
  Status SaveState(std::int64_t epoch);
  Status CheckMemory() const;
  void WarnOfSpreadKeys(const std::map<std::string, std::int64_t>& sizes);
  std::map<std::string, std::int64_t> Sizes() const;
  std::size_t bytes() const;
  Partition home() const { return clock_.partitions().begin()->first; }

  const config::PipelineSpec& spec_;
  WatermarkRules rules_;
  OperatorClock clock_;
  std::optional<stream::Dedupe> dedupe_;
  StateKeeper keeper_;
  std::size_t time_column_;
  std::vector<Gold> gold_;
  std::map<std::string, OperatorOutput> outputs_;
  std::string decisions_table_;  // empty: none
  std::string tables_on_time_;   // that take no row behind its watermark: "a, b"
  std::vector<Decision> decisions_;
  bool finished_ = false;
  bool outputs_begun_ = false;  // they belong to the epoch at hand
  std::size_t rows_since_look_ = 0;
  bool warned_of_spread_keys_ = false;

  // Reused for every batch.
  std::vector<EventRow> rows_;
  std::vector<std::string> missed_;  // of rows_: the tables
  bool any_missed_ = false;
  std::vector<EventRow> late_for_one_;
  GoldCut cut_;
};

Status Operators::AddTables(const Schema& rows) {
  for (const auto& table : spec_.tables) {
    const bool on_time = table.from == TableFrom::kValid || table.from == TableFrom::kSessions ||
                         table.from == TableFrom::kActiveUsers ||
                         (table.from == TableFrom::kWindows && dedupe_);
    if (on_time) tables_on_time_ += (tables_on_time_.empty() ? "" : ", ") + table.name;
    if (table.from != TableFrom::kDecisions) continue;
    decisions_table_ = table.name;
    outputs_.try_emplace(table.name,
                         std::make_shared<const Schema>(config::TableColumns(spec_, table)));
  }
  for (const config::TableSpec* table : GoldTablesOf(spec_)) {
    auto columns = std::make_shared<const Schema>(config::TableColumns(spec_, *table));
    Gold gold{.name = table->name,
              .over_valid = table->from == TableFrom::kWindows && !dedupe_,
              .table = nullptr};
    WEIR_ASSIGN_OR_RETURN(gold.table, MakeGoldTable(spec_, *table, rows, columns));
    outputs_.try_emplace(table->name, std::move(columns));
    gold_.push_back(std::move(gold));
  }
  return Ok();
}

Status Operators::Restore(const state::Claim& claim, Micros running) {
  for (const auto& [partition, entry] : claim.partitions)
    clock_.Add(partition, entry.start.clock, running);
  if (claim.shared.watermark) clock_.SetPipelineWatermark(*claim.shared.watermark);
  Status restored = keeper_.Restore(
      claim, [&](const auto& scope, const auto& parts) { return ReadParts(scope, parts); });
  if (!restored) return restored;
  // What the restored watermark closes was given out before.
  if (!clock_.partitions().empty()) Close(clock_.pipeline_watermark());
  outputs_begun_ = false;
  return Ok();
}

Status Operators::ReadParts(const StateKeeper::Scope& scope, const StateKeeper::Parts& parts) {
  if (auto part = parts.find(kDedupePart); scope && dedupe_ && part != parts.end()) {
    WireReader in(part->second);
    WEIR_TRY(dedupe_->Read(*scope, in));
  }
  for (Gold& gold : gold_) WEIR_TRY(gold.table->Read(scope, parts));
  return Ok();
}

void Operators::RejectFuture(const Batch& batch, Micros ingestion_time,
                             std::vector<std::uint32_t>* good_rows,
                             std::vector<Rejection>* rejected) {
  if (rules_.max_future)
    stream::RejectFuture(batch, time_column_, ingestion_time, *rules_.max_future, good_rows,
                         rejected);
}

void Operators::Admit(const Batch& batch, std::span<const LogRecord> records,
                      std::span<const std::uint32_t> good_rows, std::span<const RecordFloor> floors,
                      Admission* out) {
  out->Clear();
  TakeRows(batch, records, good_rows);
  clock_.Observe(rows_, floors);
  for (const RecordFloor& floor : floors)
    out->floors[{floor.partition, floor.offset}] = floor.floor;
  NoteJoins(&out->floors);
  any_missed_ = false;
  if (!tables_on_time_.empty())
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (rows_[i].event_time < rows_[i].watermark) Miss(i, tables_on_time_);
  JudgeByTables(batch);
  if (!any_missed_) {
    out->first = rows_;
  } else {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (missed_[i].empty()) {
        out->first.push_back(rows_[i]);
      } else {
        out->late.push_back(rows_[i]);
        out->missed.push_back(std::move(missed_[i]));
      }
    }
  }
  if (dedupe_) dedupe_->Admit(batch, &out->first, &out->duplicates);
  for (Gold& gold : gold_)
    if (!gold.over_valid) gold.table->Add(batch, out->first, nullptr);
  CloseSome(rows_.size());
}

void Operators::TakeRows(const Batch& batch, std::span<const LogRecord> records,
                         std::span<const std::uint32_t> good_rows) {
  const Column& times = batch.columns[time_column_];
  rows_.resize(good_rows.size());
  for (std::size_t i = 0; i < good_rows.size(); ++i) {
    const std::uint32_t row = good_rows[i];
    const LogRecord& record = records[batch.records[row]];
    rows_[i] = {.row = row,
                .partition = record.partition,
                .offset = record.offset,
                .event_time = times.Long(row),
                .watermark = kNoWatermark};
  }
}

void Operators::JudgeByTables(const Batch& batch) {
  for (Gold& gold : gold_) {
    if (!gold.over_valid) continue;
    late_for_one_.clear();
    gold.table->Add(batch, rows_, &late_for_one_);
    for (const EventRow& late : late_for_one_) {
      const auto at = std::ranges::lower_bound(rows_, late.row, {}, &EventRow::row);
      Miss(static_cast<std::size_t>(at - rows_.begin()), gold.name);
    }
  }
}

void Operators::Miss(std::size_t row, const std::string& table) {
  if (!any_missed_) missed_.assign(rows_.size(), {});
  any_missed_ = true;
  missed_[row] += (missed_[row].empty() ? "" : ", ") + table;
}

void Operators::NoteJoins(std::map<std::pair<Partition, Offset>, Micros>* floors) {
  for (Decision& decision : clock_.TakeDecisions()) {
    if (decision.kind == DecisionKind::kJoined)
      (*floors)[{decision.partition, decision.offset}] = decision.value;
    decisions_.push_back(decision);
  }
}

Result<OperatorCut> Operators::Cut(const CutInput& input) {
  clock_.Cut(input.running, input.source);
  for (Decision& decision : clock_.TakeDecisions()) decisions_.push_back(decision);
  constexpr Micros kEndOfTime = INT64_MAX;
  finished_ = input.close_all;
  Close(finished_ ? kEndOfTime : clock_.pipeline_watermark());
  if (dedupe_)
    for (const auto& [partition, clock] : clock_.partitions())
      dedupe_->Sweep(partition, WatermarkOf(clock, rules_.delay));
  WriteDecisions(input);
  WEIR_TRY(CheckMemory());
  WEIR_TRY(SaveState(input.epoch));

  OperatorCut cut;
  cut.clocks = clock_.partitions();
  for (const auto& [partition, clock] : cut.clocks)
    cut.chains[partition] = keeper_.chain(partition);
  if (clock_.pipeline_watermark() != kNoWatermark)
    cut.shared.watermark = clock_.pipeline_watermark();
  cut.shared.state = keeper_.chain(std::nullopt);
  cut.shared.rules = StateRulesOf(spec_);
  cut.shared.finished = finished_;
  cut.shared.sizes = Sizes();
  WarnOfSpreadKeys(cut.shared.sizes);
  outputs_begun_ = false;
  rows_since_look_ = 0;
  cut.decisions = std::exchange(decisions_, {});
  return cut;
}

// Once: a topic that is not keyed by what its sessions are kept by.
void Operators::WarnOfSpreadKeys(const std::map<std::string, std::int64_t>& sizes) {
  if (warned_of_spread_keys_) return;
  for (const Gold& gold : gold_) {
    const auto found = sizes.find(gold.name + "." + kKeysInSeveral);
    if (found == sizes.end() || found->second == 0) continue;
    warned_of_spread_keys_ = true;
    log::Warn("keys of sessions come in several partitions: the topic is not keyed by them",
              {{"table", gold.name}, {"keys", found->second}});
  }
}

void Operators::BeginOutputs() {
  if (std::exchange(outputs_begun_, true)) return;
  for (auto& [name, output] : outputs_) {
    output.rows.Clear();
    output.replaced.clear();
    output.final_rows.clear();
    output.open_rows.clear();
  }
}

// A long epoch would gather what could long have been given out.
void Operators::CloseSome(std::size_t rows) {
  rows_since_look_ += rows;
  if (rows_since_look_ < kRowsOfLook) return;
  rows_since_look_ = 0;
  const Micros before = clock_.pipeline_watermark();
  clock_.Look();
  if (clock_.pipeline_watermark() == before) return;
  CloseEarly(clock_.pipeline_watermark());
}

void Operators::CloseEarly(Micros watermark) {
  BeginOutputs();
  cut_.watermark = watermark;
  cut_.closed.clear();
  for (Gold& gold : gold_) gold.table->CloseEarly(cut_, outputs_.at(gold.name));
}

void Operators::Close(Micros watermark) {
  CloseEarly(watermark);
  cut_.home = home();
  cut_.open.clear();
  for (Gold& gold : gold_) gold.table->Close(cut_, outputs_.at(gold.name));
}

void Operators::WriteDecisions(const CutInput& input) {
  if (decisions_table_.empty() || decisions_.empty()) return;
  OperatorOutput& output = outputs_.at(decisions_table_);
  auto& columns = output.rows.columns;
  auto put_time = [](Column& column, Micros time) {
    time == kNoWatermark ? column.AppendNull() : column.AppendLong(time);
  };
  for (const Decision& decision : decisions_) {
    columns[0].AppendLong(input.epoch);
    columns[1].AppendString(ToString(decision.kind));
    columns[2].AppendInt(decision.partition.value());
    columns[3].AppendLong(decision.offset.value());
    put_time(columns[4], decision.value);
    put_time(columns[5], clock_.pipeline_watermark());
    columns[6].AppendLong(input.now);
    output.rows.records.push_back(0);
    ++output.final_rows[decision.partition];
  }
}

Status Operators::SaveState(std::int64_t epoch) {
  std::set<StateKeeper::Scope> scopes{std::nullopt};
  for (const auto& [partition, clock] : clock_.partitions()) scopes.insert(partition);
  return keeper_.Save(epoch, scopes, [&](const StateKeeper::Scope& scope, bool base) {
    StateKeeper::Parts parts;
    if (scope && dedupe_) {
      WireWriter out;
      base ? dedupe_->WriteBase(*scope, out) : dedupe_->WriteDelta(*scope, out);
      if (out.size() > 0) parts[kDedupePart] = out.Take();
    }
    for (Gold& gold : gold_) gold.table->Write(scope, base, parts);
    return parts;
  });
}

std::size_t Operators::bytes() const {
  std::size_t bytes = dedupe_ ? dedupe_->bytes() : 0;
  for (const Gold& gold : gold_) bytes += gold.table->bytes();
  return bytes;
}

Status Operators::CheckMemory() const {
  if (bytes() <= static_cast<std::size_t>(spec_.state_memory_bytes)) return Ok();
  std::string shares;
  for (const auto& [name, size] : Sizes())
    if (name.ends_with(".bytes")) shares += fmt::format(" {} {} MiB,", name, size >> 20);
  if (!shares.empty()) shares.pop_back();
  return InvalidInput(
      fmt::format("the operator state takes {} MiB and `state_memory` allows {} MiB:"
                  "{}; the epoch was given up and will be read again",
                  bytes() >> 20, spec_.state_memory_bytes >> 20, shares),
      ErrorCode::kStateTooLarge);
}

std::map<std::string, std::int64_t> Operators::Sizes() const {
  std::map<std::string, std::int64_t> sizes;
  if (dedupe_) {
    sizes["dedupe.keys"] = static_cast<std::int64_t>(dedupe_->keys());
    sizes["dedupe.bytes"] = static_cast<std::int64_t>(dedupe_->bytes());
    sizes["dedupe.cross_partition_keys"] = dedupe_->cross_partition_keys();
  }
  for (const Gold& gold : gold_)
    for (const auto& [what, size] : gold.table->Sizes()) sizes[gold.name + "." + what] = size;
  return sizes;
}

std::string Operators::DescribeOpen() const {
  std::string text;
  for (const Gold& gold : gold_) {
    const std::string open = gold.table->DescribeOpen();
    if (!open.empty()) text += (text.empty() ? "" : ", ") + gold.name + ": " + open;
  }
  if (text.empty()) return text;
  return text + "; " + clock_.Explain();
}

}  // namespace

void Admission::Clear() {
  first.clear();
  duplicates.clear();
  late.clear();
  missed.clear();
  floors.clear();
}

Result<std::unique_ptr<EventOperators>> EventOperators::Make(
    const config::PipelineSpec& spec, const Schema& rows, state::StateLog& log,
    const std::string& writer, const state::Claim& claim, Micros running,
    const std::optional<ReplayTarget>& replay) {
  WEIR_TRY(CheckStateRules(spec, claim));
  if (!spec.watermark) return std::unique_ptr<EventOperators>();
  auto operators = std::make_unique<Operators>(spec, rows, log, writer, replay);
  WEIR_TRY(operators->AddTables(rows));
  WEIR_TRY(operators->Restore(claim, running));
  return std::unique_ptr<EventOperators>(std::move(operators));
}

}  // namespace weir::engine
