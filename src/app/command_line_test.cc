#include "app/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A program with one shared option, a command with options of every kind, and a group.
class CommandLineTest : public testing::Test {
 protected:
  CommandLineTest() {
    root.name = "weir";
    root.options = {{.names = "-c,--config", .value = "FILE", .help = "", .target = &config},
                    {.names = "-v,--verbose", .help = "", .target = &verbose}};
    Command run;
    run.name = "run";
    run.options = {{.names = "--once", .help = "", .target = &once},
                   {.names = "-n,--count", .value = "N", .help = "", .target = &count},
                   {.names = "--accept", .value = "NAME", .help = "", .target = &accept},
                   {.names = "--mode",
                    .value = "MODE",
                    .help = "",
                    .target = &mode,
                    .choices = {"fast", "careful"}}};
    run.run = [](Session&) -> Result<int> { return 0; };
    Command show;
    show.name = "show";
    show.options = {
        {.names = "TABLE", .value = "TABLE", .help = "", .target = &table, .required = true}};
    show.run = run.run;
    Command tables;
    tables.name = "tables";
    tables.commands = {show};
    root.commands = {run, tables};
  }

  Result<ParsedLine> Parse(const std::vector<std::string>& words) {
    return ParseCommandLine(root, words);
  }
  std::string ErrorOf(const std::vector<std::string>& words) {
    auto line = Parse(words);
    EXPECT_FALSE(line);
    if (line) return "";
    EXPECT_EQ(line.error().code, ErrorCode::kUsage);
    return line.error().ToString();
  }

  Command root;
  std::optional<std::string> config;
  bool verbose = false;
  bool once = false;
  std::optional<std::int64_t> count;
  std::vector<std::string> accept;
  std::string mode = "careful";
  std::string table;
};

TEST_F(CommandLineTest, WritesOptionsIntoTheirTargets) {
  auto line =
      Parse({"run", "--once", "-n", "2_000", "--accept", "a", "--accept=b", "--mode", "fast"});
  ASSERT_TRUE(line) << line.error().ToString();
  EXPECT_EQ(PathText(line->path), "weir run");
  EXPECT_TRUE(once);
  EXPECT_EQ(count, 2'000);
  EXPECT_THAT(accept, ElementsAre("a", "b"));
  EXPECT_EQ(mode, "fast");
}

TEST_F(CommandLineTest, TakesSharedOptionsBeforeAndBehindTheCommand) {
  ASSERT_TRUE(Parse({"-c", "before.yaml", "run"}));
  EXPECT_EQ(config, "before.yaml");
  ASSERT_TRUE(Parse({"tables", "show", "a.b", "-c", "behind.yaml", "-v"}));
  EXPECT_EQ(config, "behind.yaml");
  EXPECT_TRUE(verbose);
  EXPECT_EQ(table, "a.b");
}

TEST_F(CommandLineTest, LeavesWhatIsNotGivenAlone) {
  ASSERT_TRUE(Parse({"run"}));
  EXPECT_FALSE(config);
  EXPECT_FALSE(count);
  EXPECT_EQ(mode, "careful");
}

TEST_F(CommandLineTest, KnowsWhatWasProbablyMeant) {
  EXPECT_THAT(ErrorOf({"rnu"}), HasSubstr("unknown command `rnu`; did you mean `run`?"));
  EXPECT_THAT(ErrorOf({"tables", "shwo"}), HasSubstr("did you mean `show`?"));
  EXPECT_THAT(ErrorOf({"run", "--onec"}), HasSubstr("did you mean `--once`?"));
  EXPECT_THAT(ErrorOf({"run", "--confg=x"}), HasSubstr("did you mean `--config`?"));
  EXPECT_THAT(ErrorOf({"run", "--mode", "fats"}), HasSubstr("did you mean `fast`?"));
}

TEST_F(CommandLineTest, GuessesNothingForAWordThatIsFarFromAll) {
  EXPECT_THAT(ErrorOf({"xyzzy"}), testing::Not(HasSubstr("did you mean")));
  EXPECT_THAT(ErrorOf({"run", "--xyzzy"}), testing::Not(HasSubstr("did you mean")));
}

TEST_F(CommandLineTest, SaysWhatIsWrongWithAValue) {
  EXPECT_THAT(ErrorOf({"run", "-n", "many"}),
              HasSubstr("`--count` takes a whole number, not `many`"));
  EXPECT_THAT(ErrorOf({"run", "-n"}), HasSubstr("`--count` needs a value"));
  EXPECT_THAT(ErrorOf({"run", "--mode", "slow"}), HasSubstr("takes fast, careful, not `slow`"));
  EXPECT_THAT(ErrorOf({"run", "-c", "a", "-c", "b"}), HasSubstr("is given more than once"));
  EXPECT_THAT(ErrorOf({"tables", "show"}), HasSubstr("TABLE is required"));
  EXPECT_THAT(ErrorOf({"run", "leftover"}), HasSubstr("`leftover` is one argument too many"));
}

TEST_F(CommandLineTest, FindsHelpWhereverItStands) {
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"tables", "show", "--help"},
                                             {"tables", "show", "-h", "--wrong"},
                                             {"-h", "tables", "show"}}) {
    auto line = Parse(words);
    ASSERT_TRUE(line);
    EXPECT_TRUE(line->help);
    EXPECT_EQ(PathText(line->path), "weir tables show");
  }
}

TEST_F(CommandLineTest, AGroupAloneIsItsOwnCommand) {
  auto line = Parse({"tables"});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->command->name, "tables");
  EXPECT_FALSE(line->command->run);
}

TEST(ParseSpanOption, TakesUnitsAndRefusesNothingAndNone) {
  EXPECT_EQ(*ParseSpanOption("--for", "10m"), 600 * kMicrosPerSecond);
  EXPECT_FALSE(ParseSpanOption("--for", "10"));
  EXPECT_FALSE(ParseSpanOption("--for", "0s"));
  EXPECT_EQ(ParseSpanOption("--for", "x").error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace weir::app
