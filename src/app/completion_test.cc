#include "app/completion.h"

#include <array>
#include <cstdio>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/command_tree.h"
#include "base/scratch_folder.h"

namespace weir::app {
namespace {

using testing::HasSubstr;

class CompletionTest : public testing::Test {
 protected:
  // What bash offers for `line`, whose last word is being typed.
  std::string Offered(const std::string& words, int at) {
    std::ofstream(folder / "completion") << CompletionScript(root, "bash");
    const std::string command = "bash -c '. " + (folder / "completion") + "; COMP_WORDS=(" + words +
                                "); COMP_CWORD=" + std::to_string(at) +
                                "; _weir; echo \"${COMPREPLY[*]}\"'";
    FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> bytes{};
    const std::size_t got = fread(bytes.data(), 1, bytes.size(), pipe);
    EXPECT_EQ(pclose(pipe), 0);
    return {bytes.data(), got};
  }

  ScratchFolder folder;
  SharedOptions options;
  Command root = MakeCommandTree(options);
};

TEST_F(CompletionTest, BashOffersCommandsOptionsAndValues) {
  EXPECT_EQ(Offered("weir ver", 1), "verify version\n");
  EXPECT_EQ(Offered("weir tables s", 2), "show schema snapshots\n");
  EXPECT_THAT(Offered("weir run --o", 2), HasSubstr("--once"));
  EXPECT_EQ(Offered("weir tables ls --format j", 4), "json\n");
  EXPECT_EQ(Offered("weir completion f", 2), "fish\n");
  EXPECT_EQ(Offered("weir -c x.yaml sta", 3), "status\n");
}

TEST_F(CompletionTest, EveryShellKnowsEveryCommand) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = CompletionScript(root, shell);
    for (const Command& command : root.commands) {
      EXPECT_THAT(script, HasSubstr(command.name)) << shell;
    }
    EXPECT_THAT(script, HasSubstr("accept")) << shell;
  }
}

}  // namespace
}  // namespace weir::app
