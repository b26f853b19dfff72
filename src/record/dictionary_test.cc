#include "record/dictionary.h"

#include <string>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Dictionary, CodesFollowFirstSight) {
  Dictionary dictionary;
  EXPECT_EQ(dictionary.Intern("b"), 0);
  EXPECT_EQ(dictionary.Intern(""), 1);
  EXPECT_EQ(dictionary.Intern("a"), 2);
  EXPECT_EQ(dictionary.Intern(""), 1);
  EXPECT_EQ(dictionary.Intern("b"), 0);
  EXPECT_EQ(dictionary.size(), 3);
  EXPECT_EQ(dictionary.At(0), "b");
  EXPECT_EQ(dictionary.At(1), "");
}

TEST(Dictionary, StringsWithZeroBytesStayApart) {
  Dictionary dictionary;
  using namespace std::string_view_literals;
  EXPECT_NE(dictionary.Intern("x\0y"sv), dictionary.Intern("x\0z"sv));
  EXPECT_NE(dictionary.Intern("x"sv), dictionary.Intern("x\0"sv));
  EXPECT_EQ(dictionary.At(0).size(), 3U);
}

TEST(Dictionary, KeepsCodesWhileItGrows) {
  Dictionary dictionary;
  // All lengths around the steps of the hash, and enough entries for several growths.
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 20000; ++i) {
      const std::string text =
          std::string(static_cast<std::size_t>(i % 70), 'x') + std::to_string(i);
      ASSERT_EQ(dictionary.Intern(text), i);
      ASSERT_EQ(dictionary.At(i), text);
    }
  }
  EXPECT_EQ(dictionary.size(), 20000);
  EXPECT_EQ(dictionary.offsets().size(), 20001U);
}

TEST(Dictionary, ACopyGoesItsOwnWay) {
  Dictionary dictionary;
  dictionary.Intern("a");
  Dictionary copy(dictionary);
  EXPECT_EQ(copy.Intern("b"), 1);
  EXPECT_EQ(copy.Intern("a"), 0);
  EXPECT_EQ(dictionary.size(), 1);
}

}  // namespace
}  // namespace weir
