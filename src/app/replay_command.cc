#include "app/replay_command.h"

#include <memory>

#include <fmt/format.h>

#include "app/ledger_text.h"
#include "app/listing.h"
#include "app/pipeline_file.h"
#include "app/pipeline_run.h"
#include "app/replay_diff.h"
#include "app/replay_job.h"
#include "app/session.h"
#include "app/stop_signals.h"
#include "app/wiring.h"
#include "base/digits.h"

namespace weir::app {
namespace {

struct ReplayOptions {
  std::optional<std::string> as;
  std::vector<std::string> tables;
  std::string from = "bronze";
  std::optional<std::int64_t> samples;
};

// Runs `work` with the replay that the options name.
template <typename Work>
Result<int> WithReplay(const ReplayOptions& options, Session& session, const Work& work) {
  LoadedPipeline loaded = LoadPipelineFile(session);
  if (!loaded.spec) return loaded.exit_code;
  WEIR_ASSIGN_OR_RETURN(auto job, ReplayJob::Open(std::move(*loaded.spec), options.as));
  return work(job);
}

Listing PlanListing(const engine::ReplayPlan& plan) {
  Listing listing{.columns = {"partition", "first_offset", "end_offset", "records"}, .rows = {}};
  const auto ranges = plan.ranges();
  for (const auto& [partition, entry] : plan.goal.partitions) {
    const auto range = ranges.find(partition);
    const bool known = range != ranges.end();
    listing.Add({std::int64_t{partition.value()},
                 known ? Cell(range->second.first.value()) : Cell(),
                 entry.start.next_offset.value(), known ? Cell(range->second.rows) : Cell()});
  }
  return listing;
}

std::int64_t RowsOf(const engine::ReplayPlan& plan) {
  std::int64_t rows = 0;
  for (const auto& [partition, range] : plan.ranges()) rows += range.rows;
  return rows;
}

std::int64_t ReadOf(const engine::ReplayPlan& plan) {
  std::int64_t read = 0;
  for (const auto& [partition, entry] : plan.goal.partitions) read += entry.start.total.read;
  return read;
}

void TellPlan(const engine::ReplayPlan& plan, const config::PipelineSpec& spec, Session& session) {
  if (plan.from_source) {
    session.Note(
        fmt::format("replay {}: reads topic {} as far as the pipeline has read it; when "
                    "records came in is decided anew",
                    plan.id, plan.goal.topic));
  } else {
    session.Note(fmt::format("replay {}: reads {} records of {} ({}, {}) at snapshot {}", plan.id,
                             GroupDigits(RowsOf(plan)), plan.bronze,
                             CountOf(static_cast<std::int64_t>(plan.files.size()), "file"),
                             ShowBytes(plan.bytes()), plan.bronze_snapshot));
    if (const std::int64_t missing = ReadOf(plan) - RowsOf(plan); missing > 0)
      session.Note(
          fmt::format("the pipeline has read {} more records than {} holds: they will be "
                      "missing in the new tables",
                      GroupDigits(missing), plan.bronze));
  }
  for (const std::string& table : plan.tables)
    session.Note(fmt::format("  makes {} beside {}", plan.TableOf(table), table));
  session.Note("next: weir replay apply -c " + spec.file);
}

Result<int> RunPlan(const ReplayOptions& options, Session& session) {
  return WithReplay(options, session, [&](ReplayJob& job) -> Result<int> {
    WEIR_TRY(job.Plan(options.tables, options.from == "source"));
    WriteListing(PlanListing(*job.plan()), session);
    TellPlan(*job.plan(), job.spec(), session);
    return exit_code::kOk;
  });
}

Result<int> RunApply(const ReplayOptions& options, Session& session) {
  const StopSignals signals;
  return WithReplay(options, session, [&](ReplayJob& job) -> Result<int> {
    WEIR_ASSIGN_OR_RETURN(const auto summary, job.Apply(signals.token(), session));
    if (!summary) return exit_code::kOk;
    config::PipelineSpec shown = job.spec();
    shown.name += " replay " + job.id();
    PrintSummary(shown, *summary, session);
    if (summary->reason == engine::StopReason::kCaughtUp)
      session.Note("next: weir replay diff -c " + job.spec().file);
    return exit_code::kOk;
  });
}

std::string_view KindText(engine::DiffKind kind) {
  switch (kind) {
    case engine::DiffKind::kOnlyLeft:
      return "only live";
    case engine::DiffKind::kOnlyRight:
      return "only replay";
    case engine::DiffKind::kChanged:
      break;
  }
  return "changed";
}

void TellDiff(const ReplayTableDiff& diff, Session& session) {
  auto columns = [&](const std::vector<std::string>& names, std::string_view side) {
    for (const std::string& name : names)
      session.Note(fmt::format("{}: only the {} table has column {}", diff.table, side, name));
  };
  columns(diff.diff.columns_only_left, "live");
  columns(diff.diff.columns_only_right, "new");
  if (!diff.note.empty()) session.Note(diff.table + ": " + diff.note);
  for (const auto& sample : diff.diff.samples) {
    session.Note(fmt::format("{}: {}: {}", diff.table, KindText(sample.kind), sample.key));
    if (!sample.left.empty()) session.Note("    live:   " + sample.left);
    if (!sample.right.empty()) session.Note("    replay: " + sample.right);
  }
}

Result<int> RunDiff(const ReplayOptions& options, Session& session) {
  return WithReplay(options, session, [&](ReplayJob& job) -> Result<int> {
    const std::int64_t samples = options.samples.value_or(3);
    if (samples < 0) return InvalidInput("--samples takes a number from 0", ErrorCode::kUsage);
    WEIR_ASSIGN_OR_RETURN(const auto diffs,
                          DiffReplay(job, options.tables, static_cast<std::size_t>(samples)));
    Listing listing{
        .columns = {"table", "live_rows", "replay_rows", "only_live", "only_replay", "changed"},
        .rows = {}};
    bool equal = true;
    for (const auto& [table, diff, note] : diffs) {
      listing.Add(
          {table, diff.left_rows, diff.right_rows, diff.only_left, diff.only_right, diff.changed});
      equal = equal && diff.equal();
    }
    WriteListing(listing, session);
    for (const auto& diff : diffs) TellDiff(diff, session);
    session.Note(equal ? "the new tables hold the same rows as the live ones"
                       : "next, if this is what you want: weir replay swap -c " + job.spec().file);
    return exit_code::kOk;
  });
}

Result<int> RunSwap(const ReplayOptions& options, Session& session) {
  const StopSignals signals;
  return WithReplay(options, session, [&](ReplayJob& job) -> Result<int> {
    WEIR_TRY(job.Swap(signals.token(), session));
    for (const std::string& table : job.plan()->tables)
      session.Note(fmt::format("{} is the replay's now; its rows before are in {}", table,
                               job.plan()->KeptOf(table)));
    session.Note("the pipeline goes on from here: weir run -c " + job.spec().file);
    return exit_code::kOk;
  });
}

Result<int> RunList(Session& session) {
  const LoadedPipeline loaded = LoadPipelineFile(session);
  if (!loaded.spec) return loaded.exit_code;
  WEIR_ASSIGN_OR_RETURN(auto state, OpenStateToRead(*loaded.spec));
  WEIR_ASSIGN_OR_RETURN(const auto all, ReplayJob::All(*state));
  Listing listing{.columns = {"replay", "swapped"}, .rows = {}};
  for (const auto& [id, swapped] : all) listing.Add({id, swapped});
  WriteListing(listing, session);
  return exit_code::kOk;
}

Option AsOption(ReplayOptions& options) {
  return {.names = "--as",
          .value = "NAME",
          .help = "which replay; its tables get the suffix __NAME",
          .target = &options.as};
}

Option TableOption(ReplayOptions& options, std::string help) {
  return {.names = "--table", .value = "TABLE", .help = std::move(help), .target = &options.tables};
}

Command MakePlanCommand(const std::shared_ptr<ReplayOptions>& options) {
  Command command;
  command.name = "plan";
  command.summary = "Says what a replay would read and make, and fixes it";
  command.examples = {{"weir replay plan -c pipeline.yaml", "all tables, from bronze"},
                      {"weir replay plan --table gold.event_windows", "only this one"},
                      {"weir replay plan --from source --as fix1", "from the log, by name"}};
  command.details =
      "Changes no table. Planned again, a replay that is under way goes on to where the pipeline "
      "stands now. From bronze everything that the clock decided is read from there. From the "
      "source the records come in anew: their ingestion time is new, and what expired is missing.";
  command.options = {
      AsOption(*options),
      TableOption(*options, "a table to make anew; all but the raw records unless given"),
      {.names = "--from",
       .value = "SOURCE",
       .help = "where the records come from",
       .target = &options->from,
       .choices = {"bronze", "source"}}};
  command.run = [options](Session& session) { return RunPlan(*options, session); };
  return command;
}

Command MakeApplyCommand(const std::shared_ptr<ReplayOptions>& options) {
  Command command;
  command.name = "apply";
  command.summary = "Makes the new tables beside the live ones";
  command.examples = {{"weir replay apply -c pipeline.yaml", "as it was planned"},
                      {"weir replay apply --as fix1", "of several the one"}};
  command.details =
      "Works beside the running pipeline. Stopped or killed, it goes on where it was when it is "
      "run again.";
  command.options = {AsOption(*options)};
  command.run = [options](Session& session) { return RunApply(*options, session); };
  return command;
}

Command MakeDiffCommand(const std::shared_ptr<ReplayOptions>& options) {
  Command command;
  command.name = "diff";
  command.summary = "Compares the new tables with the live ones";
  command.examples = {{"weir replay diff -c pipeline.yaml", "all tables, all columns"},
                      {"weir replay diff --table silver.events --samples 20", "with more rows"}};
  command.details =
      "The live tables are looked at as they were where the replay ends. Rows are known again by "
      "topic, partition and offset, or by what the table is made by: window, session, step, "
      "minute.";
  command.options = {AsOption(*options),
                     TableOption(*options, "a table to compare; all unless given"),
                     {.names = "--samples",
                      .value = "N",
                      .help = "rows of each kind that are shown; 3 unless given",
                      .target = &options->samples}};
  command.run = [options](Session& session) { return RunDiff(*options, session); };
  return command;
}

Command MakeSwapCommand(const std::shared_ptr<ReplayOptions>& options) {
  Command command;
  command.name = "swap";
  command.summary = "Puts the new tables in the place of the live ones";
  command.examples = {{"weir replay swap -c pipeline.yaml", "while the pipeline is stopped"},
                      {"weir replay swap --as fix1", "of several the one"}};
  command.details =
      "Stop the pipeline before. Reads what came since, then all tables change names in one step; "
      "the old ones stay as TABLE__before_NAME. The pipeline goes on from the replay's state. "
      "Killed at any moment, run it again. Needs a SQL catalog.";
  command.options = {AsOption(*options)};
  command.run = [options](Session& session) { return RunSwap(*options, session); };
  return command;
}

}  // namespace

Command MakeReplayCommand() {
  Command command;
  command.name = "replay";
  command.summary = "Makes tables anew from the raw records, beside the live ones";
  command.examples = {{"weir replay plan -c pipeline.yaml", "what would be read and made"},
                      {"weir replay apply -c pipeline.yaml", "make it"},
                      {"weir replay swap -c pipeline.yaml", "take it into use"}};
  auto options = [] { return std::make_shared<ReplayOptions>(); };
  command.commands = {MakePlanCommand(options()), MakeApplyCommand(options()),
                      MakeDiffCommand(options()), MakeSwapCommand(options())};
  Command list;
  list.name = "ls";
  list.summary = "Lists the replays of a pipeline";
  list.examples = {{"weir replay ls -c pipeline.yaml", "all of them"},
                   {"weir replay ls --format json", "for scripts"}};
  list.run = [](Session& session) { return RunList(session); };
  command.commands.push_back(std::move(list));
  return command;
}

}  // namespace weir::app
