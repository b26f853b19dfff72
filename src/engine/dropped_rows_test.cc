#include "engine/dropped_rows.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::engine {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

Column Of(TypeKind kind) { return Column(Type::Of(kind)); }

TEST(KeyTextTest, IsOneTextForValuesThatAreEqual) {
  Column doubles = Of(TypeKind::kDouble);
  doubles.AppendDouble(0.0);
  doubles.AppendDouble(-0.0);
  doubles.AppendDouble(0.1);
  EXPECT_EQ(KeyText(doubles, 0), KeyText(doubles, 1));
  EXPECT_EQ(KeyText(doubles, 2), "0.1");
}

TEST(KeyTextTest, KnowsAllScalars) {
  Column longs = Of(TypeKind::kLong);
  longs.AppendLong(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(KeyText(longs, 0), "-9223372036854775808");
  Column times = Of(TypeKind::kTimestamp);
  times.AppendLong(-1);
  EXPECT_EQ(KeyText(times, 0), "1969-12-31T23:59:59.999999Z");
  Column decimals(Type::Decimal(10, 2));
  decimals.AppendDecimal(-5);
  EXPECT_EQ(KeyText(decimals, 0), "-0.05");
  Column flags = Of(TypeKind::kBoolean);
  flags.AppendBoolean(true);
  flags.AppendNull();
  EXPECT_EQ(KeyText(flags, 0), "true");
  EXPECT_EQ(KeyText(flags, 1), "null");
  Column bytes = Of(TypeKind::kBinary);
  bytes.AppendString(std::string_view("\0\xff", 2));
  EXPECT_EQ(KeyText(bytes, 0), "AP8=");
}

class DroppedRowsTest : public testing::Test {
 protected:
  DroppedRowsTest() {
    Schema schema;
    schema.fields = {
        {.name = "id", .type = Type::Of(TypeKind::kString), .required = true, .doc = {}},
        {.name = "n", .type = Type::Of(TypeKind::kInt), .required = true, .doc = {}}};
    batch_.emplace(std::make_shared<const Schema>(schema));
  }
  stream::EventRow Add(const std::string& id, int n) {
    batch_->columns[0].AppendString(id);
    batch_->columns[1].AppendInt(n);
    const auto row = static_cast<std::uint32_t>(batch_->columns[0].size() - 1);
    return {.row = row, .partition = Partition(3), .offset = Offset(n), .event_time = 7};
  }

  std::optional<Batch> batch_;
  DroppedRows dropped_{{"n", "id"}};
};

TEST_F(DroppedRowsTest, TakesPlaceTimeAndKey) {
  const auto row = Add("a", 5);
  dropped_.Add(*batch_, row);
  EXPECT_THAT(
      dropped_.Take(),
      ElementsAre(state::DroppedRow{
          .partition = Partition(3), .offset = Offset(5), .event_time = 7, .key = {"5", "a"}}));
  EXPECT_THAT(dropped_.Take(), SizeIs(0)) << "those of the last epoch are gone";
}

TEST_F(DroppedRowsTest, AreFewAndShort) {
  const auto huge = Add(std::string(DroppedRows::kMostKeyBytes, 'x'), 1);
  dropped_.Add(*batch_, huge);
  for (int n = 0; n < 100; ++n) {
    const auto row = Add("a", n);
    dropped_.Add(*batch_, row);
  }
  EXPECT_TRUE(dropped_.full());
  EXPECT_THAT(dropped_.Take(), SizeIs(DroppedRows::kMostRows));
}

}  // namespace
}  // namespace weir::engine
