// Each file of golden/ is a configuration and what Weir says about it, one case a file:
//   free text, `--- env` with NAME=value lines, `--- file PATH` (the first is the pipeline),
//   `--- expect` with the rendered diagnostics and their summary.
// WEIR_UPDATE_GOLDEN=1 rewrites the last part.

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "config/load.h"
#include "config/project_files.h"
#include "config/retail_example.h"

namespace weir::config {
namespace {

constexpr const char* kFolder = "src/config/golden";

struct GoldenCase {
  ScriptedEnvironment environment;
  std::string pipeline;
  std::string input;  // everything up to the expected text
  std::string expected;
};

std::string* PartOf(GoldenCase& golden, const std::string& line, std::string& variables) {
  if (line == "--- env") return &variables;
  if (line == "--- expect") return &golden.expected;
  const std::string path = line.substr(std::string("--- file ").size());
  if (golden.pipeline.empty()) golden.pipeline = path;
  return &golden.environment.files[golden.environment.folder + "/" + path];
}

GoldenCase ParseCase(const std::string& text) {
  GoldenCase golden;
  golden.environment.files[golden.environment.folder + "/retail_event.yaml"] = RetailContractText();
  std::string variables;
  std::string comment;
  std::string* part = &comment;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool heading = line.starts_with("--- ");
    if (heading) {
      part = PartOf(golden, line, variables);
      if (part != &golden.expected) part->clear();
    } else {
      *part += line + "\n";
    }
    if (heading || part != &golden.expected) golden.input += line + "\n";
  }
  std::istringstream pairs(variables);
  for (std::string pair; std::getline(pairs, pair);) {
    const std::size_t equals = pair.find('=');
    golden.environment.variables[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return golden;
}

std::vector<std::string> CaseNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(ProjectPath(kFolder))) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class GoldenTest : public testing::TestWithParam<std::string> {};

TEST_P(GoldenTest, SaysWhatTheCaseExpects) {
  const std::string path = std::string(kFolder) + "/" + GetParam() + ".case";
  const GoldenCase golden = ParseCase(ReadProjectFile(path));
  ASSERT_FALSE(golden.pipeline.empty());
  const LoadOutcome outcome = LoadPipeline(golden.pipeline, golden.environment);
  EXPECT_EQ(outcome.spec.has_value(), outcome.diagnostics.ok());
  const std::string summary = outcome.diagnostics.Summary();
  const std::string actual =
      outcome.diagnostics.ToText() + (summary.empty() ? "no problem" : summary) + "\n";
  if (UpdatesGolden()) WriteProjectFile(path, golden.input + actual);
  EXPECT_EQ(actual, ReadProjectFile(path).substr(golden.input.size()));
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenTest, testing::ValuesIn(CaseNames()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace weir::config
