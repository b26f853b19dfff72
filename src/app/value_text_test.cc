#include "app/value_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/diagnostic.h"

namespace weir::app {
namespace {

std::string Expected(std::string_view yaml, const Type& type) {
  config::Diagnostics diagnostics;
  const auto node = config::ReadYaml("x: " + std::string(yaml) + "\n", "x.yaml", diagnostics);
  if (!node) return diagnostics.ToText();
  const auto text = ValueText(node->entries.at(0).value, type);
  return text ? *text : text.error().message;
}

TEST(ValueText, AValueReadsAsItIsExpected) {
  Column map(Type::Map(Type::Of(TypeKind::kString), Type::Of(TypeKind::kLong)));
  for (const auto& [key, value] : {std::pair("b", 2), std::pair("a", 1)}) {
    map.children()[0].AppendString(key);
    map.children()[1].AppendLong(value);
  }
  map.AppendList(2);
  EXPECT_EQ(ValueText(map, 0), R"({"a": 1, "b": 2})");
  EXPECT_EQ(Expected("{b: 2, a: 1}", map.type()), ValueText(map, 0));

  Column time(Type::Of(TypeKind::kTimestamp));
  time.AppendLong(-1);
  time.AppendNull();
  EXPECT_EQ(Expected("\"1969-12-31T23:59:59.999999Z\"", time.type()), ValueText(time, 0));
  EXPECT_EQ(Expected("null", time.type()), ValueText(time, 1));

  Column number(Type::Of(TypeKind::kDouble));
  number.AppendDouble(2.0 / 3);
  EXPECT_EQ(Expected("0.6666666666666666", number.type()), ValueText(number, 0));

  Column money(Type::Decimal(10, 2));
  money.AppendDecimal(-5);
  EXPECT_EQ(Expected("-0.05", money.type()), ValueText(money, 0));
}

TEST(ValueText, TextsAndNullDiffer) {
  const Type text = Type::Of(TypeKind::kString);
  EXPECT_EQ(Expected("null", text), "null");
  EXPECT_EQ(Expected("'null'", text), "\"null\"");
  Column bytes(Type::Of(TypeKind::kBinary));
  bytes.AppendString("\xff");
  EXPECT_EQ(Expected("hex:ff", bytes.type()), ValueText(bytes, 0));
}

TEST(ValueText, RefusesWhatIsNoValueOfTheType) {
  EXPECT_THAT(Expected("soon", Type::Of(TypeKind::kTimestamp)), testing::HasSubstr("timestamp"));
  EXPECT_THAT(Expected("[1]", Type::Of(TypeKind::kLong)), testing::HasSubstr("long"));
}

}  // namespace
}  // namespace weir::app
