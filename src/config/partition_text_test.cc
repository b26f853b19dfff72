#include "config/partition_text.h"

#include <gtest/gtest.h>

namespace weir::config {
namespace {

TEST(PartitionTextTest, ReadsBackAsItIsSpelled) {
  for (const char* text : {"day(event_time)", "hour(event_time)", "month(d)", "year(d)",
                           "bucket(16, user_id)", "truncate(4, sku)", "country"}) {
    const auto partition = ParsePartition(text);
    ASSERT_TRUE(partition) << text;
    EXPECT_EQ(ToString(*partition), text);
  }
}

TEST(PartitionTextTest, TakesPartsApart) {
  const auto bucket = ParsePartition("bucket( 16 ,user_id )");
  ASSERT_TRUE(bucket);
  EXPECT_EQ(bucket->transform, "bucket");
  EXPECT_EQ(bucket->width, 16);
  EXPECT_EQ(bucket->column, "user_id");
  EXPECT_EQ(ParsePartition("identity(country)")->transform, "identity");
  EXPECT_EQ(ParsePartition("country")->column, "country");
}

TEST(PartitionTextTest, RefusesWhatIsNoPartitioning) {
  for (const char* text :
       {"", ")", "day(", "day()", "day(a, b)", "dya(a)", "bucket(a)", "bucket(0, a)",
        "bucket(-1, a)", "bucket(x, a)", "bucket(16,)", "day((a))", "void(a)"}) {
    const auto partition = ParsePartition(text);
    ASSERT_FALSE(partition) << text;
    EXPECT_EQ(partition.error().code, ErrorCode::kBadValue);
  }
}

TEST(PartitionTextTest, TransformsTakeTheTypesOfTheTableFormat) {
  const auto fits = [](const char* text, const Type& type) {
    return CheckTransform(*ParsePartition(text), type).ok();
  };
  EXPECT_TRUE(fits("day(c)", Type::Of(TypeKind::kTimestamp)));
  EXPECT_TRUE(fits("day(c)", Type::Of(TypeKind::kDate)));
  EXPECT_FALSE(fits("day(c)", Type::Of(TypeKind::kLong)));
  EXPECT_TRUE(fits("hour(c)", Type::Of(TypeKind::kTimestamp)));
  EXPECT_FALSE(fits("hour(c)", Type::Of(TypeKind::kDate)));
  EXPECT_TRUE(fits("bucket(4, c)", Type::Of(TypeKind::kUuid)));
  EXPECT_FALSE(fits("bucket(4, c)", Type::Of(TypeKind::kDouble)));
  EXPECT_FALSE(fits("bucket(4, c)", Type::Of(TypeKind::kBoolean)));
  EXPECT_TRUE(fits("truncate(4, c)", Type::Decimal(10, 2)));
  EXPECT_FALSE(fits("truncate(4, c)", Type::Of(TypeKind::kTimestamp)));
  EXPECT_TRUE(fits("c", Type::Of(TypeKind::kBoolean)));
  EXPECT_FALSE(fits("c", Type::Of(TypeKind::kDouble)));
  EXPECT_FALSE(fits("c", Type::List(Type::Of(TypeKind::kInt))));
}

}  // namespace
}  // namespace weir::config
