#include "stream/row_key.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace weir::stream {
namespace {

std::string KeyOf(const Column& column, std::size_t row) {
  std::string key;
  AppendKeyPart(column, row, &key);
  EXPECT_EQ(ValueKey().Of(column, row), key);
  return key;
}

// The rows of the column are in ascending order.
void ExpectOrderAndValues(const Column& column) {
  Column back(column.type());
  for (std::size_t row = 0; row < column.size(); ++row) {
    const std::string key = KeyOf(column, row);
    if (row > 0) {
      EXPECT_LT(KeyOf(column, row - 1), key) << row;
    }
    std::string_view rest = key;
    ASSERT_TRUE(TakeKeyPart(&rest, &back));
    EXPECT_TRUE(rest.empty());
    EXPECT_EQ(KeyOf(back, row), key);
    for (std::size_t cut = 0; cut < key.size(); ++cut) {
      std::string_view torn = std::string_view(key).substr(0, cut);
      EXPECT_FALSE(TakeKeyPart(&torn, &back));
      EXPECT_EQ(back.size(), row + 1);
    }
  }
}

TEST(RowKey, IntegersAreInTheirOrder) {
  Column ints(Type::Of(TypeKind::kInt));
  Column longs(Type::Of(TypeKind::kTimestamp));
  ints.AppendNull();
  longs.AppendNull();
  for (const std::int32_t value : {INT32_MIN, -256, -1, 0, 1, 255, 256, INT32_MAX}) {
    ints.AppendInt(value);
    longs.AppendLong(std::int64_t{value} * 3'000'000'000);
  }
  ExpectOrderAndValues(ints);
  ExpectOrderAndValues(longs);
}

TEST(RowKey, DecimalsAreInTheirOrder) {
  Column column(Type::Decimal(38, 2));
  const Int128 wide = static_cast<Int128>(1) << 100;
  for (const Int128 value : {-wide, static_cast<Int128>(-1), static_cast<Int128>(0), wide}) {
    column.AppendDecimal(value);
  }
  ExpectOrderAndValues(column);
}

TEST(RowKey, DoublesAreInTheirOrderAndNanIsTheGreatest) {
  Column column(Type::Of(TypeKind::kDouble));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double value : {-kInfinity, -1.5, -1e-310, 0.0, 1e-310, 2.0, kInfinity}) {
    column.AppendDouble(value);
  }
  column.AppendDouble(std::nan(""));
  ExpectOrderAndValues(column);
  Column same(Type::Of(TypeKind::kDouble));
  for (const double value : {0.0, -0.0, std::nan(""), -std::nan("1")}) same.AppendDouble(value);
  EXPECT_EQ(KeyOf(same, 0), KeyOf(same, 1));
  EXPECT_EQ(KeyOf(same, 2), KeyOf(same, 3));
}

TEST(RowKey, FloatsComeBackAsTheyWere) {
  Column column(Type::Of(TypeKind::kFloat));
  for (const float value : {-3.25F, 0.0F, 0.1F, std::numeric_limits<float>::max()}) {
    column.AppendFloat(value);
  }
  ExpectOrderAndValues(column);
  std::string key;
  AppendKeyPart(column, 2, &key);
  std::string_view rest = key;
  Column back(column.type());
  ASSERT_TRUE(TakeKeyPart(&rest, &back));
  EXPECT_EQ(back.Float(0), 0.1F);
}

TEST(RowKey, TextsAreInTheOrderOfTheirBytes) {
  Column column(Type::Of(TypeKind::kString));
  column.AppendNull();
  const std::vector<std::string> texts = {"",
                                          std::string(1, 0),
                                          std::string(2, 0),
                                          std::string("\0a", 2),
                                          "a",
                                          std::string("a\0", 2),
                                          std::string("a\0b", 3),
                                          "ab",
                                          "b",
                                          "\xC3\xA9"};
  for (const std::string& text : texts) column.AppendString(text);
  // About where a key is not put together in one step any more.
  for (std::size_t n = 58; n < 66; ++n) column.AppendString(std::string(n, '\xFF'));
  ExpectOrderAndValues(column);
}

TEST(RowKey, BooleansAndUuids) {
  Column flags(Type::Of(TypeKind::kBoolean));
  flags.AppendNull();
  flags.AppendBoolean(false);
  flags.AppendBoolean(true);
  ExpectOrderAndValues(flags);
  Column uuids(Type::Of(TypeKind::kUuid));
  std::array<std::uint8_t, 16> uuid = {};
  for (const int last : {0, 1, 255}) {
    uuid[15] = static_cast<std::uint8_t>(last);
    uuids.AppendUuid(uuid);
  }
  ExpectOrderAndValues(uuids);
}

TEST(RowKey, OtherBytesAreRefused) {
  Column flags(Type::Of(TypeKind::kBoolean));
  Column texts(Type::Of(TypeKind::kString));
  for (std::string_view bytes : {std::string_view("\2\0", 2), std::string_view("\1\2", 2)}) {
    EXPECT_FALSE(TakeKeyPart(&bytes, &flags));
  }
  std::string_view escape("\1a\0b\0\0", 6);
  EXPECT_FALSE(TakeKeyPart(&escape, &texts));
}

}  // namespace
}  // namespace weir::stream
