#include "config/type_text.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/time.h"

namespace weir::config {
namespace {

using testing::HasSubstr;

TEST(TypeTextTest, EveryTypeReadsBackAsItIsSpelled) {
  for (const char* text :
       {"string", "int", "long", "double", "boolean", "decimal(10,2)", "decimal(38,38)",
        "timestamp", "date", "uuid", "list<string>", "map<string, long>", "list<list<int>>",
        "map<string, list<decimal(5,1)>>", "map<string, map<string, uuid>>"}) {
    const auto type = ParseType(text);
    ASSERT_TRUE(type) << text << ": " << type.error().message;
    EXPECT_EQ(ToString(*type), text);
  }
}

TEST(TypeTextTest, SpacesDoNotMatter) {
  EXPECT_EQ(*ParseType(" decimal( 10 , 2 ) "), Type::Decimal(10, 2));
  EXPECT_EQ(*ParseType("decimal(7)"), Type::Decimal(7, 0));
  EXPECT_EQ(ToString(*ParseType("map<string,decimal(10,2)>")), "map<string, decimal(10,2)>");
}

TEST(TypeTextTest, RefusesWhatIsNoType) {
  for (const char* text :
       {"", "strng", "decimal", "decimal(0,0)", "decimal(39,1)", "decimal(5,6)", "decimal(5,-1)",
        "decimal(a,b)", "decimal(10,2", "list", "list<>", "list<strng>", "map<string>",
        "map<int, string>", "struct<a: int>", "String", "binary", "float"}) {
    EXPECT_FALSE(ParseType(text)) << text;
  }
}

TEST(TypeTextTest, NestingIsBounded) {
  std::string text = "int";
  for (int i = 0; i < 10'000; ++i) text = "list<" + text + ">";
  EXPECT_THAT(ParseType(text).error().message, HasSubstr("nest"));
}

TEST(TypeTextTest, NamesOfOtherSystemsLeadToOurs) {
  EXPECT_THAT(ParseType("bigint").error().message, HasSubstr("did you mean `long`"));
  EXPECT_THAT(ParseType("float").error().message, HasSubstr("did you mean `double`"));
  EXPECT_THAT(ParseType("datetime").error().message, HasSubstr("did you mean `timestamp`"));
}

TEST(TypeTextTest, BoundsAreInTheUnitsOfTheType) {
  EXPECT_TRUE(ParseBound("2_000", Type::Of(TypeKind::kInt))->number == 2000);
  EXPECT_TRUE(ParseBound("-5", Type::Of(TypeKind::kLong))->number == -5);
  EXPECT_TRUE(ParseBound("0", Type::Decimal(10, 2))->number == 0);
  EXPECT_TRUE(ParseBound("12.5", Type::Decimal(10, 2))->number == 1250);
  EXPECT_TRUE(ParseBound("-0.01", Type::Decimal(10, 2))->number == -1);
  EXPECT_TRUE(ParseBound("1.500", Type::Decimal(10, 2))->number == 150);
  EXPECT_EQ(ParseBound("2.5e3", Type::Of(TypeKind::kDouble))->real, 2500);
  EXPECT_TRUE(ParseBound("1970-01-03", Type::Of(TypeKind::kDate))->number == 2);
  EXPECT_TRUE(ParseBound("1970-01-01T00:00:01Z", Type::Of(TypeKind::kTimestamp))->number ==
              kMicrosPerSecond);
  EXPECT_EQ(ParseBound("12.5", Type::Decimal(10, 2))->text, "12.5");
}

TEST(TypeTextTest, ADecimalBoundIsExact) {
  const Type widest = Type::Decimal(38, 6);
  const auto bound = ParseBound("99999999999999999999999999999999.999999", widest);
  ASSERT_TRUE(bound);
  EXPECT_EQ(DecimalToString(bound->number, 6), "99999999999999999999999999999999.999999");
  EXPECT_FALSE(ParseBound("0.005", Type::Decimal(10, 2)));
  EXPECT_FALSE(ParseBound("999999999999999999999999999999999999999", widest));
}

TEST(TypeTextTest, RefusesBoundsOfTheWrongKind) {
  EXPECT_FALSE(ParseBound("1.0", Type::Of(TypeKind::kInt)));
  EXPECT_FALSE(ParseBound("99999999999999999999", Type::Of(TypeKind::kLong)));
  for (const char* text : {".5", "5.", "", "-", "1e2", "+1", "1.2.3"}) {
    EXPECT_FALSE(ParseBound(text, Type::Decimal(10, 2))) << text;
  }
  EXPECT_FALSE(ParseBound("nan", Type::Of(TypeKind::kDouble)));
  EXPECT_FALSE(ParseBound("inf", Type::Of(TypeKind::kDouble)));
  EXPECT_FALSE(ParseBound("1", Type::Of(TypeKind::kString)));
  EXPECT_FALSE(ParseBound("true", Type::Of(TypeKind::kBoolean)));
}

}  // namespace
}  // namespace weir::config
