#include "app/run_command.h"

#include <memory>

#include "app/pipeline_file.h"
#include "app/pipeline_run.h"
#include "app/session.h"
#include "app/stop_signals.h"
#include "base/log.h"

namespace weir::app {
namespace {

struct RunCommandOptions {
  bool once = false;
  std::optional<std::string> run_for;
  bool final_watermark = false;
  std::vector<std::string> accept;
  std::string log_every = "10s";
};

Result<PipelineRunOptions> ReadOptions(const RunCommandOptions& given) {
  PipelineRunOptions options;
  options.once = given.once;
  if (given.once && given.run_for) {
    return InvalidInput("--once and --for exclude each other", ErrorCode::kUsage);
  }
  if (given.run_for) {
    WEIR_ASSIGN_OR_RETURN(options.run_for, ParseSpanOption("--for", *given.run_for));
  }
  if (given.final_watermark && !given.once && !given.run_for) {
    return InvalidInput("--final-watermark needs --once or --for: it ends the pipeline for good",
                        ErrorCode::kUsage);
  }
  options.final_watermark = given.final_watermark;
  WEIR_ASSIGN_OR_RETURN(options.log_every, ParseSpanOption("--progress-every", given.log_every));
  for (const std::string& name : given.accept) {
    WEIR_ASSIGN_OR_RETURN(const engine::Accept accept, engine::ParseAccept(name));
    options.accepted.insert(accept);
  }
  return options;
}

Result<int> RunRun(const RunCommandOptions& given, Session& session) {
  // A terminal that goes away takes its programs with it; a service is asked to look again.
  const StopSignals signals(session.err_terminal.is_terminal ? HangUp::kEnds : HangUp::kReadAgain);
  WEIR_ASSIGN_OR_RETURN(PipelineRunOptions options, ReadOptions(given));
  options.read_again = [&signals] { return signals.TakeReadAgain(); };
  const LoadedPipeline loaded = LoadPipelineFile(session);
  if (!loaded.spec) return loaded.exit_code;
  AnnouncePipeline(*loaded.spec);
  WEIR_ASSIGN_OR_RETURN(const auto summary,
                        RunPipeline(*loaded.spec, options, signals.token(), session));
  if (summary) {
    PrintSummary(*loaded.spec, *summary, session);
  } else {
    session.Note(loaded.spec->name + ": stopped before the first record was read");
  }
  return exit_code::kOk;
}

}  // namespace

Command MakeRunCommand() {
  auto options = std::make_shared<RunCommandOptions>();
  Command command;
  command.name = "run";
  command.summary = "Runs a pipeline until it is stopped";
  command.examples = {{"weir run -c pipeline.yaml", "until Ctrl-C"},
                      {"weir run -c pipeline.yaml --once", "read what is there, then end"},
                      {"weir run -c pipeline.yaml --for 10m", "then end"}};
  command.details =
      "The first SIGINT or SIGTERM finishes the epoch, commits it and exits 0; a second one exits "
      "at "
      "once. Nothing is lost or doubled either way, nor by kill -9.\n\n"
      "Without --once the contract is watched: a compatible change of its file is taken up within "
      "seconds at an epoch border, at once on SIGHUP (off a terminal); any other one is refused "
      "with what would do it, and the run goes on with the old contract.\n\n"
      "--accept NAME answers a refusal, once: replay (the state is gone: read the topic again), "
      "offset-gap (records expired unread: go on behind them), new-topic (the topic was replaced: "
      "read the new one), rollback (a table was rolled back: its present rows are right).";
  command.options = {
      {.names = "--once", .help = "read what is there now, then end", .target = &options->once},
      {.names = "--for",
       .value = "SPAN",
       .help = "end after this time, such as 10m",
       .target = &options->run_for},
      {.names = "--final-watermark",
       .help = "at the end close all windows and sessions; the state then goes no further",
       .target = &options->final_watermark},
      {.names = "--accept",
       .value = "NAME",
       .help = "accept what a refusal named",
       .target = &options->accept},
      {.names = "--progress-every",
       .value = "SPAN",
       .help = "how often a line tells how it goes, off a terminal; 10s unless given",
       .target = &options->log_every}};
  command.run = [options](Session& session) { return RunRun(*options, session); };
  return command;
}

}  // namespace weir::app
