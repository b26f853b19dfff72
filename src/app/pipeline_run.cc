#include "app/pipeline_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/build_info.h"
#include "app/ledger_text.h"
#include "app/listing.h"
#include "app/metered_source.h"
#include "app/run_progress.h"
#include "app/state_lock.h"
#include "app/wiring.h"
#include "base/digits.h"
#include "base/log.h"
#include "io/location.h"

namespace weir::app {
namespace {

std::string_view ReasonText(engine::StopReason reason) {
  switch (reason) {
    case engine::StopReason::kCaughtUp:
      return "caught up";
    case engine::StopReason::kTimeUp:
      return "time is up";
    case engine::StopReason::kStopAsked:
      break;
  }
  return "stopped";
}

std::int64_t EventsPerSecond(const engine::RunSummary& summary) {
  const auto elapsed = static_cast<double>(std::max<Micros>(1, summary.elapsed));
  return static_cast<std::int64_t>(static_cast<double>(summary.counts.read) * kMicrosPerSecond /
                                   elapsed);
}

bool EndedByStop(const Error& error, const std::stop_token& stop) {
  return stop.stop_requested() &&
         (error.kind == ErrorKind::kUnavailable || error.kind == ErrorKind::kCancelled);
}

// Whether an object store was away for longer than its client waits, which a fresh start mends.
bool IsStoreAway(const config::PipelineSpec& spec, const Error& error) {
  const bool on_network = io::IsS3Location(spec.state) || io::IsS3Location(spec.lake.warehouse);
  const bool away =
      error.kind == ErrorKind::kUnavailable || error.kind == ErrorKind::kCommitUnknown;
  return on_network && away && error.code == ErrorCode::kStorageFailed;
}

void SleepUnlessStopped(Micros span, const std::stop_token& stop, Clock& clock) {
  constexpr Micros kStep = 200 * kMicrosPerMilli;
  for (Micros slept = 0; slept < span && !stop.stop_requested(); slept += kStep) clock.Sleep(kStep);
}

Result<std::optional<engine::RunSummary>> RunOnce(const config::PipelineSpec& spec,
                                                  const PipelineRunOptions& options,
                                                  const std::stop_token& stop, Session& session,
                                                  bool& has_run) {
  WEIR_ASSIGN_OR_RETURN(auto state, OpenState(spec));
  WEIR_ASSIGN_OR_RETURN(const auto lock, LockState(spec.state, session.clock));
  WEIR_ASSIGN_OR_RETURN(auto catalog, OpenCatalogToRun(spec, *state));
  WEIR_ASSIGN_OR_RETURN(auto source, OpenSource(spec));
  MeteredSource metered(*source, session.clock);
  RunProgress progress(session, metered,
                       {.pipeline = spec.name,
                        .log_every = options.log_every,
                        .to_the_end = options.once,
                        .run_for = options.run_for});
  engine::RunOptions run;
  run.once = options.once;
  run.run_for = options.run_for;
  run.final_watermark = options.final_watermark;
  run.accepted = options.accepted;
  run.version = ProgramVersion();
  run.stop = stop;
  run.on_epoch = [&progress, &options](const engine::EpochReport& report) {
    progress.OnEpoch(report);
    if (options.on_epoch) options.on_epoch(report);
  };
  const engine::PipelineParts parts{.clock = session.clock,
                                    .state = *state,
                                    .catalog = *catalog,
                                    .source = metered,
                                    .open_store = TableStores(spec),
                                    .apply_turn = {}};
  auto pipeline = engine::Pipeline::Start(spec, parts, std::move(run));
  if (!pipeline) {
    if (EndedByStop(pipeline.error(), stop)) return std::optional<engine::RunSummary>();
    return pipeline.error();
  }
  has_run = true;
  WEIR_ASSIGN_OR_RETURN(auto summary, (*pipeline)->Run());
  return std::optional(std::move(summary));
}

}  // namespace

void AnnouncePipeline(const config::PipelineSpec& spec) {
  std::string tables;
  for (const auto& table : spec.tables) tables += (tables.empty() ? "" : ", ") + table.name;
  log::Info(fmt::format("weir {} pipeline {}: {} -> {}", ProgramVersion(), spec.name,
                        DescribeSource(spec.source), tables));
}

Result<std::optional<engine::RunSummary>> RunPipeline(const config::PipelineSpec& spec,
                                                      const PipelineRunOptions& options,
                                                      const std::stop_token& stop,
                                                      Session& session) {
  constexpr Micros kFirstWait = kMicrosPerSecond;
  constexpr Micros kLongestWait = 30 * kMicrosPerSecond;
  bool has_run = false;
  const bool bounded = options.once || options.run_for;
  for (Micros wait = kFirstWait;; wait = std::min(2 * wait, kLongestWait)) {
    const Micros started = session.clock.Monotonic();
    auto summary = RunOnce(spec, options, stop, session, has_run);
    // What cannot even begin is for whoever started it.
    if (summary || bounded || !has_run || stop.stop_requested() ||
        !IsStoreAway(spec, summary.error())) {
      return summary;
    }
    log::Warn("the object store is away; starting again from the last epoch",
              {{"because", summary.error().ToString()}});
    if (session.clock.Monotonic() - started > 60 * kMicrosPerSecond) wait = kFirstWait;
    SleepUnlessStopped(wait, stop, session.clock);
  }
}

void PrintSummary(const config::PipelineSpec& spec, const engine::RunSummary& summary,
                  Session& session) {
  const state::LedgerCounts& counts = summary.counts;
  if (session.options.log_format == "json") {
    std::string rows;
    for (const auto& [table, added] : summary.table_rows) {
      rows += fmt::format("{}{}={}", rows.empty() ? "" : " ", table, added);
    }
    log::Info(ReasonText(summary.reason), {{"pipeline", spec.name},
                                           {"epochs", summary.epochs},
                                           {"read", counts.read},
                                           {"good", counts.good},
                                           {"duplicates", counts.duplicate},
                                           {"late", counts.late},
                                           {"quarantined", counts.quarantined},
                                           {"tombstones", counts.tombstone},
                                           {"rows", rows},
                                           {"open", summary.open},
                                           {"elapsed_us", summary.elapsed},
                                           {"events_per_second", EventsPerSecond(summary)}});
    return;
  }
  std::string text =
      fmt::format("{}: {} after {}: {}, {}, {} events/s", spec.name, ReasonText(summary.reason),
                  FormatSpan(summary.elapsed), CountOf(summary.epochs, "epoch"), LedgerText(counts),
                  GroupDigits(EventsPerSecond(summary)));
  for (const auto& [table, added] : summary.table_rows) {
    text += fmt::format("; {} +{}", table, GroupDigits(added));
  }
  session.Note(text);
  if (!summary.open.empty()) session.Note("left open: " + summary.open);
}

}  // namespace weir::app
