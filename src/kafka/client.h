#pragma once
// Client: one librdkafka handle, and what its callbacks said. For the inside of this folder.
//
// Callbacks run only inside Serve(), on the thread that owns the client; librdkafka's own threads
// never call us. The client knows whether the brokers are away and whether they refuse us; what it
// logs comes through our log, sampled.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <librdkafka/rdkafka.h>

#include "base/log.h"
#include "base/result.h"
#include "base/time.h"
#include "kafka/client_options.h"

namespace weir::kafka {

/// Owns what librdkafka hands out.
template <auto Destroy>
struct Destroyer {
  template <typename T>
  void operator()(T* thing) const {
    Destroy(thing);
  }
};
using QueuePtr = std::unique_ptr<rd_kafka_queue_t, Destroyer<&rd_kafka_queue_destroy>>;
using EventPtr = std::unique_ptr<rd_kafka_event_t, Destroyer<&rd_kafka_event_destroy>>;
using ErrorPtr = std::unique_ptr<rd_kafka_error_t, Destroyer<&rd_kafka_error_destroy>>;
using PartitionListPtr = std::unique_ptr<rd_kafka_topic_partition_list_t,
                                         Destroyer<&rd_kafka_topic_partition_list_destroy>>;
using ConfPtr = std::unique_ptr<rd_kafka_conf_t, Destroyer<&rd_kafka_conf_destroy>>;

using Settings = std::map<std::string, std::string>;

class Client {
 public:
  struct Setup {
    rd_kafka_type_t role = RD_KAFKA_CONSUMER;
    Settings required;  // Weir's own, not to be overridden
    Settings defaults;  // unless the options say otherwise
    /// Delivery reports of a producer.
    void (*on_delivery)(rd_kafka_t*, const rd_kafka_message_t*, void* opaque) = nullptr;
    void (*on_commit)(rd_kafka_t*, rd_kafka_resp_err_t, rd_kafka_topic_partition_list_t*,
                      void* opaque) = nullptr;
    void* opaque = nullptr;  // handed to the two above
  };

  /// Connects in the background. Errors: kInvalidInput WEIR0104.
  static Result<std::unique_ptr<Client>> Open(const ClientOptions& options, const Setup& setup);
  ~Client();

  rd_kafka_t* handle() const { return handle_; }
  const std::string& brokers() const { return brokers_; }

  /// Runs the callbacks that wait, for at most this long while there are none.
  void Serve(int timeout_ms = 0);

  /// No broker could be reached, until MarkReachable.
  bool away() const { return away_; }
  void MarkReachable() { away_ = false; }
  /// kUnavailable WEIR0301 with what was heard last.
  Error Away() const;
  /// Why the brokers refuse us, if they do; forgotten when taken.
  std::optional<Error> TakeRejection();

  /// Waits for the one event of an admin request. Errors: kUnavailable, kRefused, and those of the
  /// event itself.
  Result<EventPtr> Await(rd_kafka_queue_t* queue, Micros timeout);

  /// The error of a code; `doing`: "reading topic 'x'".
  Error ErrorOf(rd_kafka_resp_err_t code, std::string_view doing,
                std::string_view detail = {}) const;

 private:
  explicit Client(std::string brokers) : brokers_(std::move(brokers)) {}
  static void OnError(rd_kafka_t* handle, int code, const char* reason, void* opaque);
  static void OnLog(const rd_kafka_t* handle, int level, const char* facility, const char* text);

  std::string brokers_;
  rd_kafka_t* handle_ = nullptr;
  Setup setup_;
  bool away_ = false;
  std::string last_trouble_;
  std::optional<Error> rejection_;
  log::Sampler sampler_{5, 60 * kMicrosPerSecond};
};

/// A configuration with required settings, options and defaults. Errors: kInvalidInput WEIR0104.
Result<ConfPtr> MakeConf(const ClientOptions& options, const Client::Setup& setup);

}  // namespace weir::kafka
