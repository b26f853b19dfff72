#include "app/tail_command.h"

#include <algorithm>
#include <deque>
#include <memory>

#include <fmt/format.h>

#include "app/envelope.h"
#include "app/listing.h"
#include "app/log_target.h"
#include "app/session.h"
#include "app/stop_signals.h"
#include "base/bytes.h"
#include "config/quantity.h"
#include "engine/patience.h"

namespace weir::app {
namespace {

constexpr std::int64_t kDefaultCount = 10;
constexpr Micros kMostPatience = 60 * kMicrosPerSecond;

struct TailOptions {
  LogTargetOptions target;
  std::optional<std::string> from;
  std::optional<std::int64_t> count;
  std::optional<std::int64_t> partition;
  bool follow = false;
};

// One record in the format that was asked for.
class RecordPrinter {
 public:
  explicit RecordPrinter(Session& session)
      : session_(session),
        stream_({"partition", "offset", "timestamp", "key", "value"}, session.format(),
                session.out) {}

  void Print(const LogRecord& record) {
    if (session_.format() == OutputFormat::kNdjson) {
      session_.out << EnvelopeLine(record) << '\n';
    } else if (session_.format() == OutputFormat::kTable) {
      PrintForPeople(record);
    } else {
      stream_.Add({record.partition.value(), record.offset.value(), TimeOf(record),
                   TextOf(record.key), TextOf(record.value)});
    }
  }
  void Finish() {
    if (session_.format() != OutputFormat::kNdjson) stream_.Finish();
    session_.out.flush();
  }

 private:
  static Cell TimeOf(const LogRecord& record) {
    constexpr std::int64_t kMostMs = INT64_MAX / kMicrosPerMilli;
    if (record.timestamp_ms < 0 || record.timestamp_ms > kMostMs) return {};
    return FormatTime(record.timestamp_ms * kMicrosPerMilli);
  }
  // JSON and CSV show text; bytes that are none are shown in hex.
  static Cell TextOf(const std::optional<std::string_view>& bytes) {
    if (!bytes) return {};
    return IsValidUtf8(*bytes) ? Cell(*bytes) : Cell("hex:" + HexEncode(*bytes));
  }
  void PrintForPeople(const LogRecord& record) {
    const Cell time = TimeOf(record);
    const auto* text = std::get_if<std::string>(&time.value);
    const std::string place = fmt::format("{}:{}", record.partition.value(), record.offset.value());
    session_.out << fmt::format("{:<10}  {:<24}  {}  {}\n", place, text == nullptr ? "-" : *text,
                                record.key ? Printable(*record.key, 100) : "-",
                                record.value ? Printable(*record.value, 100'000) : "(tombstone)");
  }

  Session& session_;
  ListingStream stream_;
};

// Where reading begins in each partition.
Result<OffsetMap> StartOf(const TailOptions& options, const connect::TopicInfo& topic,
                          connect::LogSource& source) {
  const std::string from = options.from.value_or("last");
  OffsetMap start;
  if (from != "earliest" && from != "latest" && from != "last") {
    if (auto time = config::ParseTime(from)) {
      WEIR_ASSIGN_OR_RETURN(start, source.OffsetsAt(*time / kMicrosPerMilli));
    }
  }
  for (const auto& [partition, bounds] : topic.partitions) {
    if (from == "earliest") {
      start[partition] = bounds.begin;
    } else if (from == "latest") {
      start[partition] = bounds.end;
    } else if (from == "last") {
      const std::int64_t count = options.count.value_or(kDefaultCount);
      start[partition] = Offset(std::max(bounds.begin.value(), bounds.end.value() - count));
    } else if (!start.contains(partition)) {
      auto offset = config::ParseCount(from);
      if (!offset || *offset < 0) {
        return InvalidInput(
            "--from takes earliest, latest, an offset or a time, not `" + from + "`",
            ErrorCode::kUsage);
      }
      start[partition] = std::clamp(Offset(*offset), bounds.begin, bounds.end);
    }
  }
  return start;
}

Status KeepOnly(std::int64_t partition, OffsetMap& start) {
  std::erase_if(start, [&](const auto& entry) { return entry.first.value() != partition; });
  if (!start.empty()) return Ok();
  return InvalidInput(fmt::format("the topic has no partition {}", partition), ErrorCode::kUsage);
}

class Tailing {
 public:
  Tailing(const TailOptions& options, connect::LogSource& source, Session& session,
          std::stop_token stop)
      : options_(options),
        source_(source),
        session_(session),
        stop_(std::move(stop)),
        printer_(session) {}

  Status Run(const connect::TopicInfo& topic) {
    WEIR_ASSIGN_OR_RETURN(OffsetMap start, StartOf(options_, topic, source_));
    if (options_.partition) WEIR_TRY(KeepOnly(*options_.partition, start));
    for (const auto& [partition, offset] : start)
      ends_[partition] = topic.partitions.at(partition).end;
    WEIR_TRY(source_.Assign(start));
    WEIR_TRY(ReadToEnd());
    PrintLast();
    while (options_.follow && !Enough()) WEIR_TRY(ReadOnce());
    printer_.Finish();
    return Ok();
  }

 private:
  // The last records of several partitions are those with the latest times: they wait for each
  // other.
  bool wants_last() const { return !options_.from; }
  bool Enough() const {
    if (stop_.stop_requested() || !session_.out) return true;
    return !wants_last() && options_.count && printed_ >= *options_.count;
  }
  bool AtEnds() const {
    const OffsetMap positions = source_.Positions();
    return std::ranges::all_of(ends_, [&](const auto& end) {
      const auto at = positions.find(end.first);
      return at == positions.end() || at->second >= end.second;
    });
  }

  Status ReadToEnd() {
    while (!Enough() && !AtEnds()) WEIR_TRY(ReadOnce());
    return Ok();
  }

  Status ReadOnce() {
    constexpr Micros kWait = 100 * kMicrosPerMilli;
    constexpr std::size_t kRecords = 1'000;
    auto batch = source_.Poll(kWait, kRecords);
    if (!batch) {
      if (batch.error().kind != ErrorKind::kUnavailable) return batch.error();
      return patience_.After(batch.error());
    }
    patience_.Reset();
    for (const LogRecord& record : batch->records) {
      if (Enough()) break;
      Take(record, *batch);
    }
    if (options_.follow) session_.out.flush();
    return Ok();
  }

  void Take(const LogRecord& record, const LogBatch& batch) {
    if (!wants_last() || last_printed_) {
      printer_.Print(record);
      ++printed_;
      return;
    }
    last_.push_back({record, batch.storage});
  }

  void PrintLast() {
    if (!wants_last()) return;
    std::ranges::stable_sort(last_, {}, [](const Kept& kept) { return kept.record.timestamp_ms; });
    const auto count = static_cast<std::size_t>(options_.count.value_or(kDefaultCount));
    const std::size_t first = last_.size() > count ? last_.size() - count : 0;
    for (std::size_t i = first; i < last_.size(); ++i) printer_.Print(last_[i].record);
    session_.out.flush();
    last_.clear();
    last_printed_ = true;
  }

  struct Kept {
    LogRecord record;
    std::shared_ptr<void> storage;  // of its bytes
  };

  const TailOptions& options_;
  connect::LogSource& source_;
  Session& session_;
  std::stop_token stop_;
  RecordPrinter printer_;
  engine::Patience patience_{
      session_.clock,
      {.limit = options_.follow ? std::nullopt : std::optional(kMostPatience),
       .grace_after_stop = 0,
       .stop = stop_},
      "the log"};
  OffsetMap ends_;
  std::deque<Kept> last_;
  bool last_printed_ = false;
  std::int64_t printed_ = 0;
};

Result<int> RunTail(const TailOptions& options, Session& session) {
  if (options.count && *options.count < 0) {
    return InvalidInput("-n is a number of records", ErrorCode::kUsage);
  }
  const StopSignals signals;
  WEIR_ASSIGN_OR_RETURN(const auto target, ResolveLogTarget(options.target, session));
  WEIR_ASSIGN_OR_RETURN(auto source, OpenReader(target, true));
  // A folder that is not there is a typing error, a broker that is away may come back.
  const bool waits = options.follow || target.kind == config::SourceKind::kKafka;
  WEIR_ASSIGN_OR_RETURN(
      const auto topic,
      DescribePatiently(*source, session.clock, waits ? kMostPatience : 0, signals.token()));
  WEIR_TRY(Tailing(options, *source, session, signals.token()).Run(topic));
  return exit_code::kOk;
}

}  // namespace

Command MakeTailCommand() {
  auto options = std::make_shared<TailOptions>();
  Command command;
  command.name = "tail";
  command.summary = "Shows records of a topic";
  command.examples = {
      {"weir tail -c pipeline.yaml", "the last ten records of the pipeline's topic"},
      {"weir tail --spool ./log --topic shop --follow", "and those that come"},
      {"weir tail --brokers localhost:9092 --topic shop --from 120 -n 1 --format ndjson",
       "one record, byte for byte"}};
  command.details =
      "Without --from the last records are shown, with it those from there on. --format ndjson "
      "prints envelopes, which `weir produce --envelope` reads back byte for byte; json and csv "
      "show "
      "bytes that are no text in hex.";
  command.options = MakeLogTargetOptions(options->target, false);
  command.options.push_back(
      {.names = "--from",
       .value = "WHERE",
       .help = "earliest, latest, an offset, or a time such as 2026-09-01T10:00:00Z",
       .target = &options->from});
  command.options.push_back({.names = "-n",
                             .value = "N",
                             .help = "so many records; 10 unless given, with --from all",
                             .target = &options->count});
  command.options.push_back({.names = "--partition",
                             .value = "P",
                             .help = "only this partition",
                             .target = &options->partition});
  command.options.push_back({.names = "-f,--follow",
                             .help = "go on with the records that come, until stopped",
                             .target = &options->follow});
  command.run = [options](Session& session) { return RunTail(*options, session); };
  return command;
}

}  // namespace weir::app
