#pragma once
// KafkaSink: writes records to a topic, for `weir produce`, `weir generate` and tests.
//
// Idempotent, so a retry never doubles or reorders a record. Keys choose their partition as the
// Java client does (murmur2). One thread.

#include <memory>
#include <string>

#include "connect/log_source.h"
#include "kafka/client_options.h"

namespace weir::kafka {

class KafkaSink final : public connect::LogSink {
 public:
  /// A broker that makes topics by itself is asked to. Errors: as CheckOptions; kNotFound WEIR0302
  /// when the topic is not there, kUnavailable WEIR0301.
  static Result<std::unique_ptr<KafkaSink>> Open(const ClientOptions& client, std::string topic);
  ~KafkaSink() override;

  Status Produce(const connect::OutgoingRecord& record) override;
  Status Flush() override;

 private:
  class Impl;
  explicit KafkaSink(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Creates a topic unless it is there. Replication as the brokers have it by default.
/// Errors: kUnavailable WEIR0301, kRefused WEIR0303.
Status CreateTopic(const ClientOptions& options, const std::string& topic, int partitions);

/// Deletes a topic; one that is not there is deleted. Errors: kUnavailable WEIR0301, kRefused
/// WEIR0303.
Status DeleteTopic(const ClientOptions& options, const std::string& topic);

}  // namespace weir::kafka
