#pragma once
// KafkaSource: a topic as a LogSource, over librdkafka.
//
// Weir keeps its own offsets, so nothing here commits on its own, joins a group or resets an
// offset: partitions are assigned by hand. What the topic lacks for good reasons (transaction
// markers, aborted and compacted records) moves Positions() on; an offset that comes again is
// dropped and counted. Transactions are honoured (`isolation.level`, read_committed unless set).
//
// One thread owns the source. librdkafka's own threads fetch and decompress; what they may hold is
// bounded by `queued.max.messages.kbytes`. The bytes of a LogBatch live in one arena.
// Errors of the port, and kCorrupt WEIR0304 for a batch that fails its checksum.

#include <cstdint>
#include <memory>
#include <string>

#include "connect/log_source.h"
#include "kafka/client_options.h"

namespace weir::kafka {

struct SourceOptions {
  ClientOptions client;
  std::string topic;
  std::string group;          // progress is reported to it; nobody joins it
  bool want_headers = false;  // whether LogRecord::headers is filled
};

/// What the source noticed about the order of offsets since it was opened.
struct Continuity {
  std::int64_t repeated = 0;  // records dropped because their offset had been handed out
  std::int64_t gaps = 0;      // jumps over offsets that hold no record for us
  std::int64_t skipped = 0;   // offsets in those jumps
};

class KafkaSource final : public connect::LogSource {
 public:
  /// Makes the client; connects in the background. Errors: as CheckOptions.
  static Result<std::unique_ptr<KafkaSource>> Open(SourceOptions options);
  ~KafkaSource() override;

  Result<connect::TopicInfo> Describe() override;
  Result<OffsetMap> OffsetsAt(std::int64_t timestamp_ms) override;
  Status Assign(const OffsetMap& start) override;
  Result<LogBatch> Poll(Micros max_wait, std::size_t max_records) override;
  OffsetMap Positions() const override;
  std::set<Partition> AtEnd() const override;
  Status ReportProgress(const OffsetMap& next) override;

  const Continuity& continuity() const;

 private:
  class Impl;
  explicit KafkaSource(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::kafka
