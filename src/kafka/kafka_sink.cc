#include "kafka/kafka_sink.h"

#include <array>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "kafka/client.h"
#include "kafka/topic_admin.h"

namespace weir::kafka {

namespace {

// How long a record may wait for a broker before producing fails.
constexpr Micros kPatience = 60 * kMicrosPerSecond;
constexpr int kLooksForNewTopic = 10;
constexpr std::chrono::milliseconds kLookEvery(200);
constexpr int kServeEvery = 512;  // records between looks at delivery reports

using TopicPtr = std::unique_ptr<rd_kafka_topic_t, Destroyer<&rd_kafka_topic_destroy>>;

Client::Setup SinkSetup() {
  Client::Setup setup;
  setup.role = RD_KAFKA_PRODUCER;
  setup.required = {{"enable.idempotence", "true"}};
  setup.defaults = {{"client.id", "weir"},
                    {"partitioner", "murmur2_random"},  // the Java client's choice
                    {"compression.codec", "lz4"},
                    {"linger.ms", "20"},
                    {"batch.size", "1000000"},
                    {"queue.buffering.max.messages", "200000"},
                    {"queue.buffering.max.kbytes", "65536"},
                    {"message.timeout.ms", "60000"}};
  return setup;
}

}  // namespace

class KafkaSink::Impl {
 public:
  explicit Impl(std::string topic) : topic_(std::move(topic)) {}

  Status Open(const ClientOptions& options) {
    Client::Setup setup = SinkSetup();
    setup.opaque = this;
    setup.on_delivery = &Impl::OnDelivery;
    WEIR_ASSIGN_OR_RETURN(client_, Client::Open(options, setup));
    return FindTopic();
  }

  Status Produce(const connect::OutgoingRecord& record) {
    FillArguments(record);
    const Micros start = SystemClock().Monotonic();
    while (true) {
      const ErrorPtr refused(
          rd_kafka_produceva(client_->handle(), arguments_.data(), arguments_.size()));
      if (!refused) break;
      const rd_kafka_resp_err_t code = rd_kafka_error_code(refused.get());
      if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL) {
        return Refusal(code, rd_kafka_error_string(refused.get()));
      }
      client_->Serve(100);
      if (SystemClock().Monotonic() - start > kPatience) return NotTaken(client_->Away().message);
    }
    if (++since_serve_ >= kServeEvery) {
      since_serve_ = 0;
      client_->Serve();
    }
    if (failed_ == 0) return Ok();
    return TakeFailure();
  }

  Status Flush() {
    // Every record is delivered or times out by itself (message.timeout.ms).
    while (rd_kafka_flush(client_->handle(), 1000) == RD_KAFKA_RESP_ERR__TIMED_OUT) {
      if (auto rejection = client_->TakeRejection()) return *std::move(rejection);
    }
    if (failed_ == 0) return Ok();
    return TakeFailure();
  }

 private:
  static void OnDelivery(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
    auto* self = static_cast<Impl*>(opaque);
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      self->client_->MarkReachable();
      return;
    }
    if (self->failed_++ == 0) self->first_failure_ = rd_kafka_err2str(message->err);
  }

  void FillArguments(const connect::OutgoingRecord& record) {
    arguments_.clear();
    header_names_.clear();
    const auto add = [this](rd_kafka_vtype_t type) -> rd_kafka_vu_t& {
      arguments_.push_back({.vtype = type, .u = {}});
      return arguments_.back();
    };
    add(RD_KAFKA_VTYPE_TOPIC).u.cstr = topic_.c_str();
    add(RD_KAFKA_VTYPE_PARTITION).u.i32 =
        record.partition ? record.partition->value() : RD_KAFKA_PARTITION_UA;
    add(RD_KAFKA_VTYPE_MSGFLAGS).u.i = RD_KAFKA_MSG_F_COPY;
    if (record.value) AddBytes(add(RD_KAFKA_VTYPE_VALUE), *record.value);
    if (record.key) AddBytes(add(RD_KAFKA_VTYPE_KEY), *record.key);
    if (record.timestamp_ms >= 0) add(RD_KAFKA_VTYPE_TIMESTAMP).u.i64 = record.timestamp_ms;
    for (const RecordHeader& header : record.headers) {
      rd_kafka_vu_t& argument = add(RD_KAFKA_VTYPE_HEADER);
      header_names_.emplace_back(header.name);  // the library wants an end of string
      argument.u.header.val = header.value ? header.value->data() : nullptr;
      argument.u.header.size = header.value ? static_cast<ssize_t>(header.value->size()) : 0;
    }
    std::size_t name = 0;
    for (rd_kafka_vu_t& argument : arguments_) {
      if (argument.vtype == RD_KAFKA_VTYPE_HEADER) {
        argument.u.header.name = header_names_[name++].c_str();
      }
    }
  }

  // A broker that makes topics by itself does so when a producer asks for one.
  Status FindTopic() {
    auto shape = AskShape(*client_, topic_);
    if (shape) return Ok();
    if (shape.error().code != ErrorCode::kTopicMissing) return shape.error();
    const TopicPtr topic(rd_kafka_topic_new(client_->handle(), topic_.c_str(), nullptr));
    const struct rd_kafka_metadata* metadata = nullptr;
    constexpr int kTimeoutMs = kAdminTimeout / kMicrosPerMilli;
    if (topic == nullptr || rd_kafka_metadata(client_->handle(), 0, topic.get(), &metadata,
                                              kTimeoutMs) != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return shape.error();
    }
    rd_kafka_metadata_destroy(metadata);
    for (int attempt = 0; attempt < kLooksForNewTopic; ++attempt) {
      std::this_thread::sleep_for(kLookEvery);
      shape = AskShape(*client_, topic_);
      if (shape) return Ok();
    }
    return shape.error();
  }

  static void AddBytes(rd_kafka_vu_t& argument, std::string_view bytes) {
    // An empty value is not a tombstone: its pointer must not be null.
    argument.u.mem.ptr = const_cast<char*>(bytes.empty() ? "" : bytes.data());
    argument.u.mem.size = bytes.size();
  }

  Error NotTaken(std::string_view reason) const {
    return Unavailable(
        "records could not be written to topic '" + Printable(topic_) + "': " + Printable(reason),
        ErrorCode::kProduceFailed);
  }

  Error Refusal(rd_kafka_resp_err_t code, const char* reason) const {
    switch (code) {
      case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
      case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
      case RD_KAFKA_RESP_ERR__INVALID_ARG:
        return InvalidInput(
            "topic '" + Printable(topic_) + "' cannot take the record: " + Printable(reason),
            ErrorCode::kProduceFailed);
      default:
        return NotTaken(reason);
    }
  }

  Error TakeFailure() {
    std::string text = std::to_string(std::exchange(failed_, 0)) + " lost, the first because of: ";
    return NotTaken(text + std::exchange(first_failure_, {}));
  }

  std::string topic_;
  std::unique_ptr<Client> client_;
  std::vector<rd_kafka_vu_t> arguments_;
  std::vector<std::string> header_names_;
  int since_serve_ = 0;
  std::int64_t failed_ = 0;
  std::string first_failure_;
};

KafkaSink::KafkaSink(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KafkaSink::~KafkaSink() = default;

Result<std::unique_ptr<KafkaSink>> KafkaSink::Open(const ClientOptions& client, std::string topic) {
  auto impl = std::make_unique<Impl>(std::move(topic));
  WEIR_TRY(impl->Open(client));
  return std::unique_ptr<KafkaSink>(new KafkaSink(std::move(impl)));
}

Status KafkaSink::Produce(const connect::OutgoingRecord& record) { return impl_->Produce(record); }
Status KafkaSink::Flush() { return impl_->Flush(); }

}  // namespace weir::kafka
