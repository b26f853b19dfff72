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

namespace weir::app {
namespace {

struct TestOptions {
  std::vector<std::string> paths;
  bool variants = false;
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

Result<std::vector<std::string>> Findings(const Scenario& scenario, bool variants, int& runs) {
  WEIR_ASSIGN_OR_RETURN(const RunOutcome plain, RunScenario(scenario, PlainPlan(), 0));
  ++runs;
  WEIR_ASSIGN_OR_RETURN(auto findings, CheckExpected(scenario, plain));
  if (!variants || !findings.empty()) return findings;
  for (const RunPlan& plan : VariantPlans(scenario)) {
    WEIR_ASSIGN_OR_RETURN(const RunOutcome other, RunScenario(scenario, plan, plain.calls));
    ++runs;
    auto differences = CompareRuns(scenario, plain, other);
    if (differences.empty()) continue;
    findings.push_back(plan.name + ":");
    for (std::string& line : differences) findings.push_back("  " + std::move(line));
  }
  return findings;
}

TestResult RunFile(const std::string& file, bool variants, const Session& session) {
  TestResult result{.file = file, .name = file, .findings = {}};
  auto scenario = ReadScenario(file, session.environment);
  if (!scenario) {
    result.findings.push_back(scenario.error().ToString());
    return result;
  }
  result.name = scenario->name;
  auto findings = Findings(*scenario, variants, result.runs);
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
  Listing listing{.columns = {"scenario", "passed", "runs", "file", "findings"}, .rows = {}};
  int failed = 0;
  int runs = 0;
  for (const std::string& file : files) {
    const TestResult result = RunFile(file, options.variants, session);
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
  command.examples = {{"weir test scenarios/", "all *.yaml of a folder"},
                      {"weir test late.yaml --variants", "in all the ways that must not matter"}};
  command.details =
      "A scenario is a YAML file: a pipeline (or the path of one), a contract, the records of the "
      "log in their order, and the rows that the tables must hold in the end; docs/SCENARIOS.md "
      "has "
      "the format. It runs in memory on a virtual clock: no broker, no disk, no waiting. "
      "--variants runs each again in small epochs, with a new process after each, with processes "
      "killed at random and with other interleavings of the partitions; the tables must be equal. "
      "Exit 1 when one fails.";
  command.options = {{.names = "PATH",
                      .value = "PATH",
                      .help = "a scenario, or a folder of scenarios",
                      .target = &options->paths,
                      .required = true},
                     {.names = "--variants",
                      .help = "also run each in all the ways that must make no difference",
                      .target = &options->variants}};
  command.run = [options](Session& session) { return RunTest(*options, session); };
  return command;
}

}  // namespace weir::app
