#include "engine/pipeline.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/fail_point.h"
#include "base/log.h"
#include "base/random.h"
#include "base/seeded_bug.h"
#include "engine/apply_lane.h"
#include "engine/epoch_builder.h"
#include "engine/event_operators.h"
#include "engine/startup.h"

namespace weir::engine {
namespace {

constexpr Micros kPollWait = 100 * kMicrosPerMilli;
constexpr auto kDecidingWait = std::chrono::milliseconds(5);
constexpr std::size_t kPollRecords = 4'096;  // what caches hold from the fetch to the columns
constexpr Micros kLookForPartitionsEvery = 30 * kMicrosPerSecond;
constexpr Micros kBoundedPatience = 60 * kMicrosPerSecond;

class RunningPipeline final : public Pipeline {
 public:
  RunningPipeline(const config::PipelineSpec& spec, const PipelineParts& parts, RunOptions options,
                  PatienceRules patience)
      : spec_(spec),
        parts_(parts),
        options_(std::move(options)),
        patience_(std::move(patience)),
        log_(parts.state) {}

  Status Prepare();
  Result<RunSummary> Run() override;

 private:
  Result<StopReason> ReadLoop();
  Status PollOnce(Patience& source_patience);
  Status Prepare(const LogBatch& batch);
  std::optional<StopReason> ShouldStop() const;
  bool EpochIsFull() const;
  bool CaughtUp() const;
  bool CutIsDue();
  Status CutLast(StopReason reason);
  CutInput InputOf(bool last);
  Status CutEpoch(const CutInput& input);
  Status CutEpoch();
  Status Decide(const state::EpochRecord& record, std::vector<parquet::UnfinishedFile> unfinished);
  Status Settle();
  Status SettleIfDecided();
  Status OnDecided(state::EpochRecord record);
  state::EpochRecord RecordOf(EpochContent content);
  void FillPartition(Partition partition, const EpochContent& content, state::PartitionEpoch& part);
  Status PutRecord(const state::EpochRecord& record);
  Status AfterRecord(const state::EpochRecord& record);
  Status LookForPartitions();
  void OnApplied(const state::EpochRecord& record) const;

  const config::PipelineSpec& spec_;
  PipelineParts parts_;
  RunOptions options_;
  PatienceRules patience_;
  state::StateLog log_;
  Started started_;
  std::map<Partition, state::PartitionStanding> standings_;
  std::map<Partition, std::int64_t> since_;
  std::unique_ptr<EventOperators> operators_;  // nullptr: no event time
  std::unique_ptr<EpochBuilder> builder_;
  std::unique_ptr<Collector> collector_;
  std::unique_ptr<ApplyLane> lane_;

  std::int64_t epoch_ = 1;  // number of the open epoch
  std::string previous_hash_;
  Micros started_at_ = 0;                          // monotonic
  Micros epoch_opened_at_ = 0;                     // monotonic, of its first record
  Micros looked_for_cut_at_ = 0;                   // monotonic
  Micros partitions_seen_at_ = 0;                  // monotonic
  std::map<std::int64_t, OffsetMap> cut_offsets_;  // decided, not yet reported to the source
  RunSummary summary_;

  // A cut epoch whose files are on their way, and which is decided on a thread of its own.
  struct Deciding {
    state::EpochRecord record;
    std::vector<parquet::UnfinishedFile> unfinished;
    std::future<Status> done;
  };
  std::optional<Deciding> deciding_;  // last: it uses the members above
};

Status RunningPipeline::Prepare() {
  WEIR_ASSIGN_OR_RETURN(started_, StartUp(spec_, parts_, log_, options_, patience_));
  OffsetMap start;
  for (const auto& [partition, entry] : started_.claim.partitions) {
    standings_[partition] = entry.start;
    since_[partition] = entry.since;
    start[partition] = entry.start.next_offset;
  }
  started_at_ = parts_.clock.Monotonic();
  WEIR_ASSIGN_OR_RETURN(
      operators_, EventOperators::Make(spec_, TableSchema(spec_.contract), log_, started_.writer,
                                       started_.claim, /*running=*/0, options_.replay));
  WEIR_ASSIGN_OR_RETURN(builder_, EpochBuilder::Make(spec_, started_.tables, log_, operators_.get(),
                                                     started_.writer));
  WEIR_TRY(parts_.source.Assign(start));
  collector_ = std::make_unique<Collector>(log_, started_.tables, parts_.keep_records);
  collector_->CollectDead(started_.claim, started_.predecessors);
  lane_ = std::make_unique<ApplyLane>(
      Applier(parts_.clock, patience_, started_.tables), *collector_, started_.tables,
      [this](const auto& record) { OnApplied(record); }, parts_.apply_turn);
  return Ok();
}

Result<RunSummary> RunningPipeline::Run() {
  partitions_seen_at_ = parts_.clock.Monotonic();
  builder_->Begin(epoch_);
  auto reason = ReadLoop();
  // Whatever ended the loop, what was cut is decided and brought into the tables before we leave.
  Status settled = Settle();
  Status drained = lane_->Drain();
  if (!reason) return std::move(reason).error();
  WEIR_TRY(std::move(settled));
  WEIR_TRY(std::move(drained));
  WEIR_TRY(parts_.source.ReportProgress(parts_.source.Positions()));
  summary_.reason = *reason;
  summary_.elapsed = parts_.clock.Monotonic() - started_at_;
  if (operators_) summary_.open = operators_->DescribeOpen();
  return summary_;
}

Result<StopReason> RunningPipeline::ReadLoop() {
  Patience source_patience(parts_.clock, patience_, "the source");
  for (;;) {
    if (auto reason = ShouldStop()) {
      WEIR_TRY(Settle());
      WEIR_TRY(CutLast(*reason));
      return *reason;
    }
    WEIR_TRY(SettleIfDecided());
    WEIR_TRY(lane_->Health());
    WEIR_TRY(PollOnce(source_patience));
    if (EpochIsFull() || CutIsDue()) WEIR_TRY(CutEpoch());
    if (parts_.clock.Monotonic() - partitions_seen_at_ >= kLookForPartitionsEvery)
      WEIR_TRY(LookForPartitions());
  }
}

Status RunningPipeline::PollOnce(Patience& source_patience) {
  // While an epoch is being decided that is waited for, with a look for records now and then.
  Micros wait = deciding_ ? 0 : kPollWait;
  if (builder_->records() > 0) {
    const Micros open_for = parts_.clock.Monotonic() - epoch_opened_at_;
    wait = std::clamp<Micros>(spec_.epoch.every - open_for, 0, wait);
  }
  // A full epoch was cut before, so there is room for one record at least.
  const auto room = static_cast<std::size_t>(spec_.epoch.max_rows - builder_->records());
  auto batch = parts_.source.Poll(wait, std::min(kPollRecords, room));
  if (!batch) {
    if (batch.error().kind != ErrorKind::kUnavailable) return std::move(batch).error();
    return source_patience.After(batch.error());
  }
  source_patience.Reset();
  if (batch->empty()) {
    if (deciding_) deciding_->done.wait_for(kDecidingWait);
    return Ok();
  }
  WEIR_TRY(Prepare(*batch));
  if (builder_->records() == 0) epoch_opened_at_ = parts_.clock.Monotonic();
  return builder_->Add(*batch, batch->ingestion_time.value_or(parts_.clock.Now()));
}

// A registry that is away is waited for as the source is: what was polled is not lost.
Status RunningPipeline::Prepare(const LogBatch& batch) {
  Patience patience(parts_.clock, patience_, "the schema registry");
  for (;;) {
    Status prepared = builder_->Prepare(batch);
    if (prepared || prepared.error().kind != ErrorKind::kUnavailable) return prepared;
    WEIR_TRY(patience.After(prepared.error()));
  }
}

std::optional<StopReason> RunningPipeline::ShouldStop() const {
  if (options_.stop.stop_requested()) return StopReason::kStopAsked;
  if (options_.run_for && parts_.clock.Monotonic() - started_at_ >= *options_.run_for)
    return StopReason::kTimeUp;
  if (options_.once && CaughtUp()) return StopReason::kCaughtUp;
  if (options_.contract_waits && options_.contract_waits()) return StopReason::kContractWaits;
  return std::nullopt;
}

bool RunningPipeline::EpochIsFull() const {
  if (builder_->records() == 0) return false;
  return parts_.clock.Monotonic() - epoch_opened_at_ >= spec_.epoch.every ||
         builder_->records() >= spec_.epoch.max_rows || builder_->bytes() >= spec_.epoch.max_bytes;
}

bool RunningPipeline::CaughtUp() const {
  const OffsetMap positions = parts_.source.Positions();
  return std::ranges::all_of(started_.topic.partitions, [&](const auto& entry) {
    auto at = positions.find(entry.first);
    return at != positions.end() && at->second >= entry.second.end;
  });
}

// An epoch without records can be due: a partition fell silent, and windows close.
bool RunningPipeline::CutIsDue() {
  if (!operators_ || builder_->records() > 0) return false;
  const Micros now = parts_.clock.Monotonic();
  if (now - looked_for_cut_at_ < spec_.epoch.every) return false;
  looked_for_cut_at_ = now;
  return operators_->CutIsDue(InputOf(false));
}

Status RunningPipeline::CutLast(StopReason reason) {
  CutInput input = InputOf(reason == StopReason::kCaughtUp);
  input.close_all = options_.final_watermark && reason != StopReason::kStopAsked &&
                    reason != StopReason::kContractWaits;
  const bool due =
      builder_->records() > 0 || (operators_ && (input.close_all || operators_->CutIsDue(input)));
  return due ? CutEpoch(input) : Ok();
}

// last: everything that was there is read, and partitions that never held a record are empty.
CutInput RunningPipeline::InputOf(bool last) {
  CutInput input{.epoch = epoch_,
                 .running = parts_.clock.Monotonic() - started_at_,
                 .now = parts_.clock.Now(),
                 .source = {},
                 .close_all = false};
  if (!operators_) return input;
  const OffsetMap positions = parts_.source.Positions();
  const std::set<Partition> at_end = parts_.source.AtEnd();
  for (const auto& [partition, next] : positions) {
    auto standing = standings_.find(partition);
    if (standing == standings_.end()) continue;
    const bool moved = next != standing->second.next_offset;
    input.source[partition] = {.next_offset = next,
                               .read_to_end = at_end.contains(partition),
                               .empty = last && !moved && standing->second.total.read == 0};
  }
  return input;
}

// The epoch before is decided first: what this one starts from is where that one ended.
Status RunningPipeline::CutEpoch() {
  WEIR_TRY(Settle());
  return CutEpoch(InputOf(false));
}

// Steps 1 and 2 of the protocol: finish the files, decide by one put. Step 3 is the lane's. Across
// a network the next epoch is read meanwhile; nothing of it is decided before this one is.
Status RunningPipeline::CutEpoch(const CutInput& input) {
  WEIR_CHECK(!deciding_);
  Reach(FailPoint::kUploadBefore);
  WEIR_ASSIGN_OR_RETURN(auto content, builder_->Cut(input));
  std::vector<parquet::UnfinishedFile> unfinished = std::move(content.unfinished);
  state::EpochRecord record = RecordOf(std::move(content));
  if (HasBug(SeededBug::kTablesBeforeRecord)) {
    WEIR_TRY(lane_->Submit(record));
    WEIR_TRY(lane_->Drain());
  }
  if (!builder_->uploads()) {
    WEIR_TRY(Decide(record, std::move(unfinished)));
    WEIR_TRY(OnDecided(std::move(record)));
  } else {
    deciding_.emplace().record = std::move(record);
    deciding_->unfinished = std::move(unfinished);
    const auto decide = [this] {
      return Decide(deciding_->record, std::move(deciding_->unfinished));
    };
    try {
      deciding_->done = std::async(std::launch::async, decide);
    } catch (const std::system_error&) {
      deciding_->done = std::async(std::launch::deferred, decide);  // no thread to be had
    }
  }
  builder_->Begin(++epoch_);
  return Ok();
}

Status RunningPipeline::Decide(const state::EpochRecord& record,
                               std::vector<parquet::UnfinishedFile> unfinished) {
  WEIR_TRY(parquet::FinishFiles(std::move(unfinished)));
  Reach(FailPoint::kUploadAfter);
  return PutRecord(record);
}

Status RunningPipeline::SettleIfDecided() {
  const bool decided =
      deciding_ && deciding_->done.wait_for(std::chrono::seconds(0)) != std::future_status::timeout;
  return decided ? Settle() : Ok();
}

Status RunningPipeline::Settle() {
  if (!deciding_) return Ok();
  Status decided = deciding_->done.get();
  state::EpochRecord record = std::move(deciding_->record);
  deciding_.reset();
  WEIR_TRY(std::move(decided));
  return OnDecided(std::move(record));
}

Status RunningPipeline::OnDecided(state::EpochRecord record) {
  WEIR_TRY(AfterRecord(record));
  for (const auto& [partition, part] : record.partitions) {
    WEIR_CHECK(part.counts.balanced());
    standings_[partition] = part.end;
    cut_offsets_[record.epoch][partition] = part.end.next_offset;
    summary_.counts += part.counts;
  }
  for (const auto& [name, table] : record.tables) summary_.table_rows[name] += table.rows();
  ++summary_.epochs;
  WEIR_TRY(lane_->Submit(std::move(record)));

  const auto applied = cut_offsets_.upper_bound(lane_->applied_through());
  if (applied != cut_offsets_.begin()) {
    // Best effort: the group's offsets are for lag tools and are never read back.
    (void)parts_.source.ReportProgress(std::prev(applied)->second);
    Reach(FailPoint::kGroupCommitAfter);
    cut_offsets_.erase(cut_offsets_.begin(), applied);
  }
  return Ok();
}

state::EpochRecord RunningPipeline::RecordOf(EpochContent content) {
  state::EpochRecord record;
  record.pipeline = spec_.name;
  record.writer = started_.writer;
  record.epoch = epoch_;
  record.previous_hash = previous_hash_;
  record.config_hash = spec_.text_hash;
  record.engine = options_.version;
  record.time = parts_.clock.Now();
  record.topic = started_.topic.topic;
  record.applied_through = lane_->applied_through();
  const OffsetMap positions = parts_.source.Positions();
  for (const auto& [partition, since] : since_) {
    auto& part = record.partitions[partition];
    part.since = since;
    part.from = standings_.at(partition).next_offset;
    part.end = standings_.at(partition);
    if (auto at = positions.find(partition); at != positions.end())
      part.end.next_offset = std::max(part.end.next_offset, at->second);
    FillPartition(partition, content, part);
  }
  for (const OpenTable& table : started_.tables) {
    auto files = content.files.find(table.name);
    auto replaced = content.replaced.find(table.name);
    if (files == content.files.end() && replaced == content.replaced.end()) continue;
    auto& epoch = record.tables[table.name];
    epoch.uuid = table.at_start->uuid;
    epoch.location = table.at_start->location;
    epoch.snapshot_id = static_cast<std::int64_t>(EntropyU64() >> 1);
    if (files != content.files.end()) epoch.files = std::move(files->second);
    if (replaced != content.replaced.end()) epoch.replaced = std::move(replaced->second);
    for (auto& [partition, part] : record.partitions) {
      epoch.before[partition] = part.end.tables[table.name].position;
      part.end.tables[table.name].position = {part.since, epoch_};
    }
  }
  record.dropped = std::move(content.dropped);
  if (content.operators) {
    record.shared = std::move(content.operators->shared);
    record.decisions = std::move(content.operators->decisions);
  }
  return record;
}

void RunningPipeline::FillPartition(Partition partition, const EpochContent& content,
                                    state::PartitionEpoch& part) {
  if (auto counts = content.counts.find(partition); counts != content.counts.end())
    part.counts = counts->second;
  part.end.total += part.counts;
  for (const auto& [table, by_partition] : content.rows)
    if (auto rows = by_partition.find(partition); rows != by_partition.end())
      part.end.tables[table].rows += rows->second;
  for (const auto& [table, by_partition] : content.open_rows)
    if (auto rows = by_partition.find(partition); rows != by_partition.end())
      part.end.tables[table].open_rows = rows->second;
  if (!content.operators) return;
  if (auto clock = content.operators->clocks.find(partition);
      clock != content.operators->clocks.end())
    part.end.clock = clock->second;
  if (auto chain = content.operators->chains.find(partition);
      chain != content.operators->chains.end())
    part.end.state = chain->second;
}

// Rule "same bytes": once a put was tried, nothing else is ever built for this number.
Status RunningPipeline::PutRecord(const state::EpochRecord& record) {
  const std::string bytes = state::Encode(record);
  Patience patience(parts_.clock, patience_, "the state storage");
  for (;;) {
    Reach(FailPoint::kRecordBefore);
    auto verdict = log_.PutSlot(started_.writer, record.epoch, bytes);
    if (verdict && *verdict == state::PutVerdict::kMine) break;
    if (verdict && HasBug(SeededBug::kIgnoreTheirs)) break;
    if (verdict)
      return Refused("another process took this pipeline over; epoch " +
                         std::to_string(record.epoch) +
                         " was not recorded and will be read again there",
                     ErrorCode::kWriterSealed);
    if (verdict.error().kind != ErrorKind::kUnavailable) return std::move(verdict).error();
    WEIR_TRY(patience.After(verdict.error()));
  }
  Reach(FailPoint::kRecordAfter);
  previous_hash_ = Sha256Hex(bytes);
  return Ok();
}

Status RunningPipeline::AfterRecord(const state::EpochRecord& record) {
  Patience patience(parts_.clock, patience_, "the state storage");
  for (;;) {
    Status kept = log_.KeepDecisions(record);
    if (kept) break;
    if (kept.error().kind != ErrorKind::kUnavailable) return kept;
    WEIR_TRY(patience.After(kept.error()));
  }
  if (!operators_) return Ok();
  if (Status collected = operators_->CollectState(); !collected)
    log::Warn("old state stays for now", {{"because", collected.error().ToString()}});
  return Ok();
}

// A partition that appears while running starts at its beginning and joins at an epoch border.
Status RunningPipeline::LookForPartitions() {
  partitions_seen_at_ = parts_.clock.Monotonic();
  auto topic = parts_.source.Describe();
  if (!topic) return Ok();  // away: Poll will say so
  if (!started_.claim.topic_id.empty() && !topic->topic_id.empty() &&
      topic->topic_id != started_.claim.topic_id)
    return Refused(
        fmt::format("topic {} was deleted and created again while it was read (its id is {}, "
                    "was {})",
                    topic->topic, topic->topic_id, started_.claim.topic_id),
        ErrorCode::kTopicReplaced);
  std::map<Partition, state::PartitionStanding> added;
  for (const auto& [partition, bounds] : topic->partitions)
    if (!since_.contains(partition)) added[partition].next_offset = bounds.begin;
  if (added.empty()) return Ok();
  if (builder_->records() > 0) WEIR_TRY(CutEpoch());
  WEIR_TRY(Settle());
  WEIR_ASSIGN_OR_RETURN(started_.claim, AddPartitions(log_, parts_.clock, started_.claim, added));
  OffsetMap assignment = parts_.source.Positions();
  for (const auto& [partition, standing] : added) {
    standings_[partition] = standing;
    since_[partition] = started_.claim.number;
    assignment[partition] = standing.next_offset;
    if (operators_) operators_->AddPartition(partition, parts_.clock.Monotonic() - started_at_);
  }
  log::Info("new partitions are read from their beginning",
            {{"count", static_cast<std::int64_t>(added.size())}});
  return parts_.source.Assign(assignment);
}

void RunningPipeline::OnApplied(const state::EpochRecord& record) const {
  if (!options_.on_epoch) return;
  EpochReport report;
  report.epoch = record.epoch;
  for (const auto& [partition, part] : record.partitions) report.counts += part.counts;
  for (const auto& [name, table] : record.tables) report.table_rows[name] = table.rows();
  report.state_sizes = record.shared.sizes;
  report.watermark = record.shared.watermark;
  report.cut_at = record.time;
  report.applied_at = parts_.clock.Now();
  options_.on_epoch(report);
}

}  // namespace

Result<std::unique_ptr<Pipeline>> Pipeline::Start(const config::PipelineSpec& spec,
                                                  const PipelineParts& parts, RunOptions options) {
  PatienceRules patience;
  if (options.once || options.run_for) patience.limit = kBoundedPatience;
  patience.stop = options.stop;
  auto pipeline = std::make_unique<RunningPipeline>(spec, parts, std::move(options), patience);
  WEIR_TRY(pipeline->Prepare());
  return std::unique_ptr<Pipeline>(std::move(pipeline));
}

}  // namespace weir::engine
