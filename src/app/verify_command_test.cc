#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/test_session.h"
#include "base/scratch_folder.h"
#include "config/retail_example.h"

namespace weir::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kPipeline = R"(pipeline: shop
source: {spool: ./log, topic: clicks}
state: ./state
contract: retail_event.yaml
lake: {warehouse: ./lake}
on_error: fail
tables:
  shop.events: {from: valid}
)";

// A finished pipeline in a folder of its own.
class VerifyCommand : public testing::Test {
 protected:
  VerifyCommand() {
    std::ofstream(folder_ / std::string(config::kRetailContractFile))
        << config::RetailContractText();
    Write("");
    Run({"generate", "--seed", "5", "--count", "20"}, 0);
    Run({"run", "--once"}, 0);
  }

  void Write(std::string_view more_tables) {
    std::ofstream(folder_ / "shop.yaml") << kPipeline << more_tables;
  }

  void Run(std::vector<std::string> words, int exit_code) {
    words.insert(words.end(), {"-c", folder_ / "shop.yaml"});
    EXPECT_EQ(test_.Run(words), exit_code) << test_.err.str();
  }

  ScratchFolder folder_;
  TestSession test_;
};

TEST_F(VerifyCommand, MakesNoTableThatIsMissing) {
  Write("  shop.more: {from: valid, create: if_missing}\n");
  Run({"verify"}, 78);
  EXPECT_THAT(test_.err.str(), AllOf(HasSubstr("WEIR0401"), HasSubstr("shop.more")));
  Run({"tables", "ls"}, 0);
  EXPECT_THAT(test_.out.str(), AllOf(HasSubstr("shop.events"), Not(HasSubstr("shop.more"))));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "lake/shop/more"));
}

TEST_F(VerifyCommand, SaysWhatItProved) {
  Run({"verify"}, 0);
  EXPECT_THAT(test_.out.str(), AllOf(HasSubstr("proven"), HasSubstr("20 read")));
}

}  // namespace
}  // namespace weir::app
