#pragma once
// ScenarioTopic: a topic of a real log, of a broker or embedded, that holds the records of one run
// of a scenario, and the source that reads them from it.
//
// The scenario still says when a record arrives and when a process gets it; what it gets (bytes,
// offsets, ends) comes through the log's own sink and source. Only the clock is virtual. A topic is
// made for a run and taken away after it. One thread.
// Errors: those of the log; kInternal when the log gives something else than was put into it.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/scenario_log.h"
#include "base/result.h"
#include "config/pipeline_spec.h"
#include "connect/log_source.h"

namespace weir::app {

class ScenarioTopic {
 public:
  /// Makes a topic of its own in the log that `log` names.
  static Result<std::unique_ptr<ScenarioTopic>> Create(const config::SourceSpec& log,
                                                       int partitions);
  ScenarioTopic(const ScenarioTopic&) = delete;
  ScenarioTopic& operator=(const ScenarioTopic&) = delete;
  /// Takes the topic away, best effort.
  ~ScenarioTopic();

  /// The records that are not in the topic yet, in their order.
  Status Receive(const std::vector<const ScenarioRecord*>& records);
  Result<std::unique_ptr<connect::LogSource>> Open() const;

 private:
  ScenarioTopic(config::SourceSpec log, std::unique_ptr<connect::LogSink> sink)
      : log_(std::move(log)), sink_(std::move(sink)) {}

  config::SourceSpec log_;
  std::unique_ptr<connect::LogSink> sink_;
  OffsetMap ends_;
};

/// A process's source: the records that `schedule` names, from the topic.
class ScenarioTopicSource final : public connect::LogSource {
 public:
  /// Both must outlive it.
  ScenarioTopicSource(ScenarioSource& schedule, ScenarioTopic& topic)
      : schedule_(schedule), topic_(topic) {}

  Result<connect::TopicInfo> Describe() override;
  Result<OffsetMap> OffsetsAt(std::int64_t timestamp_ms) override;
  Status Assign(const OffsetMap& start) override;
  Result<LogBatch> Poll(Micros max_wait, std::size_t max_records) override;
  OffsetMap Positions() const override;
  std::set<Partition> AtEnd() const override;
  Status ReportProgress(const OffsetMap& next) override { return log_->ReportProgress(next); }

 private:
  /// A record that the log gave, and what keeps its bytes.
  struct Held {
    LogRecord record;
    std::shared_ptr<void> storage;
  };

  Status OpenOnce();
  Status Hold(Micros wait, std::size_t records);
  Result<Held> Take(const LogRecord& said);
  Result<LogBatch> Fetch(const LogBatch& said);
  Status AwaitEnds();

  ScenarioSource& schedule_;
  ScenarioTopic& topic_;
  std::unique_ptr<connect::LogSource> log_;
  std::map<Partition, std::vector<Held>> held_;  // given before their time; in order
};

}  // namespace weir::app
