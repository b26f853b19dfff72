#include "kafka/client.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/clock.h"

namespace weir::kafka {

namespace {

constexpr int kStepMs = 50;
// How long a request may hope for a broker that was away when it began.
constexpr Micros kHope = 2 * kMicrosPerSecond;

bool IsRejection(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR__SSL:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM:
    case RD_KAFKA_RESP_ERR_ILLEGAL_SASL_STATE:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_SECURITY_DISABLED:
      return true;
    default:
      return false;
  }
}

bool IsMissing(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_ID:
      return true;
    default:
      return false;
  }
}

}  // namespace

Result<std::unique_ptr<Client>> Client::Open(const ClientOptions& options, const Setup& setup) {
  if (options.brokers.empty()) {
    return InvalidInput("no Kafka brokers are named", ErrorCode::kBadValue);
  }
  WEIR_ASSIGN_OR_RETURN(ConfPtr conf, MakeConf(options, setup));
  std::unique_ptr<Client> client(new Client(options.brokers));
  client->setup_ = setup;
  rd_kafka_conf_set_opaque(conf.get(), client.get());
  rd_kafka_conf_set_error_cb(conf.get(), &Client::OnError);
  rd_kafka_conf_set_log_cb(conf.get(), &Client::OnLog);
  if (setup.on_delivery != nullptr) {
    rd_kafka_conf_set_dr_msg_cb(
        conf.get(), [](rd_kafka_t* handle, const rd_kafka_message_t* message, void* self) {
          const Setup& own = static_cast<Client*>(self)->setup_;
          own.on_delivery(handle, message, own.opaque);
        });
  }
  if (setup.on_commit != nullptr) {
    rd_kafka_conf_set_offset_commit_cb(conf.get(),
                                       [](rd_kafka_t* handle, rd_kafka_resp_err_t code,
                                          rd_kafka_topic_partition_list_t* offsets, void* self) {
                                         const Setup& own = static_cast<Client*>(self)->setup_;
                                         own.on_commit(handle, code, offsets, own.opaque);
                                       });
  }
  char reason[512] = "";
  // Logs wait in the main queue, which Serve() reads: no thread of librdkafka calls us.
  rd_kafka_conf_set(conf.get(), "log.queue", "true", reason, sizeof reason);
  client->handle_ = rd_kafka_new(setup.role, conf.get(), reason, sizeof reason);
  if (client->handle_ == nullptr) {
    return InvalidInput("the Kafka settings cannot be used: " + Printable(reason),
                        ErrorCode::kBadValue);
  }
  (void)conf.release();  // the handle's now
  rd_kafka_set_log_queue(client->handle_, nullptr);
  return client;
}

Client::~Client() {
  if (handle_ == nullptr) return;
  // Nobody joined a group, so there is none to leave.
  rd_kafka_destroy_flags(handle_, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
}

void Client::Serve(int timeout_ms) { rd_kafka_poll(handle_, timeout_ms); }

Error Client::Away() const {
  return Unavailable("Kafka at " + Printable(brokers_) + " cannot be reached" +
                         (last_trouble_.empty() ? "" : ": " + last_trouble_),
                     ErrorCode::kSourceUnavailable);
}

std::optional<Error> Client::TakeRejection() { return std::exchange(rejection_, std::nullopt); }

Result<EventPtr> Client::Await(rd_kafka_queue_t* queue, Micros timeout) {
  const Micros start = SystemClock().Monotonic();
  while (true) {
    EventPtr event(rd_kafka_queue_poll(queue, kStepMs));
    Serve();
    if (event) {
      const rd_kafka_resp_err_t code = rd_kafka_event_error(event.get());
      if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return event;
      if (auto rejection = TakeRejection()) return *std::move(rejection);
      return ErrorOf(code, "asking Kafka at " + Printable(brokers_),
                     rd_kafka_event_error_string(event.get()));
    }
    if (auto rejection = TakeRejection()) return *std::move(rejection);
    const Micros waited = SystemClock().Monotonic() - start;
    if (waited >= timeout || (away_ && waited >= kHope)) return Away();
  }
}

Error Client::ErrorOf(rd_kafka_resp_err_t code, std::string_view doing,
                      std::string_view detail) const {
  std::string message(doing);
  message += ": " + Printable(detail.empty() ? rd_kafka_err2str(code) : detail);
  if (IsMissing(code)) return NotFound(std::move(message), ErrorCode::kTopicMissing);
  if (IsRejection(code)) return Refused(std::move(message), ErrorCode::kSourceRejected);
  switch (code) {
    case RD_KAFKA_RESP_ERR__BAD_MSG:
    case RD_KAFKA_RESP_ERR__BAD_COMPRESSION:
    case RD_KAFKA_RESP_ERR_INVALID_MSG:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_COMPRESSION_TYPE:
      return Corrupt(std::move(message), ErrorCode::kSourceCorrupt);
    default:
      return Unavailable(std::move(message), ErrorCode::kSourceUnavailable);
  }
}

void Client::OnError(rd_kafka_t*, int code, const char* reason, void* opaque) {
  auto* self = static_cast<Client*>(opaque);
  const auto error = static_cast<rd_kafka_resp_err_t>(code);
  if (error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
    self->away_ = true;
    if (self->last_trouble_.empty()) self->last_trouble_ = Printable(reason);
    return;
  }
  self->last_trouble_ = Printable(reason);
  if (IsRejection(error)) {
    self->rejection_ = Refused(
        "Kafka at " + Printable(self->brokers_) + " refused the connection: " + self->last_trouble_,
        ErrorCode::kSourceRejected);
  }
}

void Client::OnLog(const rd_kafka_t* handle, int level, const char* facility, const char* text) {
  auto* self = static_cast<Client*>(rd_kafka_opaque(handle));
  constexpr int kWarning = 4;  // syslog's scale
  if (level > kWarning) {
    log::Debug("kafka client", {{"facility", facility}, {"text", Printable(text, 500)}});
    return;
  }
  if (!self->sampler_.Admit(SystemClock().Monotonic())) return;
  log::Warn("kafka client", {{"facility", facility},
                             {"text", Printable(text, 500)},
                             {"suppressed", self->sampler_.suppressed()}});
}

}  // namespace weir::kafka
