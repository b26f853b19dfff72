#include "connect/partition_path.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace weir::connect {
namespace {

PartitionValue Number(Int128 number) { return {.number = number, .text = std::nullopt}; }
PartitionValue Text(std::string text) { return {.number = std::nullopt, .text = std::move(text)}; }

Schema Events() {
  Schema schema;
  schema.fields = {
      {.name = "event_time", .type = Type::Of(TypeKind::kTimestamp), .id = 1, .doc = {}},
      {.name = "kind", .type = Type::Of(TypeKind::kString), .id = 2, .doc = {}},
      {.name = "props",
       .type = Type::Struct({{.name = "price", .type = Type::Decimal(9, 2), .id = 4, .doc = {}}}),
       .id = 3,
       .doc = {}}};
  return schema;
}

PartitionField FieldOf(int source, std::string name, Transform transform, int width = 0) {
  return {.source_id = source,
          .field_id = 1000,
          .name = std::move(name),
          .transform = transform,
          .width = width};
}

TEST(PartitionPath, JoinsNamesAndValues) {
  const PartitionSpec spec{.spec_id = 0,
                           .fields = {FieldOf(1, "event_time_day", Transform::kDay),
                                      FieldOf(2, "kind", Transform::kIdentity),
                                      FieldOf(4, "price_trunc", Transform::kTruncate, 10)}};
  EXPECT_EQ(PartitionPath(Events(), spec, {Number(DayOf(2026, 9, 1)), Text("buy"), Number(1230)}),
            "event_time_day=2026-09-01/kind=buy/price_trunc=12.30");
  EXPECT_EQ(PartitionPath(Events(), {}, {}), "");
}

TEST(PartitionPath, EncodesNamesAndValues) {
  const PartitionSpec spec{.spec_id = 0,
                           .fields = {FieldOf(2, "my#str%bucket", Transform::kIdentity)}};
  const auto path = [&](const PartitionValue& value) {
    return PartitionPath(Events(), spec, {value});
  };
  EXPECT_EQ(path(Text("a b/c:d%e+f=é")), "my%23str%25bucket=a+b%2Fc%3Ad%25e%2Bf%3D%C3%A9");
  EXPECT_EQ(path(Text("..")), "my%23str%25bucket=..");
  EXPECT_EQ(path(Text("")), "my%23str%25bucket=");
  EXPECT_EQ(path(PartitionValue{}), "my%23str%25bucket=null");
  EXPECT_EQ(path(Text("a#b?c")), "my%23str%25bucket=a%23b%3Fc");
}

TEST(PartitionPath, ShortensWhatAFileSystemWouldRefuse) {
  const PartitionSpec spec{.spec_id = 0, .fields = {FieldOf(2, "kind", Transform::kIdentity)}};
  const auto path = [&](std::string text) {
    return PartitionPath(Events(), spec, {Text(std::move(text))});
  };
  EXPECT_LE(path(std::string(300, 'x')).size(), 200U);
  EXPECT_NE(path(std::string(300, 'x')), path(std::string(301, 'x')));
  for (int shift = 0; shift < 3; ++shift) {
    std::string text(static_cast<std::size_t>(shift), 'x');
    for (int i = 0; i < 300; ++i) text += "é";
    const std::string cut = path(text);
    EXPECT_EQ(cut.find("%-"), std::string::npos) << cut;
    EXPECT_EQ(cut.find("%C-"), std::string::npos) << cut;
  }
}

TEST(PartitionText, SpellsEveryTransform) {
  const Type time = Type::Of(TypeKind::kTimestamp);
  const Type date = Type::Of(TypeKind::kDate);
  EXPECT_EQ(PartitionText(time, Transform::kYear, Number(56)), "2026");
  EXPECT_EQ(PartitionText(time, Transform::kYear, Number(-1)), "1969");
  EXPECT_EQ(PartitionText(time, Transform::kMonth, Number(575)), "2017-12");
  EXPECT_EQ(PartitionText(time, Transform::kMonth, Number(-1)), "1969-12");
  EXPECT_EQ(PartitionText(time, Transform::kMonth, Number(-12)), "1969-01");
  EXPECT_EQ(PartitionText(time, Transform::kDay, Number(-1)), "1969-12-31");
  EXPECT_EQ(PartitionText(time, Transform::kHour, Number(420034)), "2017-12-01-10");
  EXPECT_EQ(PartitionText(time, Transform::kHour, Number(-1)), "1969-12-31-23");
  EXPECT_EQ(PartitionText(date, Transform::kIdentity, Number(17501)), "2017-12-01");
  EXPECT_EQ(PartitionText(time, Transform::kIdentity, Number(1)), "1970-01-01T00:00:00.000001Z");
  EXPECT_EQ(PartitionText(time, Transform::kBucket, Number(7)), "7");
  EXPECT_EQ(PartitionText(Type::Of(TypeKind::kBoolean), Transform::kIdentity, Number(1)), "true");
  EXPECT_EQ(PartitionText(Type::Decimal(9, 2), Transform::kIdentity, Number(-5)), "-0.05");
  EXPECT_EQ(PartitionText(Type::Of(TypeKind::kBinary), Transform::kIdentity, Text("abc")), "YWJj");
  EXPECT_EQ(PartitionText(Type::Of(TypeKind::kUuid), Transform::kIdentity,
                          Text("\xf7\x9c\x3e\x09\x67\x7c\x4b\xbd\xa4\x79\x3f\x34\x9c\xb7\x85\xe7")),
            "f79c3e09-677c-4bbd-a479-3f349cb785e7");
}

TEST(FindField, LooksIntoStructs) {
  const Schema schema = Events();
  EXPECT_EQ(FindField(schema.fields, 4)->name, "price");
  EXPECT_EQ(FindField(schema.fields, 9), nullptr);
}

}  // namespace
}  // namespace weir::connect
