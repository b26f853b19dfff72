#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/test_session.h"
#include "base/scratch_folder.h"

namespace weir::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::string_view kScenario = R"(name: NAME
why: a late row is late
pipeline:
  on_error: fail
  watermark: {delay: 1m}
  tables: {s.events: {from: valid}, s.late: {from: late}}
contract:
  name: c
  event_time: time
  fields: {id: {type: string, required: true}, time: {type: timestamp, required: true}}
input:
  - {value: {id: a, time: "2026-09-01T10:10:00Z"}}
  - {value: {id: b, time: "2026-09-01T10:00:00Z"}}
expect:
  s.events: [{id: a}]
  s.late: [{id: LATE}]
)";

class TestCommand : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& late) {
    std::string text(kScenario);
    text.replace(text.find("NAME"), 4, name);
    text.replace(text.find("LATE"), 4, late);
    std::ofstream(folder_ / (name + ".yaml")) << text;
  }

  ScratchFolder folder_;
  TestSession test_;
};

TEST_F(TestCommand, PassesWhatIsAsExpected) {
  Write("good", "b");
  EXPECT_EQ(test_.Run({"test", folder_ / "good.yaml", "--variants"}), 0) << test_.out.str();
  EXPECT_EQ(test_.out.str(), "ok     good\n");
}

TEST_F(TestCommand, RunsIntoARealLakeToo) {
  Write("good", "b");
  for (const std::string format : {"iceberg", "delta", "both"}) {
    SCOPED_TRACE(format);
    const std::string place = folder_ / format;
    std::ofstream(folder_ / "lake.yml")
        << "pipeline: p\nsource: {spool: ./log, topic: t}\nstate: " << place
        << "/state\ncontract: {name: c, fields: {id: string}}\nlake: {warehouse: " << place
        << "/lake, format: " << format << "}\ntables: {s.raw: {from: source}}\non_error: fail\n";
    EXPECT_EQ(test_.Run({"test", folder_ / "good.yaml", "--lake", folder_ / "lake.yml"}), 0)
        << test_.out.str() << test_.err.str();
    EXPECT_TRUE(std::filesystem::exists(place + "/state"));
    EXPECT_TRUE(std::filesystem::exists(place + "/lake"));
  }
}

TEST_F(TestCommand, SaysWhyALakeCannotBeUsed) {
  Write("good", "b");
  EXPECT_NE(test_.Run({"test", folder_ / "good.yaml", "--lake", folder_ / "none.yml"}), 0);
  EXPECT_THAT(test_.err.str(), HasSubstr("none.yml"));
}

TEST_F(TestCommand, SaysWhatDiffers) {
  Write("bad", "c");
  Write("good", "b");
  EXPECT_EQ(test_.Run({"test", folder_ / ""}), 1);
  EXPECT_THAT(test_.out.str(),
              AllOf(HasSubstr("FAILED bad"), HasSubstr("missing    {id: \"c\"}"),
                    HasSubstr("unexpected {id: \"b\"}"), HasSubstr("ok     good")));
  EXPECT_THAT(test_.err.str(), HasSubstr("2 scenarios run"));
}

TEST_F(TestCommand, AnswersPrograms) {
  Write("bad", "c");
  EXPECT_EQ(test_.Run({"test", folder_ / "bad.yaml", "--format", "ndjson"}), 1);
  EXPECT_THAT(test_.out.str(),
              AllOf(HasSubstr(R"("scenario":"bad")"), HasSubstr(R"("passed":false)")));
}

TEST_F(TestCommand, AFileThatIsNoScenarioFails) {
  std::ofstream(folder_ / "x.yaml") << "name: x\n";
  EXPECT_EQ(test_.Run({"test", folder_ / "x.yaml"}), 1);
  EXPECT_THAT(test_.out.str(), HasSubstr("WEIR0103"));
}

TEST_F(TestCommand, AFolderWithoutScenariosIsAMistake) {
  EXPECT_EQ(test_.Run({"test", folder_ / ""}), 64);
}

}  // namespace
}  // namespace weir::app
