#include "app/trace_command.h"

#include <charconv>
#include <memory>

#include <fmt/format.h>

#include "app/event_trace.h"
#include "app/listing.h"
#include "app/pipeline_file.h"
#include "app/session.h"
#include "app/wiring.h"

namespace weir::app {
namespace {

constexpr std::size_t kMostRecords = 50;

struct TraceOptions {
  std::optional<std::string> event;
  std::optional<std::string> record;
  std::optional<std::string> session;
};

// "0/17", or with the topic in front.
Result<EventTrace::Place> PlaceOf(const std::string& text) {
  const auto wrong = [&] {
    return InvalidInput("`--record " + text + "` is not TOPIC/PARTITION/OFFSET", ErrorCode::kUsage);
  };
  const auto last = text.rfind('/');
  if (last == std::string::npos) return wrong();
  const auto before = text.rfind('/', last - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  const char* const data = text.data();
  const auto first = std::from_chars(data + begin, data + last, partition);
  const auto second = std::from_chars(data + last + 1, data + text.size(), offset);
  const bool good = first.ec == std::errc() && first.ptr == data + last &&
                    second.ec == std::errc() && second.ptr == data + text.size();
  if (!good) return wrong();
  return EventTrace::Place(Partition(partition), Offset(offset));
}

Result<std::vector<EventTrace::Place>> PlacesOf(const TraceOptions& options, EventTrace& trace) {
  if (options.event) return trace.FindEvent(*options.event);
  if (options.session) return trace.FindSession(*options.session);
  WEIR_ASSIGN_OR_RETURN(const auto place, PlaceOf(*options.record));
  return std::vector{place};
}

Result<int> RunTrace(const TraceOptions& options, Session& session) {
  const int given = int{options.event.has_value()} + int{options.record.has_value()} +
                    int{options.session.has_value()};
  if (given != 1)
    return InvalidInput("what is to be traced? EVENT_ID, --record or --session", ErrorCode::kUsage);
  const LoadedPipeline loaded = LoadPipelineFile(session);
  if (!loaded.spec) return loaded.exit_code;
  WEIR_ASSIGN_OR_RETURN(auto state, OpenStateToRead(*loaded.spec));
  WEIR_ASSIGN_OR_RETURN(auto catalog, OpenCatalogToRead(*loaded.spec));
  state::StateLog log(*state);
  WEIR_ASSIGN_OR_RETURN(const auto history, engine::ReadHistory(log));
  WEIR_ASSIGN_OR_RETURN(auto decisions, log.KeptDecisions());
  EventTrace trace(*loaded.spec, *catalog, history, std::move(decisions));
  WEIR_ASSIGN_OR_RETURN(auto places, PlacesOf(options, trace));
  if (places.empty()) return NotFound("no record of this name is in the tables");
  if (places.size() > kMostRecords) {
    session.Note(fmt::format("{} records; the first {} are shown", places.size(), kMostRecords));
    places.resize(kMostRecords);
  }
  Listing listing{.columns = {"record", "stage", "verdict", "detail"}, .rows = {}};
  for (const auto& place : places) {
    WEIR_ASSIGN_OR_RETURN(const auto followed, trace.Follow(place));
    const std::string record =
        fmt::format("{}/{}/{}", history.claim.topic, place.first.value(), place.second.value());
    for (const auto& step : followed.steps)
      listing.Add({record, step.stage, step.verdict, step.detail});
  }
  WriteListing(listing, session);
  return exit_code::kOk;
}

}  // namespace

Command MakeTraceCommand() {
  auto options = std::make_shared<TraceOptions>();
  Command command;
  command.name = "trace";
  command.summary = "Follows an event through the tables";
  command.examples = {{"weir trace 8c1f6e2a-77aa-4bd2-9f4b-0c3b6a1f0d11", "by its id"},
                      {"weir trace --record clickstream.events/0/17", "by where it is in the log"},
                      {"weir trace --session alice-0-42", "all records of a session"}};
  command.details =
      "For each record: when it came in, and the verdict at each stage: refused and why, late by "
      "how much, a duplicate, or on time, with the watermark that it met, its windows and its "
      "session. Reads only.";
  command.options = {{.names = "EVENT_ID", .help = "the id of an event", .target = &options->event},
                     {.names = "--record",
                      .value = "TOPIC/PARTITION/OFFSET",
                      .help = "a record of the log; the topic may be left out",
                      .target = &options->record},
                     {.names = "--session",
                      .value = "ID",
                      .help = "a session_id of the table of sessions",
                      .target = &options->session}};
  command.run = [options](Session& session) { return RunTrace(*options, session); };
  return command;
}

}  // namespace weir::app
