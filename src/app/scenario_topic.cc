#include "app/scenario_topic.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/log_target.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "kafka/kafka_sink.h"
#include "spool/spool.h"

namespace weir::app {
namespace {

constexpr Micros kPatience = 30 * kMicrosPerSecond;  // for what must be in the log
constexpr Micros kWait = 20 * kMicrosPerMilli;

Error Silent(std::string_view what) {
  return Unavailable(
      fmt::format("the log did not give {} within {} seconds", what, kPatience / kMicrosPerSecond),
      ErrorCode::kSourceUnavailable);
}

Status DeleteTopic(const config::SourceSpec& log) {
  if (log.kind == config::SourceKind::kKafka) {
    return kafka::DeleteTopic(
        {.brokers = log.brokers, .options = log.options, .secret_options = {}}, log.topic);
  }
  WEIR_ASSIGN_OR_RETURN(auto spool, spool::Spool::Open(log.spool_path));
  return spool->DeleteTopic(log.topic);
}

}  // namespace

Result<std::unique_ptr<ScenarioTopic>> ScenarioTopic::Create(const config::SourceSpec& log,
                                                             int partitions) {
  config::SourceSpec own = log;
  own.topic = fmt::format("weir-test-{:016x}", EntropyU64());
  own.group = own.topic;
  WEIR_ASSIGN_OR_RETURN(auto sink, OpenSink(own, partitions));
  return std::unique_ptr<ScenarioTopic>(new ScenarioTopic(std::move(own), std::move(sink)));
}

ScenarioTopic::~ScenarioTopic() {
  sink_.reset();
  if (Status gone = DeleteTopic(log_); !gone)
    log::Warn("a topic of a scenario stays",
              {{"topic", log_.topic}, {"because", gone.error().ToString()}});
}

Status ScenarioTopic::Receive(const std::vector<const ScenarioRecord*>& records) {
  bool any = false;
  for (const ScenarioRecord* record : records) {
    Offset& end = ends_.try_emplace(record->partition, Offset(0)).first->second;
    if (record->offset < end) continue;
    connect::OutgoingRecord out;
    out.partition = record->partition;
    if (record->key) out.key = *record->key;
    if (record->value) out.value = *record->value;
    WEIR_TRY(sink_->Produce(out));
    end = Offset(record->offset.value() + 1);
    any = true;
  }
  return any ? sink_->Flush() : Ok();
}

Result<std::unique_ptr<connect::LogSource>> ScenarioTopic::Open() const {
  config::SourceSpec read = log_;
  // A broker sits on a request for half a second when there is nothing new.
  if (read.kind == config::SourceKind::kKafka) read.options["fetch.wait.max.ms"] = "10";
  return OpenReader(read, /*want_headers=*/false);
}

Status ScenarioTopicSource::OpenOnce() {
  if (log_) return Ok();
  WEIR_ASSIGN_OR_RETURN(log_, topic_.Open());
  return Ok();
}

// A bounded run reads what the scenario holds for it, also what arrives behind a pause.
Result<connect::TopicInfo> ScenarioTopicSource::Describe() {
  WEIR_ASSIGN_OR_RETURN(const connect::TopicInfo said, schedule_.Describe());
  WEIR_TRY(topic_.Receive(schedule_.Arrived()));
  WEIR_TRY(OpenOnce());
  WEIR_ASSIGN_OR_RETURN(connect::TopicInfo info, log_->Describe());
  if (info.partitions.size() != said.partitions.size())
    return Internal(fmt::format("the topic has {} partitions, not {}", info.partitions.size(),
                                said.partitions.size()));
  info.topic = said.topic;  // rows carry the name that the scenario knows
  for (auto& [partition, bounds] : info.partitions)
    bounds.end = std::max(bounds.end, said.partitions.at(partition).end);
  return info;
}

Result<OffsetMap> ScenarioTopicSource::OffsetsAt(std::int64_t timestamp_ms) {
  WEIR_TRY(OpenOnce());
  return log_->OffsetsAt(timestamp_ms);
}

Status ScenarioTopicSource::Assign(const OffsetMap& start) {
  held_.clear();
  WEIR_TRY(schedule_.Assign(start));
  return log_->Assign(start);
}

Result<LogBatch> ScenarioTopicSource::Poll(Micros max_wait, std::size_t max_records) {
  WEIR_TRY(topic_.Receive(schedule_.Arrived()));
  WEIR_ASSIGN_OR_RETURN(const LogBatch said, schedule_.Poll(max_wait, max_records));
  WEIR_ASSIGN_OR_RETURN(LogBatch batch, Fetch(said));
  WEIR_TRY(topic_.Receive(schedule_.Arrived()));  // time may have passed
  WEIR_TRY(AwaitEnds());
  return batch;
}

Status ScenarioTopicSource::Hold(Micros wait, std::size_t records) {
  WEIR_ASSIGN_OR_RETURN(const LogBatch given, log_->Poll(wait, records));
  for (const LogRecord& record : given.records)
    held_[record.partition].push_back({.record = record, .storage = given.storage});
  return Ok();
}

Result<ScenarioTopicSource::Held> ScenarioTopicSource::Take(const LogRecord& said) {
  const Micros start = SystemClock().Monotonic();
  auto& waiting = held_[said.partition];
  while (waiting.empty()) {
    WEIR_TRY(Hold(kWait, 1));
    if (SystemClock().Monotonic() - start > kPatience)
      return Silent(fmt::format("the record at offset {} of partition {}", said.offset.value(),
                                said.partition.value()));
  }
  Held held = std::move(waiting.front());
  waiting.erase(waiting.begin());
  const LogRecord& record = held.record;
  if (record.offset != said.offset || record.key != said.key || record.value != said.value)
    return Internal(
        fmt::format("the log gave offset {} of partition {}, and not what was put at "
                    "offset {}",
                    record.offset.value(), said.partition.value(), said.offset.value()));
  return held;
}

Result<LogBatch> ScenarioTopicSource::Fetch(const LogBatch& said) {
  LogBatch batch;
  auto storage = std::make_shared<std::vector<std::shared_ptr<void>>>();
  for (const LogRecord& record : said.records) {
    WEIR_ASSIGN_OR_RETURN(Held held, Take(record));
    batch.records.push_back(held.record);
    storage->push_back(std::move(held.storage));
  }
  batch.bytes = said.bytes;
  batch.storage = std::move(storage);
  return batch;
}

// What arrived, and the end of a partition behind it, are news that take a moment of real time; the
// virtual clock waits for them.
Status ScenarioTopicSource::AwaitEnds() {
  const Micros start = SystemClock().Monotonic();
  while (AtEnd() != schedule_.AtEnd()) {
    WEIR_TRY(Hold(kWait, 1));
    if (SystemClock().Monotonic() - start > kPatience) return Silent("the end of a partition");
  }
  return Ok();
}

OffsetMap ScenarioTopicSource::Positions() const {
  OffsetMap positions = log_->Positions();
  for (const auto& [partition, waiting] : held_)
    if (!waiting.empty()) positions[partition] = waiting.front().record.offset;
  return positions;
}

std::set<Partition> ScenarioTopicSource::AtEnd() const {
  std::set<Partition> at_end = log_->AtEnd();
  for (const auto& [partition, waiting] : held_)
    if (!waiting.empty()) at_end.erase(partition);
  return at_end;
}

}  // namespace weir::app
