#include "kafka/kafka_source.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/clock.h"
#include "kafka/arena.h"
#include "kafka/client.h"
#include "kafka/topic_admin.h"

namespace weir::kafka {

namespace {

constexpr std::int64_t kNoOffset = -1;
// A partition that is not at its end and stays silent for so long makes us look at the broker.
constexpr Micros kSilence = 5 * kMicrosPerSecond;
constexpr Micros kGlance = 2 * kMicrosPerSecond;

Client::Setup SetupOf(const SourceOptions& options) {
  Client::Setup setup;
  setup.role = RD_KAFKA_CONSUMER;
  setup.required = {{"group.id", options.group},
                    {"enable.auto.commit", "false"},
                    {"enable.auto.offset.store", "false"},
                    {"auto.offset.reset", "error"},
                    {"enable.partition.eof", "true"}};
  setup.defaults = {
      {"client.id", "weir"},
      {"isolation.level", "read_committed"},
      {"check.crcs", "true"},
      // Memory is bounded by bytes. The bound in messages is set out of the way, and a fetcher that
      // met the bound looks again soon: the standard second would idle through a drain. What is in
      // flight comes on top, and it is compressed: several times as much when it is opened.
      {"queued.min.messages", "1000000"},
      {"queued.max.messages.kbytes", "16384"},
      {"fetch.queue.backoff.ms", "5"},
      {"max.partition.fetch.bytes", "1048576"},
      {"fetch.max.bytes", "4194304"},
      {"topic.metadata.refresh.interval.ms", "30000"},
  };
  return setup;
}

bool HonoursTransactions(const SourceOptions& options) {
  const auto level = options.client.options.find("isolation.level");
  return level == options.client.options.end() || level->second == "read_committed";
}

int Milliseconds(Micros span) {
  return static_cast<int>(std::clamp<Micros>((span + 999) / kMicrosPerMilli, 0, 60'000));
}

}  // namespace

class KafkaSource::Impl {
 public:
  explicit Impl(SourceOptions options)
      : options_(std::move(options)),
        isolation_(HonoursTransactions(options_) ? RD_KAFKA_ISOLATION_LEVEL_READ_COMMITTED
                                                 : RD_KAFKA_ISOLATION_LEVEL_READ_UNCOMMITTED) {}

  Status Open() {
    Client::Setup setup = SetupOf(options_);
    setup.opaque = this;
    setup.on_commit = &Impl::OnCommit;
    WEIR_ASSIGN_OR_RETURN(client_, Client::Open(options_.client, setup));
    queue_.reset(rd_kafka_queue_get_consumer(client_->handle()));
    WEIR_CHECK(queue_ != nullptr);
    return Ok();
  }

  ~Impl() {
    // Give the last progress a moment to arrive; lag tools would show a stopped run as behind.
    const Micros deadline = SystemClock().Monotonic() + 3 * kMicrosPerSecond;
    while (client_ && commits_open_ > 0 && !client_->away() &&
           SystemClock().Monotonic() < deadline) {
      client_->Serve(10);
    }
  }

  Result<connect::TopicInfo> Describe() {
    WEIR_ASSIGN_OR_RETURN(TopicShape shape, AskShape(*client_, options_.topic));
    WEIR_ASSIGN_OR_RETURN(const OffsetMap begins,
                          AskOffsets(*client_, options_.topic, shape.partitions,
                                     RD_KAFKA_OFFSET_SPEC_EARLIEST, isolation_));
    WEIR_ASSIGN_OR_RETURN(const OffsetMap ends,
                          AskOffsets(*client_, options_.topic, shape.partitions,
                                     RD_KAFKA_OFFSET_SPEC_LATEST, isolation_));
    connect::TopicInfo info{.topic = options_.topic,
                            .cluster_id = std::move(shape.cluster_id),
                            .topic_id = std::move(shape.topic_id),
                            .partitions = {}};
    for (const Partition partition : shape.partitions) {
      const auto begin = begins.find(partition);
      const auto end = ends.find(partition);
      if (begin == begins.end() || end == ends.end()) return client_->Away();
      // Retention may have moved between the two questions.
      info.partitions[partition] = {.begin = std::min(begin->second, end->second),
                                    .end = end->second};
    }
    return info;
  }

  Result<OffsetMap> OffsetsAt(std::int64_t timestamp_ms) {
    WEIR_ASSIGN_OR_RETURN(const TopicShape shape, AskShape(*client_, options_.topic));
    WEIR_ASSIGN_OR_RETURN(OffsetMap offsets,
                          AskOffsets(*client_, options_.topic, shape.partitions,
                                     std::max<std::int64_t>(0, timestamp_ms), isolation_));
    WEIR_ASSIGN_OR_RETURN(const OffsetMap ends,
                          AskOffsets(*client_, options_.topic, shape.partitions,
                                     RD_KAFKA_OFFSET_SPEC_LATEST, isolation_));
    for (const auto& [partition, end] : ends) offsets.try_emplace(partition, end);
    return offsets;
  }

  Status Assign(const OffsetMap& start) {
    const PartitionListPtr list(rd_kafka_topic_partition_list_new(static_cast<int>(start.size())));
    states_.clear();
    error_.reset();
    out_of_range_.reset();
    const Micros now = SystemClock().Monotonic();
    for (const auto& [partition, offset] : start) {
      rd_kafka_topic_partition_list_add(list.get(), options_.topic.c_str(), partition.value())
          ->offset = offset.value();
      const auto index = static_cast<std::size_t>(partition.value());
      if (states_.size() <= index) states_.resize(index + 1);
      states_[index] = {.next = offset.value(), .last_heard = now};
    }
    const rd_kafka_resp_err_t code = rd_kafka_assign(client_->handle(), list.get());
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return Ok();
    return client_->ErrorOf(code, "assigning partitions of topic '" + options_.topic + "'");
  }

  Result<LogBatch> Poll(Micros max_wait, std::size_t max_records) {
    client_->Serve();
    WEIR_TRY(TellTrouble());
    if (auto rejection = client_->TakeRejection()) return *std::move(rejection);
    LogBatch batch;
    batch_ = &batch;
    limit_ = std::max<std::size_t>(1, max_records);
    arena_ = arenas_.Take();
    const int wait_ms =
        client_->away() ? std::min(Milliseconds(max_wait), 100) : Milliseconds(max_wait);
    rd_kafka_consume_callback_queue(queue_.get(), wait_ms, &Impl::OnMessage, this);
    batch_ = nullptr;
    batch.storage = std::move(arena_);
    if (batch.records.size() < limit_) FollowPositions();
    if (!batch.empty()) return batch;
    WEIR_TRY(TellTrouble());
    WEIR_TRY(LookAround());
    return batch;
  }

  OffsetMap Positions() const {
    OffsetMap positions;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i].next == kNoOffset) continue;
      positions[Partition(static_cast<std::int32_t>(i))] = Offset(states_[i].next);
    }
    return positions;
  }

  std::set<Partition> AtEnd() const {
    std::set<Partition> at_end;
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (states_[i].next != kNoOffset && states_[i].at_end)
        at_end.insert(Partition(static_cast<std::int32_t>(i)));
    return at_end;
  }

  Status ReportProgress(const OffsetMap& next) {
    if (next.empty()) return Ok();
    const PartitionListPtr list(rd_kafka_topic_partition_list_new(static_cast<int>(next.size())));
    for (const auto& [partition, offset] : next) {
      rd_kafka_topic_partition_list_add(list.get(), options_.topic.c_str(), partition.value())
          ->offset = offset.value();
    }
    const rd_kafka_resp_err_t code = rd_kafka_commit(client_->handle(), list.get(), /*async=*/1);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return client_->ErrorOf(code, "reporting progress to group '" + options_.group + "'");
    }
    ++commits_open_;
    return Ok();
  }

  const Continuity& continuity() const { return continuity_; }

 private:
  struct State {
    std::int64_t next = kNoOffset;  // kNoOffset: not assigned
    bool at_end = false;
    bool heard = false;     // since the last look
    Micros last_heard = 0;  // as of the last look
  };

  static void OnCommit(rd_kafka_t*, rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t*,
                       void* opaque) {
    auto* self = static_cast<Impl*>(opaque);
    --self->commits_open_;
    // Best effort: the tables hold the truth, the next report brings the group up to date.
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR && code != RD_KAFKA_RESP_ERR__NO_OFFSET) {
      log::Debug("progress was not taken by the group",
                 {{"group", self->options_.group}, {"because", rd_kafka_err2str(code)}});
    }
  }

  static void OnMessage(rd_kafka_message_t* message, void* opaque) {
    auto* self = static_cast<Impl*>(opaque);
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      self->Take(*message);
    } else {
      self->TakeEvent(*message);
    }
  }

  State* StateOf(std::int32_t partition) {
    const auto index = static_cast<std::size_t>(partition);
    if (partition < 0 || index >= states_.size() || states_[index].next == kNoOffset) {
      return nullptr;
    }
    return &states_[index];
  }

  void Take(const rd_kafka_message_t& message) {
    State* state = StateOf(message.partition);
    if (state == nullptr) return;  // of an assignment that has ended
    state->heard = true;
    if (message.offset < state->next) {
      ++continuity_.repeated;
      return;
    }
    if (message.offset > state->next) {
      ++continuity_.gaps;
      continuity_.skipped += message.offset - state->next;
    }
    state->next = message.offset + 1;
    state->at_end = false;
    batch_->records.push_back(RecordOf(message));
    batch_->bytes += message.len + message.key_len;
    if (batch_->records.size() >= limit_) rd_kafka_yield(client_->handle());
  }

  LogRecord RecordOf(const rd_kafka_message_t& message) {
    LogRecord record;
    record.partition = Partition(message.partition);
    record.offset = Offset(message.offset);
    rd_kafka_timestamp_type_t type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
    record.timestamp_ms = rd_kafka_message_timestamp(&message, &type);
    record.timestamp_type = type == RD_KAFKA_TIMESTAMP_CREATE_TIME       ? TimestampType::kCreate
                            : type == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME ? TimestampType::kLogAppend
                                                                         : TimestampType::kNone;
    if (message.payload != nullptr) record.value = arena_->Copy(message.payload, message.len);
    if (message.key != nullptr) record.key = arena_->Copy(message.key, message.key_len);
    if (options_.want_headers) record.headers = HeadersOf(message);
    return record;
  }

  std::span<const RecordHeader> HeadersOf(const rd_kafka_message_t& message) {
    rd_kafka_headers_t* headers = nullptr;
    if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return {};
    const std::size_t count = rd_kafka_header_cnt(headers);
    auto* room = reinterpret_cast<RecordHeader*>(arena_->Allocate(count * sizeof(RecordHeader)));
    for (std::size_t i = 0; i < count; ++i) {
      const char* name = nullptr;
      const void* value = nullptr;
      std::size_t size = 0;
      rd_kafka_header_get_all(headers, i, &name, &value, &size);
      auto* header = new (room + i) RecordHeader;
      header->name = arena_->Copy(name, std::string_view(name).size());
      if (value != nullptr) header->value = arena_->Copy(value, size);
    }
    return {room, count};
  }

  // What comes in place of a message. Nothing is asked from within the client's own call.
  void TakeEvent(const rd_kafka_message_t& message) {
    State* state = StateOf(message.partition);
    switch (message.err) {
      case RD_KAFKA_RESP_ERR__PARTITION_EOF:
        if (state == nullptr) return;
        state->heard = true;
        state->next = std::max(state->next, message.offset);
        state->at_end = true;
        return;
      case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
      case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
      case RD_KAFKA_RESP_ERR__LOG_TRUNCATION:
        if (state != nullptr && !out_of_range_) out_of_range_ = Partition(message.partition);
        return;
      default:
        if (error_) return;  // the first one counts
        error_ = client_->ErrorOf(message.err,
                                  "reading topic '" + options_.topic + "', partition " +
                                      std::to_string(message.partition),
                                  rd_kafka_message_errstr(&message));
    }
  }

  // Trouble that came behind the records of an earlier poll.
  Status TellTrouble() {
    if (error_) return *std::exchange(error_, std::nullopt);
    if (!out_of_range_) return Ok();
    const Partition partition = *out_of_range_;
    // Uncommitted data counts here: it is there.
    const auto ask = [&](std::int64_t spec) {
      return AskOffsets(*client_, options_.topic, {partition}, spec,
                        RD_KAFKA_ISOLATION_LEVEL_READ_UNCOMMITTED);
    };
    WEIR_ASSIGN_OR_RETURN(OffsetMap begins, ask(RD_KAFKA_OFFSET_SPEC_EARLIEST));
    WEIR_ASSIGN_OR_RETURN(OffsetMap ends, ask(RD_KAFKA_OFFSET_SPEC_LATEST));
    const std::int64_t next = StateOf(partition.value())->next;
    const std::string where = "partition " + std::to_string(partition.value()) + " of topic '" +
                              Printable(options_.topic) + "'";
    if (next < begins[partition].value()) {
      return Refused(where + " starts at offset " + std::to_string(begins[partition].value()) +
                         ", but offset " + std::to_string(next) + " was not read yet",
                     ErrorCode::kOffsetsExpired);
    }
    return Refused(where + " ends at offset " + std::to_string(ends[partition].value()) +
                       ", but offset " + std::to_string(next) + " was reached already",
                   ErrorCode::kLogTruncated);
  }

  // The client's own position passes over transaction markers, for which no message comes.
  void FollowPositions() {
    const PartitionListPtr list(
        rd_kafka_topic_partition_list_new(static_cast<int>(states_.size())));
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i].next == kNoOffset) continue;
      rd_kafka_topic_partition_list_add(list.get(), options_.topic.c_str(),
                                        static_cast<std::int32_t>(i));
    }
    if (list->cnt == 0) return;
    if (rd_kafka_position(client_->handle(), list.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) return;
    for (int i = 0; i < list->cnt; ++i) {
      State* state = StateOf(list->elems[i].partition);
      if (state != nullptr) state->next = std::max(state->next, list->elems[i].offset);
    }
  }

  // Once in a while: are brokers away, or partitions silent although they are not at their end?
  Status LookAround() {
    const Micros now = SystemClock().Monotonic();
    std::vector<Partition> unsure;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      State& state = states_[i];
      if (state.next == kNoOffset) continue;
      if (std::exchange(state.heard, false)) state.last_heard = now;
      if (client_->away() || (!state.at_end && now - state.last_heard > kSilence)) {
        unsure.emplace_back(static_cast<std::int32_t>(i));
      }
    }
    if (unsure.empty()) return Ok();
    // The leaders of those partitions answer, or somebody has to know.
    WEIR_TRY(AskOffsets(*client_, options_.topic, unsure, RD_KAFKA_OFFSET_SPEC_LATEST, isolation_,
                        kGlance));
    for (const Partition partition : unsure) StateOf(partition.value())->last_heard = now;
    return Ok();
  }

  SourceOptions options_;
  rd_kafka_IsolationLevel_t isolation_;
  std::unique_ptr<Client> client_;
  QueuePtr queue_;             // dropped before the client
  std::vector<State> states_;  // by partition number
  Continuity continuity_;
  std::optional<Error> error_;  // told when the records before it have been handed out
  std::optional<Partition> out_of_range_;
  int commits_open_ = 0;

  // Of the poll that is running.
  ArenaPool arenas_;
  std::shared_ptr<Arena> arena_;
  LogBatch* batch_ = nullptr;
  std::size_t limit_ = 0;
};

KafkaSource::KafkaSource(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KafkaSource::~KafkaSource() = default;

Result<std::unique_ptr<KafkaSource>> KafkaSource::Open(SourceOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  WEIR_TRY(impl->Open());
  return std::unique_ptr<KafkaSource>(new KafkaSource(std::move(impl)));
}

Result<connect::TopicInfo> KafkaSource::Describe() { return impl_->Describe(); }
Result<OffsetMap> KafkaSource::OffsetsAt(std::int64_t timestamp_ms) {
  return impl_->OffsetsAt(timestamp_ms);
}
Status KafkaSource::Assign(const OffsetMap& start) { return impl_->Assign(start); }
Result<LogBatch> KafkaSource::Poll(Micros max_wait, std::size_t max_records) {
  return impl_->Poll(max_wait, max_records);
}
OffsetMap KafkaSource::Positions() const { return impl_->Positions(); }
std::set<Partition> KafkaSource::AtEnd() const { return impl_->AtEnd(); }
Status KafkaSource::ReportProgress(const OffsetMap& next) { return impl_->ReportProgress(next); }
const Continuity& KafkaSource::continuity() const { return impl_->continuity(); }

}  // namespace weir::kafka
