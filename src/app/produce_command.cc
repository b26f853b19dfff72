#include "app/produce_command.h"

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/envelope.h"
#include "app/line_reader.h"
#include "app/listing.h"
#include "app/log_target.h"
#include "app/session.h"
#include "app/stop_signals.h"
#include "app/wiring.h"
#include "engine/patience.h"

namespace weir::app {
namespace {

struct ProduceOptions {
  LogTargetOptions target;
  std::optional<std::string> key;
  bool envelope = false;
};

struct Produced {
  std::int64_t lines = 0;
  std::int64_t bytes = 0;
};

// The text of a top-level field; nullopt when the line is no object or lacks it.
std::optional<std::string> KeyOf(std::string_view line, const std::string& field) {
  const auto object = nlohmann::json::parse(line, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(field);
  if (found == object.end() || found->is_null()) return std::nullopt;
  if (found->is_string()) return found->get<std::string>();
  return found->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class Producing {
 public:
  Producing(const ProduceOptions& options, connect::LogSink& sink, Clock& clock)
      : options_(options), sink_(sink), clock_(clock) {}

  Status Take(std::string_view line) {
    ++produced_.lines;
    produced_.bytes += static_cast<std::int64_t>(line.size());
    if (options_.envelope) {
      auto envelope = ParseEnvelope(line);
      if (!envelope) {
        WEIR_TRY(Flush());
        return WithContext(envelope.error(), fmt::format("line {}", produced_.lines));
      }
      return Send(envelope->ToRecord());
    }
    connect::OutgoingRecord record;
    record.value = line;
    const auto key = options_.key ? KeyOf(line, *options_.key) : std::nullopt;
    if (key) record.key = *key;
    return Send(record);
  }

  Status Flush() {
    if (!waiting_) return Ok();
    WEIR_TRY(Patiently([this] { return sink_.Flush(); }));
    waiting_ = false;
    return Ok();
  }

  const Produced& produced() const { return produced_; }

 private:
  Status Send(const connect::OutgoingRecord& record) {
    waiting_ = true;
    return Patiently([&] { return sink_.Produce(record); });
  }

  // What fails for the moment may be called again: nothing is lost or doubled.
  template <typename Call>
  Status Patiently(Call call) {
    constexpr Micros kLimit = 60 * kMicrosPerSecond;
    Status done = call();
    if (done || done.error().kind != ErrorKind::kUnavailable) return done;
    engine::Patience patience(clock_, {.limit = kLimit, .stop = {}}, "the log");
    while (!done && done.error().kind == ErrorKind::kUnavailable) {
      WEIR_TRY(patience.After(done.error()));
      done = call();
    }
    return done;
  }

  const ProduceOptions& options_;
  connect::LogSink& sink_;
  Clock& clock_;
  Produced produced_;
  bool waiting_ = false;  // something may not be in the log yet
};

Result<int> RunProduce(const ProduceOptions& options, Session& session) {
  if (options.envelope && options.key) {
    return InvalidInput("--key and --envelope exclude each other: an envelope names its own key",
                        ErrorCode::kUsage);
  }
  const StopSignals signals;
  WEIR_ASSIGN_OR_RETURN(const auto target, ResolveLogTarget(options.target, session));
  WEIR_ASSIGN_OR_RETURN(auto sink, OpenSink(target, options.target.partitions));
  const Micros started = session.clock.Monotonic();
  Producing producing(options, *sink, session.clock);
  LineReader reader(STDIN_FILENO, "standard input", signals.token());
  std::string_view line;
  for (bool more = true; more;) {
    WEIR_ASSIGN_OR_RETURN(const ReadOutcome outcome, reader.Next(line));
    if (outcome == ReadOutcome::kLine) {
      WEIR_TRY(producing.Take(line));
    } else {
      WEIR_TRY(producing.Flush());
      more = outcome == ReadOutcome::kPause;
    }
  }
  const Produced& produced = producing.produced();
  session.Note(fmt::format("produced {} ({}) to {} in {}", CountOf(produced.lines, "record"),
                           ShowBytes(produced.bytes), DescribeSource(target),
                           FormatSpan(session.clock.Monotonic() - started)));
  return exit_code::kOk;
}

}  // namespace

Command MakeProduceCommand() {
  auto options = std::make_shared<ProduceOptions>();
  Command command;
  command.name = "produce";
  command.summary = "Writes lines of standard input to a topic";
  command.examples = {
      {"weir produce -c pipeline.yaml < events.ndjson", "to the topic that the pipeline reads"},
      {"weir produce --spool ./log --topic shop --key user_id < events.ndjson", "keyed by a field"},
      {"weir tail --spool ./log --topic shop -n 10 --format ndjson | weir produce --envelope "
       "--brokers localhost:9092 --topic shop",
       "whole records"}};
  command.details =
      "A line is the value of one record, byte for byte. With --envelope a line is a record: "
      "{\"partition\": 0, \"key\": \"u1\", \"value\": \"...\", \"timestamp\": 1764500000000, "
      "\"headers\": [{\"name\": \"n\", \"value\": \"v\"}]}. Only `value` is needed, null is a "
      "tombstone; `key_b64` and `value_b64` hold bytes that are no text. What a first signal "
      "interrupts was written up to there.";
  command.options = MakeLogTargetOptions(options->target, true);
  command.options.push_back({.names = "--key",
                             .value = "FIELD",
                             .help = "the field of the JSON value that is the key",
                             .target = &options->key});
  command.options.push_back(
      {.names = "--envelope", .help = "lines are whole records", .target = &options->envelope});
  command.run = [options](Session& session) { return RunProduce(*options, session); };
  return command;
}

}  // namespace weir::app
