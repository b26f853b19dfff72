#include "config/yaml_node.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::config {
namespace {

using testing::HasSubstr;

struct Read {
  std::optional<YamlNode> root;
  Diagnostics diagnostics;
};

Read ReadText(const std::string& text) {
  Read read;
  read.root = ReadYaml(text, "f.yaml", read.diagnostics);
  return read;
}

std::string FirstMessage(const Read& read) {
  const auto all = read.diagnostics.Sorted();
  return all.empty() ? "" : all[0].message;
}

TEST(YamlNodeTest, NodesKnowWhereTheyStand) {
  const Read read = ReadText("a: 1\nb:\n  - x\n  - {c: \"q\"}\n");
  ASSERT_TRUE(read.root);
  ASSERT_EQ(read.root->entries.size(), 2U);
  EXPECT_EQ(read.root->entries[0].value.text, "1");
  const YamlEntry& b = read.root->entries[1];
  EXPECT_EQ(b.line, 2);
  ASSERT_EQ(b.value.items.size(), 2U);
  EXPECT_EQ(b.value.items[0].line, 3);
  EXPECT_EQ(b.value.items[0].column, 5);
  const YamlNode& c = b.value.items[1].entries[0].value;
  EXPECT_TRUE(c.quoted);
  EXPECT_EQ(c.line, 4);
  EXPECT_EQ(c.column, 9);
}

TEST(YamlNodeTest, NothingIsNull) {
  const Read read = ReadText("a:\nb: ~\nc: null\nd: \"\"\n");
  ASSERT_TRUE(read.root);
  EXPECT_TRUE(read.root->entries[0].value.is_null());
  EXPECT_TRUE(read.root->entries[1].value.is_null());
  EXPECT_TRUE(read.root->entries[2].value.is_null());
  EXPECT_TRUE(read.root->entries[3].value.is_scalar());
  EXPECT_TRUE(ReadText("").root->is_null());
}

TEST(YamlNodeTest, ByteOrderMarkAndWindowsLineEndsAreFine) {
  const Read read = ReadText(
      "\xef\xbb\xbf"
      "a: 1\r\nb: 2\r\n");
  ASSERT_TRUE(read.root) << read.diagnostics.ToText();
  EXPECT_EQ(read.root->entries[1].value.text, "2");
}

TEST(YamlNodeTest, TabsAreExplained) {
  const Read read = ReadText("a:\n\tb: 1\n");
  EXPECT_FALSE(read.root);
  EXPECT_THAT(FirstMessage(read), HasSubstr("a tab in the indentation"));
  EXPECT_EQ(read.diagnostics.Sorted()[0].place.line, 2);
  EXPECT_TRUE(ReadText("a: 1\t# after a value, a tab is white space\n\t\n").root);
}

TEST(YamlNodeTest, BytesThatAreNoTextAreRefused) {
  EXPECT_THAT(FirstMessage(ReadText("a: \xff\n")), HasSubstr("not UTF-8"));
  EXPECT_THAT(FirstMessage(ReadText(std::string("a: \0b\n", 6))), HasSubstr("control character"));
  EXPECT_THAT(FirstMessage(ReadText("a: \x1b[31m\n")), HasSubstr("control character"));
  EXPECT_FALSE(ReadText(std::string("\xff\xfe") + "a" + '\0' + ":" + '\0').root);
}

TEST(YamlNodeTest, SizeIsBounded) {
  const Read read = ReadText("a: " + std::string(kMaxFileBytes, 'x'));
  EXPECT_FALSE(read.root);
  EXPECT_THAT(FirstMessage(read), HasSubstr("longer than"));
}

TEST(YamlNodeTest, DepthIsBounded) {
  const auto lists = [](int levels) {
    std::string text;
    for (int i = 0; i < levels; ++i) text += "- ";
    return ReadText(text + "x\n");
  };
  EXPECT_TRUE(lists(static_cast<int>(kMaxYamlDepth)).root);
  EXPECT_THAT(FirstMessage(lists(static_cast<int>(kMaxYamlDepth) + 1)), HasSubstr("levels"));
  EXPECT_THAT(FirstMessage(lists(300'000)), HasSubstr("levels"));
  EXPECT_FALSE(ReadText(std::string(10'000, '[')).root);
  EXPECT_FALSE(ReadText(std::string(10'000, '{')).root);
}

TEST(YamlNodeTest, AliasesCountAsOftenAsTheyAreUsed) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 1; j < 10; ++j) bomb += ", " + before;
    bomb += "]\n";
  }
  const Read read = ReadText(bomb);
  EXPECT_FALSE(read.root);
  EXPECT_THAT(FirstMessage(read), HasSubstr("aliases counted"));
}

TEST(YamlNodeTest, AliasedTextIsBoundedToo) {
  std::string bomb = "a: &a \"" + std::string(500'000, 'x') + "\"\nb: [*a";
  for (int i = 0; i < 1'000; ++i) bomb += ", *a";
  EXPECT_FALSE(ReadText(bomb + "]\n").root);
}

TEST(YamlNodeTest, PlainAliasesWork) {
  const Read read = ReadText("a: &x {k: v}\nb: *x\n");
  ASSERT_TRUE(read.root);
  EXPECT_EQ(read.root->entries[1].value.entries[0].value.text, "v");
}

TEST(YamlNodeTest, QuotesMustBeClosed) {
  for (const char* text : {"a: \"x\nb: 1\n", "a: 'x\nb: 1\n", "a: 'it''s\n", "a: \"x\\\"\n",
                           "a: &anchor \"x\n", "\"a: 1\n"}) {
    const Read read = ReadText(text);
    EXPECT_FALSE(read.root) << text;
    EXPECT_THAT(FirstMessage(read), HasSubstr("never closed")) << text;
  }
  for (const char* text : {"a: \"x\"\n", "a: 'it''s'\n", "a: \"x\\\"\"\n", "a: ''\n", "a: &n 'x'\n",
                           "a: it's\n", "a: |\n  \"open\n"}) {
    EXPECT_TRUE(ReadText(text).root) << text;
  }
}

TEST(YamlNodeTest, RefusesWhatHasNoMeaningHere) {
  for (const char* text : {"a: 1\na: 2\n", "a: {b: 1, b: 2}\n", "a: 1\n---\nb: 2\n", "a: !x 1\n",
                           "? [a]\n: 1\n", "? {a: b}\n: 1\n", ": 1\n", "*x : 1\n", "a: &a [*a]\n",
                           "a: *b\n", "- a\nb: 1\n", "a: [1, 2\n", "a: {b\n", "a: b: c\n"}) {
    const Read read = ReadText(text);
    EXPECT_FALSE(read.root) << text;
    ASSERT_EQ(read.diagnostics.errors(), 1U) << text;
    EXPECT_EQ(read.diagnostics.Sorted()[0].code, ErrorCode::kYamlSyntax) << text;
  }
}

TEST(YamlNodeTest, ValuesOfSecretKeysAreMarked) {
  const Read read = ReadText("security: {user: u, password: p}\ntoken: {type: string}\n");
  ASSERT_TRUE(read.root);
  const YamlNode& security = read.root->entries[0].value;
  EXPECT_FALSE(security.secret);
  EXPECT_FALSE(security.entries[0].value.secret);
  EXPECT_TRUE(security.entries[1].value.secret);
  // A mapping describes something that is named like a secret.
  EXPECT_FALSE(read.root->entries[1].value.entries[0].value.secret);
}

}  // namespace
}  // namespace weir::config
