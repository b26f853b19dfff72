#include "app/program.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/test_session.h"
#include "base/check.h"
#include "base/scratch_folder.h"

namespace weir::app {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(Program, NoCommandShowsTheCommandsAndIsAUsageError) {
  TestSession test;
  EXPECT_EQ(test.Run({}), 64);
  EXPECT_THAT(test.out.str(), IsEmpty());
  EXPECT_THAT(test.err.str(), HasSubstr("quarantine"));
}

TEST(Program, AMistypedCommandIsToldOnceWithWhatWasMeant) {
  TestSession test;
  EXPECT_EQ(test.Run({"rnu"}), 64);
  EXPECT_THAT(test.out.str(), IsEmpty());
  EXPECT_EQ(test.err.str(),
            "error[WEIR0701]: weir: unknown command `rnu`\n  = did you mean `run`?\n");
}

TEST(Program, AGroupWithoutACommandNamesItsCommands) {
  TestSession test;
  EXPECT_EQ(test.Run({"tables"}), 64);
  EXPECT_THAT(test.err.str(), HasSubstr("ls, show, schema, snapshots, files, create"));
}

TEST(Program, VersionIsDataInEveryFormat) {
  TestSession test;
  EXPECT_EQ(test.Run({"version"}), 0);
  EXPECT_THAT(test.out.str(), HasSubstr("librdkafka"));
  EXPECT_THAT(test.err.str(), IsEmpty());
  EXPECT_EQ(test.Run({"version", "--format", "json"}), 0);
  const auto version = nlohmann::json::parse(test.out.str());
  for (const char* name : {"weir", "commit", "compiler", "arrow", "librdkafka", "sqlite"}) {
    EXPECT_TRUE(version.contains(name)) << name;
  }
}

TEST(Program, ErrorsAreLinesOfJsonWhereLogsAre) {
  TestSession test;
  EXPECT_EQ(test.Run({"run", "--log-format", "json", "--once", "--for", "1s"}), 64);
  const auto line = nlohmann::json::parse(test.err.str());
  EXPECT_EQ(line["code"], "WEIR0701");
  EXPECT_EQ(line["exit_code"], 64);
}

TEST(Program, AMissingPipelineFileIsUsageAWrongOneConfiguration) {
  TestSession test;
  ScratchFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  EXPECT_EQ(test.Run({"validate"}), 64);
  EXPECT_THAT(test.err.str(), HasSubstr("-c FILE"));
  std::filesystem::current_path(before);
  EXPECT_EQ(test.Run({"validate", "-c", folder / "none.yaml"}), 78);
  EXPECT_THAT(test.err.str(), HasSubstr("WEIR0108"));
  std::ofstream(folder / "bad.yaml") << "pipelin: x\n";
  EXPECT_EQ(test.Run({"run", "-c", folder / "bad.yaml"}), 78);
  EXPECT_THAT(test.err.str(), HasSubstr("did you mean `pipeline`"));
}

TEST(Program, OptionsOfALogMustNameExactlyOne) {
  TestSession test;
  EXPECT_EQ(test.Run({"tail", "--topic", "t"}), 64);
  EXPECT_THAT(test.err.str(), HasSubstr("which log?"));
  EXPECT_EQ(test.Run({"tail", "--topic", "t", "--spool", "a", "--brokers", "b:1"}), 64);
  EXPECT_EQ(test.Run({"tail", "--spool", "a"}), 64);
  EXPECT_THAT(test.err.str(), HasSubstr("--topic"));
}

TEST(Program, GenerateToStandardOutputIsTheSameForTheSameSeed) {
  TestSession test;
  EXPECT_EQ(test.Run({"generate", "--seed", "5", "--count", "20", "--out", "-"}), 0);
  const std::string first = test.out.str();
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 20);
  EXPECT_EQ(test.Run({"generate", "--seed", "5", "--count", "20", "--out", "-"}), 0);
  EXPECT_EQ(test.out.str(), first);
  EXPECT_EQ(test.Run({"generate", "--seed", "6", "--count", "20", "--out", "-"}), 0);
  EXPECT_NE(test.out.str(), first);
}

TEST(Program, HelpExplainsCommandsAndErrors) {
  TestSession test;
  EXPECT_EQ(test.Run({"help", "tables", "show"}), 0);
  EXPECT_THAT(test.out.str(), StartsWith("Examples:\n  weir tables show "));
  EXPECT_EQ(test.Run({"help", "WEIR0102"}), 0);
  EXPECT_THAT(test.out.str(), StartsWith("WEIR0102: "));
  EXPECT_EQ(test.Run({"help", "weir102"}), 0);
  EXPECT_EQ(test.Run({"help", "errors"}), 0);
  EXPECT_THAT(test.out.str(), HasSubstr("WEIR0901"));
  EXPECT_EQ(test.Run({"help", "WEIR9999"}), 64);
  EXPECT_EQ(test.Run({"help", "genrate"}), 64);
  EXPECT_THAT(test.err.str(), HasSubstr("did you mean `generate`?"));
}

// A whole run of the program, then what must never be.
[[noreturn]] void RunIntoABrokenInvariant() {
  std::string name = "weir";
  std::string word = "version";
  std::array<char*, 3> arguments{name.data(), word.data(), nullptr};
  RunProgram(2, arguments.data());
  WEIR_CHECK(1 + 1 == 3);
  std::abort();  // not reached
}

TEST(ProgramDeathTest, ABrokenInvariantIsOneLineAndExit1) {
  EXPECT_EXIT(RunIntoABrokenInvariant(), testing::ExitedWithCode(exit_code::kFailed),
              "^error\\[WEIR0901\\]: an invariant is broken: 1 \\+ 1 == 3 at [^\n]*:[0-9]+\n$");
}

}  // namespace
}  // namespace weir::app
