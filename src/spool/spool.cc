#include "spool/spool.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/random.h"
#include "db/transaction.h"
#include "spool/log_file.h"
#include "spool/segment.h"
#include "spool/segment_table.h"
#include "spool/spool_sink.h"
#include "spool/spool_source.h"

namespace weir::spool {
namespace {

constexpr int kMaxPartitions = 10'000;
constexpr std::size_t kMaxNameBytes = 249;  // Kafka's limit, so that a topic can move there

Status CheckTopicName(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  if (!name.empty() && name.size() <= kMaxNameBytes && name != "." && name != ".." &&
      std::ranges::all_of(name, fits)) {
    return Ok();
  }
  return InvalidInput("topic name '" + Printable(name) +
                      "': use 1 to 249 letters, digits, '.', '_' and '-'");
}

Status CheckPartitions(int partitions) {
  if (partitions >= 1 && partitions <= kMaxPartitions) return Ok();
  return InvalidInput(fmt::format("{} partitions: use 1 to {}", partitions, kMaxPartitions));
}

class SpoolAdmin final : public Spool {
 public:
  SpoolAdmin(std::unique_ptr<LogFile> file, Clock& clock) : file_(std::move(file)), clock_(clock) {}

  Status CreateTopic(const std::string& topic, const TopicSettings& settings) override;
  Status DeleteTopic(const std::string& topic) override;
  Status GrowTopic(const std::string& topic, int partitions) override;
  Status SetRetention(const std::string& topic, const Retention& retention) override;
  Result<std::int64_t> ApplyRetention(const std::string& topic) override;
  Result<std::vector<std::string>> ListTopics() override;
  Result<connect::TopicInfo> Describe(const std::string& topic) override;
  Status Check(const std::string& topic) override;

 private:
  Status CheckPartition(const Topic& topic, Partition partition, const PartitionState& state);
  /// Runs a change in a transaction of its own.
  template <typename Body>
  Status Change(Body body);

  std::unique_ptr<LogFile> file_;
  Clock& clock_;
};

template <typename Body>
Status SpoolAdmin::Change(Body body) {
  const auto change = [&]() -> Status {
    WEIR_ASSIGN_OR_RETURN(auto transaction, db::Transaction::Begin(file_->connection()));
    WEIR_TRY(body());
    return transaction.Commit();
  };
  return AsLogResult(change(), ErrorCode::kSourceUnavailable);
}

Status SpoolAdmin::CreateTopic(const std::string& topic, const TopicSettings& settings) {
  WEIR_TRY(CheckTopicName(topic));
  WEIR_TRY(CheckPartitions(settings.partitions));
  return Change([&] { return file_->AddTopic(topic, settings, clock_.Now() / kMicrosPerMilli); });
}

Status SpoolAdmin::DeleteTopic(const std::string& topic) {
  return Change([&]() -> Status {
    WEIR_ASSIGN_OR_RETURN(const Topic found, file_->FindTopic(topic));
    return file_->RemoveTopic(found);
  });
}

Status SpoolAdmin::GrowTopic(const std::string& topic, int partitions) {
  WEIR_TRY(CheckPartitions(partitions));
  return Change([&]() -> Status {
    WEIR_ASSIGN_OR_RETURN(const Topic found, file_->FindTopic(topic));
    WEIR_ASSIGN_OR_RETURN(const PartitionStates states, file_->ReadPartitions(found));
    const auto now = static_cast<int>(states.size());
    if (partitions < now) {
      return InvalidInput(fmt::format("topic {} has {} partitions; it cannot shrink to {}", topic,
                                      now, partitions));
    }
    for (int i = now; i < partitions; ++i) {
      WEIR_TRY(file_->WritePartition(found, Partition(i), {}));
    }
    return Ok();
  });
}

Status SpoolAdmin::SetRetention(const std::string& topic, const Retention& retention) {
  return Change([&]() -> Status {
    WEIR_ASSIGN_OR_RETURN(const Topic found, file_->FindTopic(topic));
    return file_->WriteRetention(found, retention);
  });
}

Result<std::int64_t> SpoolAdmin::ApplyRetention(const std::string& topic) {
  std::int64_t removed = 0;
  WEIR_TRY(Change([&]() -> Status {
    WEIR_ASSIGN_OR_RETURN(const Topic found, file_->FindTopic(topic));
    WEIR_ASSIGN_OR_RETURN(removed,
                          SegmentTable(*file_).Retire(found, clock_.Now() / kMicrosPerMilli));
    return Ok();
  }));
  return removed;
}

Result<std::vector<std::string>> SpoolAdmin::ListTopics() {
  return AsLogResult(file_->ListTopics(), ErrorCode::kSourceUnavailable);
}

Result<connect::TopicInfo> SpoolAdmin::Describe(const std::string& topic) {
  const auto describe = [&]() -> Result<connect::TopicInfo> {
    WEIR_ASSIGN_OR_RETURN(const Topic found, file_->FindTopic(topic));
    return file_->Describe(found);
  };
  return AsLogResult(describe(), ErrorCode::kSourceUnavailable);
}

Status SpoolAdmin::Check(const std::string& topic) {
  const auto check = [&]() -> Status {
    WEIR_ASSIGN_OR_RETURN(const Topic found, file_->FindTopic(topic));
    WEIR_ASSIGN_OR_RETURN(auto transaction, db::Transaction::BeginRead(file_->connection()));
    WEIR_ASSIGN_OR_RETURN(const PartitionStates states, file_->ReadPartitions(found));
    for (const auto& [partition, state] : states) {
      WEIR_TRY(CheckPartition(found, partition, state));
    }
    return Ok();
  };
  return AsLogResult(check(), ErrorCode::kSourceUnavailable);
}

Status SpoolAdmin::CheckPartition(const Topic& topic, Partition partition,
                                  const PartitionState& state) {
  SegmentTable segments(*file_);
  for (Offset next = state.begin; next < state.end;) {
    WEIR_ASSIGN_OR_RETURN(const auto segment, segments.Load(topic, partition, next));
    if (segment == nullptr || segment->first != next) {
      return segments.DamagedAt(topic, partition, next);
    }
    SegmentCursor cursor(partition, segment);
    HeaderArena headers;
    LogRecord record;
    while (!cursor.done()) {
      if (!cursor.Read(record, headers)) return segments.DamagedAt(topic, partition, cursor.next());
    }
    next = segment->end();
  }
  return Ok();
}

Result<std::unique_ptr<Spool>> Open(const std::string& folder, LogFile::Missing missing,
                                    Clock& clock) {
  auto file = LogFile::Open(folder, missing);
  if (!file) return AsLogError(std::move(file).error(), ErrorCode::kSourceUnavailable);
  return std::make_unique<SpoolAdmin>(std::move(*file), clock);
}

}  // namespace

Result<std::unique_ptr<Spool>> Spool::Create(const std::string& folder, Clock& clock) {
  return spool::Open(folder, LogFile::Missing::kCreate, clock);
}

Result<std::unique_ptr<Spool>> Spool::Open(const std::string& folder, Clock& clock) {
  return spool::Open(folder, LogFile::Missing::kFail, clock);
}

std::unique_ptr<connect::LogSource> NewSpoolSource(std::string folder, std::string topic,
                                                   Clock& clock) {
  return std::make_unique<SpoolSource>(std::move(folder), std::move(topic), clock);
}

Result<std::unique_ptr<connect::LogSink>> OpenSpoolSink(const std::string& folder,
                                                        const std::string& topic,
                                                        const SinkOptions& options, Clock& clock) {
  if (options.create_topic) {
    WEIR_ASSIGN_OR_RETURN(const auto spool, Spool::Create(folder, clock));
    const Status created = spool->CreateTopic(topic, *options.create_topic);
    if (!created && created.error().kind != ErrorKind::kConflict) return created.error();
  }
  const auto open = [&]() -> Result<std::unique_ptr<connect::LogSink>> {
    WEIR_ASSIGN_OR_RETURN(auto file, LogFile::Open(folder, LogFile::Missing::kFail));
    WEIR_ASSIGN_OR_RETURN(Topic found, file->FindTopic(topic));
    WEIR_ASSIGN_OR_RETURN(const PartitionStates states, file->ReadPartitions(found));
    return std::make_unique<SpoolSink>(std::move(file), std::move(found),
                                       static_cast<int>(states.size()), clock);
  };
  return AsLogResult(open(), ErrorCode::kProduceFailed);
}

}  // namespace weir::spool
