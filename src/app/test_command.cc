#include "app/test_command.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "app/listing.h"
#include "app/scenario.h"
#include "app/scenario_check.h"
#include "app/scenario_plans.h"
#include "app/session.h"
#include "base/log.h"
#include "config/load.h"

namespace weir::app {
namespace {

struct TestOptions {
  std::vector<std::string> paths;
  bool variants = false;
  std::optional<std::string> spool;
  std::optional<std::string> brokers;
  std::optional<std::string> lake;
};

// What is real of the way that each scenario takes once more.
struct RealParts {
  std::optional<config::SourceSpec> log;
  std::optional<config::PipelineSpec> lake;
  bool any() const { return log || lake; }
};

// What a scenario came to.
struct TestResult {
  std::string file;
  std::string name;  // of the scenario; the file where it could not be read
  int runs = 0;
  std::vector<std::string> findings;  // empty: passed
};

// The scenarios of a folder are its own *.yaml files; folders in it hold what they share.
Result<std::vector<std::string>> FilesOf(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const std::size_t before = files.size();
    for (const auto& entry : std::filesystem::directory_iterator(path, error))
      if (entry.path().extension() == ".yaml") files.push_back(entry.path());
    if (files.size() == before)
      return InvalidInput(path + ": there is no scenario (*.yaml) in this folder",
                          ErrorCode::kUsage);
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
  }
  return files;
}

// A log that the records go through as well; nullopt: memory is enough.
Result<std::optional<config::SourceSpec>> LogOf(const TestOptions& options,
                                                const Session& session) {
  if (options.spool && options.brokers)
    return InvalidInput("more than one log is named: --spool or --brokers", ErrorCode::kUsage);
  if (!options.spool && !options.brokers) return std::optional<config::SourceSpec>();
  config::SourceSpec log;
  if (options.brokers) {
    log.kind = config::SourceKind::kKafka;
    log.brokers = *options.brokers;
  } else {
    log.spool_path = config::AbsolutePath(session.environment.CurrentFolder(), *options.spool);
  }
  return std::optional(std::move(log));
}

// The tables of a pipeline file go where its own would; nullopt: memory is enough.
Result<std::optional<config::PipelineSpec>> LakeOf(const TestOptions& options,
                                                   const Session& session) {
  if (!options.lake) return std::optional<config::PipelineSpec>();
  auto loaded = config::LoadPipeline(*options.lake, session.environment);
  if (!loaded.spec) return loaded.diagnostics.ToStatus().error();
  return std::move(loaded.spec);
}

// The ways beside the straight one in memory.
std::vector<RunPlan> OtherPlans(const Scenario& scenario, const RealParts& real, bool variants) {
  std::vector<RunPlan> plans = variants ? VariantPlans(scenario) : std::vector<RunPlan>();
  if (!real.any()) return plans;
  // A real lake has one format.
  if (real.lake)
    std::erase_if(plans, [](const RunPlan& plan) { return !plan.lake_format.empty(); });
  plans.insert(plans.begin(), PlainPlan());
  for (RunPlan& plan : plans) {
    if (real.log) {
      plan.name +=
          real.log->kind == config::SourceKind::kKafka ? " from Kafka" : " from the embedded log";
    }
    if (real.lake) plan.name += " into " + real.lake->lake.warehouse;
    plan.log = real.log;
    plan.lake = real.lake;
  }
  return plans;
}

Result<std::vector<std::string>> Findings(const Scenario& scenario, const RealParts& real,
                                          bool variants, int& runs) {
  WEIR_ASSIGN_OR_RETURN(const RunOutcome plain, RunScenario(scenario, PlainPlan(), 0));
  ++runs;
  WEIR_ASSIGN_OR_RETURN(auto findings, CheckExpected(scenario, plain));
  if (!findings.empty()) return findings;
  for (const RunPlan& plan : OtherPlans(scenario, real, variants)) {
    WEIR_ASSIGN_OR_RETURN(const RunOutcome other, RunScenario(scenario, plan, plain.calls));
    ++runs;
    auto differences = CompareRuns(scenario, plain, other);
    if (differences.empty()) continue;
    findings.push_back(plan.name + ":");
    for (std::string& line : differences) findings.push_back("  " + std::move(line));
  }
  return findings;
}

TestResult RunFile(const std::string& file, const RealParts& real, bool variants,
                   const Session& session) {
  TestResult result{.file = file, .name = file, .findings = {}};
  auto scenario = ReadScenario(file, session.environment);
  if (!scenario) {
    result.findings.push_back(scenario.error().ToString());
    return result;
  }
  result.name = scenario->name;
  auto findings = Findings(*scenario, real, variants, result.runs);
  result.findings =
      findings ? std::move(*findings) : std::vector<std::string>{findings.error().ToString()};
  return result;
}

void Print(const TestResult& result, Session& session) {
  const bool passed = result.findings.empty();
  session.out << fmt::format("{} {}", passed ? "ok    " : "FAILED", result.name);
  if (!passed && result.name != result.file) session.out << " (" << result.file << ")";
  session.out << '\n';
  for (const std::string& finding : result.findings) session.out << "       " << finding << '\n';
  session.out << std::flush;
}

void Add(const TestResult& result, Listing& listing) {
  std::string findings;
  for (const std::string& finding : result.findings)
    findings += (findings.empty() ? "" : "\n") + finding;
  listing.Add(
      {result.name, result.findings.empty(), std::int64_t{result.runs}, result.file, findings});
}

Result<int> RunTest(const TestOptions& options, Session& session) {
  // What the engine has to say of tables and processes is noise here.
  if (!session.options.verbose) log::Configure(log::Level::kError, log::Format::kText);
  WEIR_ASSIGN_OR_RETURN(const auto files, FilesOf(options.paths));
  RealParts real;
  WEIR_ASSIGN_OR_RETURN(real.log, LogOf(options, session));
  WEIR_ASSIGN_OR_RETURN(real.lake, LakeOf(options, session));
  Listing listing{.columns = {"scenario", "passed", "runs", "file", "findings"}, .rows = {}};
  int failed = 0;
  int runs = 0;
  for (const std::string& file : files) {
    const TestResult result = RunFile(file, real, options.variants, session);
    if (!result.findings.empty()) ++failed;
    runs += result.runs;
    session.format() == OutputFormat::kTable ? Print(result, session) : Add(result, listing);
  }
  if (session.format() != OutputFormat::kTable) WriteListing(listing, session);
  session.Note(fmt::format("{} run {}, {} failed",
                           CountOf(static_cast<std::int64_t>(files.size()), "scenario"),
                           CountOf(runs, "time"), failed));
  return failed == 0 ? exit_code::kOk : exit_code::kFailed;
}

}  // namespace

Command MakeTestCommand() {
  auto options = std::make_shared<TestOptions>();
  Command command;
  command.name = "test";
  command.summary = "Runs scenarios: what arrives, and what the tables must hold then";
  command.examples = {
      {"weir test scenarios/", "all *.yaml of a folder"},
      {"weir test late.yaml --variants", "in all the ways that must not matter"},
      {"weir test scenarios/ --brokers localhost:9092", "through a real broker too"}};
  command.details =
      "A scenario is a YAML file: a pipeline (or the path of one), a contract, the records of the "
      "log in their order, and the rows that the tables must hold in the end; docs/SCENARIOS.md "
      "has "
      "the format. It runs in memory on a virtual clock: no broker, no disk, no waiting. "
      "--variants runs each again in small epochs, with a new process after each, with processes "
      "killed at random, with other interleavings of the partitions and in the other table "
      "formats; the tables must be equal. --spool and --brokers run each again through a real log, "
      "in a topic that is made for it and deleted afterwards; only the clock is virtual then. "
      "--lake runs each again with its tables and its state below the warehouse and the state of a "
      "pipeline file, in folders that stay; a REST catalog must be empty. "
      "Exit 1 when one fails.";
  command.options = {{.names = "PATH",
                      .value = "PATH",
                      .help = "a scenario, or a folder of scenarios",
                      .target = &options->paths,
                      .required = true},
                     {.names = "--variants",
                      .help = "also run each in all the ways that must make no difference",
                      .target = &options->variants},
                     {.names = "--spool",
                      .value = "FOLDER",
                      .help = "run each through an embedded log in this folder too",
                      .target = &options->spool},
                     {.names = "--brokers",
                      .value = "HOST:PORT",
                      .help = "run each through a Kafka cluster too",
                      .target = &options->brokers},
                     {.names = "--lake",
                      .value = "FILE",
                      .help = "run each into the lake and the state that this pipeline names too",
                      .target = &options->lake}};
  command.run = [options](Session& session) { return RunTest(*options, session); };
  return command;
}

}  // namespace weir::app
