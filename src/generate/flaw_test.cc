#include "generate/flaw.h"

#include <gtest/gtest.h>

namespace weir::generate {
namespace {

constexpr std::string_view kObject = R"({"a":"x,}\"","b":null,"c":3})";

std::string After(void (*edit)(std::string&, std::string_view), std::string_view name) {
  std::string object(kObject);
  edit(object, name);
  return object;
}

void SetSeven(std::string& object, std::string_view name) { SetMember(object, name, "7"); }

TEST(Flaw, SetsAMemberInPlaceOrLast) {
  EXPECT_EQ(After(SetSeven, "a"), R"({"a":7,"b":null,"c":3})");
  EXPECT_EQ(After(SetSeven, "b"), R"({"a":"x,}\"","b":7,"c":3})");
  EXPECT_EQ(After(SetSeven, "c"), R"({"a":"x,}\"","b":null,"c":7})");
  EXPECT_EQ(After(SetSeven, "d"), R"({"a":"x,}\"","b":null,"c":3,"d":7})");
}

TEST(Flaw, RemovesAMemberWithOneComma) {
  EXPECT_EQ(After(RemoveMember, "a"), R"({"b":null,"c":3})");
  EXPECT_EQ(After(RemoveMember, "b"), R"({"a":"x,}\"","c":3})");
  EXPECT_EQ(After(RemoveMember, "c"), R"({"a":"x,}\"","b":null})");
  EXPECT_EQ(After(RemoveMember, "d"), kObject);
}

TEST(Flaw, SpoilsWholeTexts) {
  EXPECT_EQ(WithRepeatedFirstMember(kObject), R"({"a":"x,}\"","b":null,"c":3,"a":"x,}\""})");
  EXPECT_EQ(InArray(kObject), R"([{"a":"x,}\"","b":null,"c":3}])");
  EXPECT_EQ(WithTrailingData(kObject), R"({"a":"x,}\"","b":null,"c":3}{"more":1})");
  EXPECT_EQ(WithoutQuote(kObject), R"({"a":"x,}\"","b":null,"c:3})");
  EXPECT_EQ(Truncated(R"({"a":1})"), R"({"a")");
}

}  // namespace
}  // namespace weir::generate
