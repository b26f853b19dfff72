#include "parquet/value_range.h"

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace weir::parquet {
namespace {

const LeafPath kOptional{.steps = {{.child = 0, .optional = true}},
                         .type = {},
                         .field_id = 1,
                         .name = "x",
                         .max_definition = 1};

ValueRange RangeOf(const Column& column) {
  LeafData leaf;
  EXPECT_TRUE(ReadLeaf(kOptional, column, column.size(), leaf));
  return RangeFinder().Find(leaf, 0, leaf.values);
}

TEST(RangeFinder, SkipsNulls) {
  Column column(Type::Of(TypeKind::kLong));
  column.AppendNull();
  column.AppendLong(7);
  column.AppendNull();
  column.AppendLong(-3);
  const ValueRange range = RangeOf(column);
  EXPECT_FALSE(range.empty);
  EXPECT_EQ(range.low, -3);
  EXPECT_EQ(range.high, 7);
}

TEST(RangeFinder, IsEmptyWithoutValues) {
  Column column(Type::Of(TypeKind::kString));
  EXPECT_TRUE(RangeOf(column).empty);
  column.AppendNull();
  EXPECT_TRUE(RangeOf(column).empty);
}

TEST(RangeFinder, NeverTakesNanForABound) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Column column(Type::Of(TypeKind::kDouble));
  for (const double value : {nan, 2.5, nan, -1.0}) column.AppendDouble(value);
  ValueRange range = RangeOf(column);
  EXPECT_EQ(range.low_real, -1.0);
  EXPECT_EQ(range.high_real, 2.5);
  EXPECT_EQ(range.nan_count, 2);

  Column only(Type::Of(TypeKind::kFloat));
  only.AppendFloat(std::numeric_limits<float>::quiet_NaN());
  range = RangeOf(only);
  EXPECT_TRUE(range.empty);
  EXPECT_EQ(range.nan_count, 1);
}

TEST(RangeFinder, PutsNegativeZeroBelowAndPositiveAbove) {
  for (const double zero : {0.0, -0.0}) {
    Column column(Type::Of(TypeKind::kDouble));
    column.AppendDouble(zero);
    const ValueRange range = RangeOf(column);
    EXPECT_TRUE(std::signbit(range.low_real));
    EXPECT_FALSE(std::signbit(range.high_real));
  }
}

TEST(RangeFinder, ComparesStringsAsUnsignedBytes) {
  Column column(Type::Of(TypeKind::kString));
  for (const char* text : {"b", "é", "", "bb", "z"}) column.AppendString(text);
  const ValueRange range = RangeOf(column);
  EXPECT_EQ(range.low_text, "");
  EXPECT_EQ(range.high_text, "é");
}

TEST(RangeFinder, TakesAColumnWithoutAnyByte) {
  Column column(Type::Of(TypeKind::kString));
  column.AppendString("");
  const ValueRange range = RangeOf(column);
  EXPECT_FALSE(range.empty);
  EXPECT_EQ(range.low_text, "");
  EXPECT_EQ(range.high_text, "");
}

TEST(RangeFinder, TellsLongCommonPrefixesAndZeroBytesApart) {
  Column column(Type::Of(TypeKind::kString));
  for (const std::string& text :
       {std::string("prefix--b"), std::string("prefix--a"), std::string("prefix--"),
        std::string("prefix--\0", 9), std::string("prefix--c")}) {
    column.AppendString(text);
  }
  const ValueRange range = RangeOf(column);
  EXPECT_EQ(range.low_text, "prefix--");
  EXPECT_EQ(range.high_text, "prefix--c");
}

TEST(RangeFinder, LooksOnlyAtDictionaryEntriesInUse) {
  auto dictionary = std::make_shared<Dictionary>();
  dictionary->Intern("aaa");
  dictionary->Intern("zzz");
  for (const int rows : {1, 100}) {  // few and many rows for the size of the dictionary
    Column column(Type::Of(TypeKind::kString));
    column.UseDictionary(dictionary);
    for (int i = 0; i < rows; ++i) column.AppendString(i % 2 == 0 ? "m" : "k");
    const ValueRange range = RangeOf(column);
    EXPECT_EQ(range.low_text, rows == 1 ? "m" : "k");
    EXPECT_EQ(range.high_text, "m");
  }
}

TEST(ValueRange, MergesWithEmptyOnes) {
  Column column(Type::Of(TypeKind::kInt));
  column.AppendInt(4);
  const ValueRange one = RangeOf(column);
  ValueRange all;
  all.Merge(one);
  all.Merge(ValueRange{});
  EXPECT_EQ(all.low, 4);
  EXPECT_EQ(all.high, 4);
  EXPECT_FALSE(all.empty);
}

TEST(ValueRange, MergesEveryKind) {
  ValueRange a;
  a.empty = false;
  a.low = 1, a.high = 5;
  a.low_real = 1, a.high_real = 5;
  a.low_text = "f", a.high_text = "m";
  a.nan_count = 2;
  ValueRange b = a;
  b.low = -1, b.high = 4;
  b.low_real = -0.5, b.high_real = 9;
  b.low_text = "g", b.high_text = "z";
  b.nan_count = 1;
  a.Merge(b);
  EXPECT_EQ(a.low, -1);
  EXPECT_EQ(a.high, 5);
  EXPECT_EQ(a.low_real, -0.5);
  EXPECT_EQ(a.high_real, 9);
  EXPECT_EQ(a.low_text, "f");
  EXPECT_EQ(a.high_text, "z");
  EXPECT_EQ(a.nan_count, 3);
}

}  // namespace
}  // namespace weir::parquet
