#pragma once
// Spool: the embedded log. A folder that holds topics of records as Kafka does, for one machine.
//
// Any number of processes may produce to it and read from it at once; a kill at any moment loses
// nothing that a Flush has confirmed. Its file and format: docs/SPOOL.md. One thread per object.
// Errors: kUnavailable WEIR0301 (no log there, or busy), kNotFound WEIR0302 (no such topic),
// kCorrupt WEIR0304 (damaged, names the place), WEIR0501-0503 of the disk, kUnsupported (a newer
// format).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "connect/log_source.h"

namespace weir::spool {

/// What may be removed from a partition. Whole segments go, oldest first. Empty: nothing.
struct Retention {
  std::optional<Micros> max_age;          // since the records were appended
  std::optional<std::int64_t> max_bytes;  // the newest bytes of each partition that stay
};

struct TopicSettings {
  int partitions = 1;
  Retention retention;
};

/// Administration of the log in a folder.
class Spool {
 public:
  /// The folder and the log in it are created when they are not there.
  static Result<std::unique_ptr<Spool>> Create(const std::string& folder,
                                               Clock& clock = SystemClock());
  /// kUnavailable WEIR0301 when there is no log.
  static Result<std::unique_ptr<Spool>> Open(const std::string& folder,
                                             Clock& clock = SystemClock());
  virtual ~Spool() = default;

  /// kConflict when it exists, kInvalidInput for a name that Kafka would refuse too.
  virtual Status CreateTopic(const std::string& topic, const TopicSettings& settings) = 0;
  /// Its records are gone. A topic of the same name made later has another topic id.
  virtual Status DeleteTopic(const std::string& topic) = 0;
  /// Only more partitions than now.
  virtual Status GrowTopic(const std::string& topic, int partitions) = 0;
  virtual Status SetRetention(const std::string& topic, const Retention& retention) = 0;
  /// Removes now what may be removed; producers do so too, now and then. Returns the record count.
  virtual Result<std::int64_t> ApplyRetention(const std::string& topic) = 0;
  virtual Result<std::vector<std::string>> ListTopics() = 0;
  virtual Result<connect::TopicInfo> Describe(const std::string& topic) = 0;
  /// Reads every segment of a topic and checks it. kCorrupt WEIR0304 names the first bad one.
  virtual Status Check(const std::string& topic) = 0;
};

/// Reads a topic. Opens nothing yet: a log or topic that is not there is reported by the calls,
/// which may be repeated until it is.
std::unique_ptr<connect::LogSource> NewSpoolSource(std::string folder, std::string topic,
                                                   Clock& clock = SystemClock());

struct SinkOptions {
  /// Settings of the topic if it is not there; nullopt: then it is an error.
  std::optional<TopicSettings> create_topic = TopicSettings{};
};

/// Writes to a topic, creating the log and the topic as the options say. Records are in the log
/// when Flush returns, or when several MiB are waiting; records of one partition keep their order.
/// Keys are placed as Kafka's default partitioner places them. After an error that may be repeated
/// (kUnavailable) nothing is lost: call again. Errors: kUnavailable WEIR0305 besides those above.
Result<std::unique_ptr<connect::LogSink>> OpenSpoolSink(const std::string& folder,
                                                        const std::string& topic,
                                                        const SinkOptions& options = {},
                                                        Clock& clock = SystemClock());

}  // namespace weir::spool
