#include "config/variables.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::config {
namespace {

using testing::HasSubstr;

class VariablesTest : public testing::Test {
 protected:
  // The expanded value of `a: <text>`.
  YamlNode Expand(const std::string& text) {
    YamlNode root;
    root.kind = YamlNode::Kind::kMapping;
    YamlNode value;
    value.kind = YamlNode::Kind::kScalar;
    value.line = value.column = 1;
    value.text = text;
    root.entries.push_back({.key = "a", .value = std::move(value)});
    ExpandVariables(root, "f.yaml", "/pipelines", environment_, diagnostics_);
    return root.entries[0].value;
  }
  std::string Message() const {
    const auto all = diagnostics_.Sorted();
    return all.empty() ? "" : all[0].message;
  }

  ScriptedEnvironment environment_;
  Diagnostics diagnostics_;
};

TEST_F(VariablesTest, AreReplacedWithinText) {
  environment_.variables = {{"A", "x"}, {"B_2", "y"}};
  EXPECT_EQ(Expand("1${A}2${B_2}3").text, "1x2y3");
  EXPECT_TRUE(diagnostics_.ok());
}

TEST_F(VariablesTest, DefaultsStandInForUnsetAndBlank) {
  environment_.variables = {{"BLANK", "  "}, {"SET", "s"}};
  EXPECT_EQ(Expand("${UNSET:-d}").text, "d");
  EXPECT_EQ(Expand("${BLANK:-d}").text, "d");
  EXPECT_EQ(Expand("${SET:-d}").text, "s");
  EXPECT_EQ(Expand("${UNSET:-}").text, "");
  EXPECT_EQ(Expand("${UNSET:-a:b}").text, "a:b");
  EXPECT_EQ(Expand("${UNSET:-${SET}/x}").text, "s/x");
  EXPECT_TRUE(diagnostics_.ok());
}

TEST_F(VariablesTest, UnsetIsAnErrorThatNamesIt) {
  EXPECT_TRUE(Expand("${KAFKA_TOPIC}").failed);
  EXPECT_EQ(Message(), "the variable KAFKA_TOPIC is not set");
  EXPECT_EQ(diagnostics_.Sorted()[0].code, ErrorCode::kMissingVariable);
  EXPECT_EQ(diagnostics_.Sorted()[0].place.key_path, "a");
}

TEST_F(VariablesTest, BlankIsAnErrorToo) {
  environment_.variables = {{"X", "\t\n "}};
  EXPECT_TRUE(Expand("${X:?name the topic}").failed);
  EXPECT_EQ(Message(), "the variable X is blank: name the topic");
}

TEST_F(VariablesTest, DollarsCanBeWritten) {
  environment_.variables = {{"A", "x"}};
  EXPECT_EQ(Expand("$${A}").text, "${A}");
  EXPECT_EQ(Expand("^a$").text, "^a$");
  EXPECT_EQ(Expand("$5").text, "$5");
  EXPECT_EQ(Expand("$$").text, "$");
  EXPECT_TRUE(diagnostics_.ok());
}

TEST_F(VariablesTest, ValuesAreNotExpandedAgain) {
  environment_.variables = {{"A", "${B}"}, {"B", "no"}};
  EXPECT_EQ(Expand("${A}").text, "${B}");
}

TEST_F(VariablesTest, EscapedTextComesBack) {
  for (const char* text : {"", "$", "$$", "$${", "${A}", "a$b", "$$$", "{$}", "${", "x$$${y}$"}) {
    EXPECT_EQ(Expand(EscapeVariables(text)).text, text);
  }
  EXPECT_TRUE(diagnostics_.ok()) << diagnostics_.ToText();
}

TEST_F(VariablesTest, MalformedOnesAreExplained) {
  for (const char* text : {"${", "${}", "${A B}", "${1A}", "${A", "${A:x}", "${A:=x}", "${env:A}",
                           "${${A}}", "${A:-${B}"}) {
    EXPECT_TRUE(Expand(text).failed) << text;
  }
}

TEST_F(VariablesTest, NestingIsBounded) {
  std::string text = "x";
  for (int i = 0; i < 1000; ++i) text = "${U:-" + text + "}";
  EXPECT_TRUE(Expand(text).failed);
  EXPECT_THAT(Message(), HasSubstr("nest"));
}

TEST_F(VariablesTest, FilesGiveSecrets) {
  environment_.files = {{"/pipelines/secrets/kafka", "hunter2\n"}, {"/abs", "x\r\n"}};
  const YamlNode node = Expand("${file:secrets/kafka}");
  EXPECT_EQ(node.text, "hunter2");
  EXPECT_TRUE(node.secret);
  EXPECT_EQ(Expand("${file:/abs}").text, "x");
}

TEST_F(VariablesTest, PathsMayHoldVariablesButNoSecrets) {
  environment_.variables = {{"DIR", "secrets"}};
  environment_.files = {{"/pipelines/secrets/kafka", "SECRET"}};
  EXPECT_EQ(Expand("${file:${DIR}/kafka}").text, "SECRET");
  EXPECT_TRUE(Expand("${file:${file:secrets/kafka}}").failed);
  EXPECT_THAT(diagnostics_.ToText(), testing::Not(HasSubstr("SECRET")));
}

TEST_F(VariablesTest, MissingAndBlankFilesAreErrors) {
  environment_.files = {{"/pipelines/blank", " \n"}};
  EXPECT_TRUE(Expand("${file:none}").failed);
  EXPECT_EQ(diagnostics_.Sorted()[0].code, ErrorCode::kFileUnreadable);
  EXPECT_TRUE(Expand("${file:blank}").failed);
}

}  // namespace
}  // namespace weir::config
