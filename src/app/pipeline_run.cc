#include "app/pipeline_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/build_info.h"
#include "app/contract_watch.h"
#include "app/ledger_text.h"
#include "app/listing.h"
#include "app/metered_source.h"
#include "app/metrics_endpoint.h"
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
    case engine::StopReason::kContractWaits:
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

// One pipeline after the other where the contract changes on the way: each takes over from the one
// before, as after any restart.
class Runs {
 public:
  /// `endpoint`: nullptr where nobody asks.
  Runs(config::PipelineSpec spec, const PipelineRunOptions& options, MetricsEndpoint* endpoint,
       const std::stop_token& stop, Session& session)
      : spec_(std::move(spec)),
        options_(options),
        endpoint_(endpoint),
        stop_(stop),
        session_(session) {}

  Result<std::optional<engine::RunSummary>> Run() {
    catalog_.reset();  // of an earlier turn: it looks into the state that goes
    WEIR_ASSIGN_OR_RETURN(state_, OpenState(spec_));
    WEIR_ASSIGN_OR_RETURN(const auto lock, LockState(spec_.state, session_.clock));
    WEIR_ASSIGN_OR_RETURN(catalog_, OpenCatalogToRun(spec_, *state_));
    ContractWatch watch(spec_, session_.environment, session_.clock, *catalog_);
    std::optional<engine::RunSummary> all;
    for (;;) {
      auto summary = RunOne(watch, all ? all->elapsed : 0);
      if (!summary && all && summary.error().kind == ErrorKind::kUnavailable) {
        // It ran a moment ago: what is away is waited for, as in the middle of a run.
        log::Warn("the pipeline takes itself over again", {{"because", summary.error().message}});
        session_.clock.Sleep(kMicrosPerSecond);
        if (!stop_.stop_requested()) continue;
      }
      if (!summary) return std::move(summary).error();
      if (!*summary) return all;
      all = all ? Sum(*all, **summary) : *std::move(summary);
      if (all->reason != engine::StopReason::kContractWaits) return all;
      spec_ = watch.Take();
    }
  }

  /// Whether a pipeline started, at any turn.
  bool has_run() const { return has_run_; }

 private:
  static engine::RunSummary Sum(engine::RunSummary all, const engine::RunSummary& next) {
    all.reason = next.reason;
    all.epochs += next.epochs;
    all.counts += next.counts;
    for (const auto& [table, rows] : next.table_rows) all.table_rows[table] += rows;
    all.elapsed += next.elapsed;
    all.open = next.open;
    return all;
  }

  engine::RunOptions OptionsOf(ContractWatch& watch, RunProgress& progress, Micros elapsed) {
    engine::RunOptions run;
    run.once = options_.once;
    if (options_.run_for) run.run_for = std::max<Micros>(0, *options_.run_for - elapsed);
    run.final_watermark = options_.final_watermark;
    run.accepted = elapsed == 0 ? options_.accepted : engine::AcceptSet();
    run.version = ProgramVersion();
    run.stop = stop_;
    run.on_epoch = [&progress, this](const engine::EpochReport& report) {
      progress.OnEpoch(report);
      if (endpoint_ != nullptr) endpoint_->OnEpoch(report);
      if (options_.on_epoch) options_.on_epoch(report);
    };
    if (!options_.once && options_.read_again) {
      run.contract_waits = [&watch, this] { return watch.Look(options_.read_again()); };
    }
    return run;
  }

  Result<std::optional<engine::RunSummary>> RunOne(ContractWatch& watch, Micros elapsed) {
    WEIR_ASSIGN_OR_RETURN(auto source, OpenSource(spec_));
    MeteredSource metered(*source, session_.clock);
    RunProgress progress(session_, metered,
                         {.pipeline = spec_.name,
                          .log_every = options_.log_every,
                          .to_the_end = options_.once,
                          .run_for = options_.run_for});
    const engine::PipelineParts parts{.clock = session_.clock,
                                      .state = *state_,
                                      .catalog = *catalog_,
                                      .source = metered,
                                      .open_store = TableStores(spec_),
                                      .apply_turn = {}};
    auto pipeline = engine::Pipeline::Start(spec_, parts, OptionsOf(watch, progress, elapsed));
    if (!pipeline) {
      if (EndedByStop(pipeline.error(), stop_)) return std::optional<engine::RunSummary>();
      return pipeline.error();
    }
    has_run_ = true;
    const WatchedSource watched(endpoint_, metered);
    WEIR_ASSIGN_OR_RETURN(auto summary, (*pipeline)->Run());
    return std::optional(std::move(summary));
  }

  config::PipelineSpec spec_;
  const PipelineRunOptions& options_;
  MetricsEndpoint* const endpoint_;
  const std::stop_token& stop_;
  Session& session_;
  std::unique_ptr<io::Store> state_;
  std::unique_ptr<connect::Catalog> catalog_;
  bool has_run_ = false;
};

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
  const bool bounded = options.once || options.run_for;
  WEIR_ASSIGN_OR_RETURN(const auto endpoint, MetricsEndpoint::Open(spec));
  Runs runs(spec, options, endpoint.get(), stop,
            session);  // goes on with the contract that it had last
  for (Micros wait = kFirstWait;; wait = std::min(2 * wait, kLongestWait)) {
    const Micros started = session.clock.Monotonic();
    auto summary = runs.Run();
    // What cannot even begin is for whoever started it.
    if (summary || bounded || !runs.has_run() || stop.stop_requested() ||
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
