#include "app/explain_command.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/listing.h"
#include "app/pipeline_file.h"
#include "app/session.h"
#include "app/wiring.h"
#include "engine/history.h"
#include "state/state_log.h"
#include "stream/event_clock.h"

namespace weir::app {
namespace {

constexpr std::size_t kDecisionsShown = 10;

Cell TimeOrNull(const std::optional<Micros>& time) {
  return time && *time != kNoWatermark ? Cell(FormatTime(*time)) : Cell();
}

std::string_view StateText(const PartitionClock& clock) {
  if (clock.idle) return "idle";
  return clock.max_event_time ? "takes part" : "no valid record yet";
}

Listing PartitionsOf(const engine::History& history, Micros delay) {
  Listing listing{
      .columns = {"partition", "state", "newest_event", "watermark", "joined_at", "next_offset"},
      .rows = {}};
  for (const auto& [partition, standing] : history.standings)
    listing.Add({std::int64_t{partition.value()}, std::string(StateText(standing.clock)),
                 TimeOrNull(standing.clock.max_event_time),
                 TimeOrNull(WatermarkOf(standing.clock, delay)), TimeOrNull(standing.clock.floor),
                 standing.next_offset.value()});
  return listing;
}

std::string DecisionText(const Decision& decision, const std::optional<Micros>& watermark) {
  const auto partition = decision.partition.value();
  switch (decision.kind) {
    case DecisionKind::kIdle:
      return fmt::format("partition {} became idle at offset {}", partition,
                         decision.offset.value());
    case DecisionKind::kEmpty:
      return fmt::format("partition {} was empty from start to end", partition);
    case DecisionKind::kJoined:
      return fmt::format("partition {} joined with offset {}; its watermark is {} at least",
                         partition, decision.offset.value(), FormatTime(decision.value));
    case DecisionKind::kSilence:
      break;
  }
  return fmt::format("all partitions were silent; the watermark followed the time to {}",
                     FormatTime(watermark.value_or(decision.value)));
}

void TellDecisions(const std::vector<state::StateLog::DecidedEpoch>& kept, Session& session) {
  std::vector<std::string> lines;
  for (const auto& epoch : kept)
    for (const Decision& decision : epoch.decisions)
      lines.push_back(FormatTime(epoch.time) + "  " + DecisionText(decision, epoch.watermark));
  if (lines.empty()) return session.Note("the clock has decided nothing so far");
  session.Note("decided by the clock lately:");
  const std::size_t first = lines.size() - std::min(lines.size(), kDecisionsShown);
  for (std::size_t i = first; i < lines.size(); ++i) session.Note("  " + lines[i]);
}

// What can be done about a partition that holds all others.
void TellWayOn(const config::PipelineSpec& spec, const engine::History& history, Session& session) {
  const bool silent = std::ranges::any_of(history.standings, [](const auto& entry) {
    return !entry.second.clock.idle && !entry.second.clock.max_event_time;
  });
  if (!spec.watermark->idle_after) {
    session.Note(
        "`watermark.idle_after` is not set: a partition without events holds the "
        "watermark for ever");
  } else if (silent) {
    session.Note(
        fmt::format("a partition that was read to its end and has no valid record for {} "
                    "stops holding the others (`idle_after`)",
                    FormatSpan(*spec.watermark->idle_after)));
  }
}

Result<int> ExplainWatermark(Session& session) {
  const LoadedPipeline loaded = LoadPipelineFile(session);
  if (!loaded.spec) return loaded.exit_code;
  const config::PipelineSpec& spec = *loaded.spec;
  if (!spec.watermark)
    return WithRemedy(
        InvalidInput(spec.file + ": the pipeline has no watermark", ErrorCode::kPipelineInvalid),
        "add one: `watermark: {delay: 10m}`");
  WEIR_ASSIGN_OR_RETURN(auto state, OpenStateToRead(spec));
  state::StateLog log(*state);
  WEIR_ASSIGN_OR_RETURN(const auto history, engine::ReadHistory(log));
  stream::EventClock clock(*spec.watermark);
  for (const auto& [partition, standing] : history.standings)
    clock.Add(partition, standing.clock, 0);
  clock.SetPipelineWatermark(history.shared().watermark.value_or(kNoWatermark));
  WriteListing(PartitionsOf(history, spec.watermark->delay), session);
  session.Note(clock.Explain());
  TellWayOn(spec, history, session);
  WEIR_ASSIGN_OR_RETURN(const auto kept, log.KeptDecisions());
  TellDecisions(kept, session);
  return exit_code::kOk;
}

}  // namespace

Command MakeExplainCommand() {
  Command watermark;
  watermark.name = "watermark";
  watermark.summary = "Says which partition holds the watermark, and why";
  watermark.examples = {{"weir explain watermark -c pipeline.yaml", "why is nothing closed?"},
                        {"weir explain watermark --format json", "the partitions, for scripts"}};
  watermark.details =
      "As of the newest epoch, also beside a running pipeline. The partitions are data on standard "
      "output; the sentences go to standard error.";
  watermark.run = [](Session& session) { return ExplainWatermark(session); };
  Command command;
  command.name = "explain";
  command.summary = "Says in words why a pipeline stands where it stands";
  command.examples = watermark.examples;
  command.commands.push_back(std::move(watermark));
  return command;
}

}  // namespace weir::app
