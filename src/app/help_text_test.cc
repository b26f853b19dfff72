#include "app/help_text.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/command_line.h"
#include "app/command_tree.h"
#include "app/display_width.h"
#include "config/project_files.h"

namespace weir::app {
namespace {

using Path = std::vector<const Command*>;

void ForEach(Path path, const std::function<void(const Path&)>& visit) {
  visit(path);
  for (const Command& child : path.back()->commands) {
    path.push_back(&child);
    ForEach(path, visit);
    path.pop_back();
  }
}

class HelpTextTest : public testing::Test {
 protected:
  SharedOptions options;
  Command root = MakeCommandTree(options);
};

TEST_F(HelpTextTest, EveryCommandStartsWithTwoOrThreeExamples) {
  ForEach({&root}, [](const Path& path) {
    SCOPED_TRACE(PathText(path));
    EXPECT_GE(path.back()->examples.size(), 2U);
    EXPECT_LE(path.back()->examples.size(), 3U);
    EXPECT_THAT(HelpText(path, 80), testing::StartsWith("Examples:\n"));
    EXPECT_FALSE(path.back()->summary.empty());
    EXPECT_NE(path.back()->summary.back(), '.');
  });
}

TEST_F(HelpTextTest, LinesFitTheTerminalUnlessAWordDoesNot) {
  ForEach({&root}, [](const Path& path) {
    const std::string text = HelpText(path, 80);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      const std::string line = text.substr(at, end - at);
      const bool is_example = line.starts_with("  weir ");  // never broken: people copy it
      if (!is_example) {
        EXPECT_LE(DisplayWidth(line), 80) << PathText(path) << ": " << line;
      }
      at = end + 1;
    }
  });
}

TEST_F(HelpTextTest, EveryOptionIsExplained) {
  ForEach({&root}, [](const Path& path) {
    const std::string text = HelpText(path, 100);
    for (const Option& option : path.back()->options) {
      EXPECT_FALSE(option.help.empty()) << PathText(path) << " " << option.names;
      EXPECT_THAT(text, testing::HasSubstr(option.spellings().back()));
    }
  });
}

TEST(Wrap, BreaksBetweenWords) {
  EXPECT_EQ(Wrap("one two three", 2, 22), "  one two three\n");
  EXPECT_EQ(Wrap("one two three four five six", 2, 22), "  one two three four\n  five six\n");
  EXPECT_EQ(Wrap("", 2, 22), "");
}

// The documents are written by the program; WEIR_UPDATE_GOLDEN=1 writes them anew.
void ExpectDocument(const std::string& path, const std::string& text) {
  if (config::UpdatesGolden()) config::WriteProjectFile(path, text);
  EXPECT_EQ(config::ReadProjectFile(path), text) << path << " is not what the program prints";
}

TEST_F(HelpTextTest, TheDocumentsAreWhatTheProgramPrints) {
  ExpectDocument("docs/CLI.md", CommandsMarkdown(root));
  ExpectDocument("docs/ERRORS.md", ErrorsMarkdown());
}

}  // namespace
}  // namespace weir::app
