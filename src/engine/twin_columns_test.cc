#include "engine/twin_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::engine {
namespace {

using testing::SizeIs;

Field Of(std::string name, Type type, int id, bool required = false) {
  return {
      .name = std::move(name), .type = std::move(type), .required = required, .id = id, .doc = {}};
}

Field Text(std::string name, int id) {
  return Of(std::move(name), Type::Of(TypeKind::kString), id);
}

TEST(TwinColumns, ArePairedByNameAtEveryDepth) {
  const Schema one{.fields = {Text("a", 1), Of("d", Type::Struct({Text("os", 3)}), 2)}};
  const Schema other{.fields = {Of("d", Type::Struct({Text("os", 30)}), 20), Text("a", 10)}};
  const TwinColumns paired = PairColumns(one, other);
  EXPECT_EQ(paired.common, one);
  EXPECT_EQ(paired.ids, (std::map<int, int>{{1, 10}, {2, 20}, {3, 30}}));
  EXPECT_FALSE(paired.differs);
  EXPECT_THAT(paired.one_side, SizeIs(0));
}

TEST(TwinColumns, WhatOneSideHasAloneIsLeftOut) {
  const Schema both{.fields = {Text("a", 1), Of("d", Type::Struct({Text("os", 3)}), 2)}};
  const Schema more{.fields = {Text("a", 1), Text("b", 4),
                               Of("d", Type::Struct({Text("os", 3), Text("name", 5)}), 2)}};
  for (const auto& paired : {PairColumns(both, more), PairColumns(more, both)}) {
    EXPECT_EQ(paired.common, both);
    EXPECT_FALSE(paired.differs);
    EXPECT_THAT(paired.one_side, testing::UnorderedElementsAre("b", "d.name"));
  }
}

TEST(TwinColumns, OtherTypesAndRequiredColumnsMakeTwoTables) {
  const Schema one{.fields = {Text("a", 1)}};
  const Schema typed{.fields = {Of("a", Type::Of(TypeKind::kLong), 1)}};
  EXPECT_EQ(PairColumns(one, typed).differs, "a");
  Schema required = one;
  required.fields.push_back(Of("b", Type::Of(TypeKind::kLong), 2, true));
  EXPECT_EQ(PairColumns(one, required).differs, "b");
  EXPECT_EQ(PairColumns(required, one).differs, "b");
  const Schema left{.fields = {Of("d", Type::Struct({Text("x", 2)}), 1)}};
  const Schema right{.fields = {Of("d", Type::Struct({Text("y", 2)}), 1)}};
  EXPECT_EQ(PairColumns(left, right).differs, "d") << "a struct of nothing has no place in a file";
}

TEST(TwinColumns, AChangeIsAskedForWhereItLacks) {
  connect::SchemaChange change;
  change.added.push_back({.parent = {}, .field = Text("coupon", 0)});
  change.added.push_back({.parent = {"d"}, .field = Text("name", 0)});
  change.widened.push_back({.path = {"n"}, .type = Type::Of(TypeKind::kLong)});
  const auto lacks = [&](const Schema& columns) { return ToString(Lacking(change, columns)); };
  Schema columns{
      .fields = {Of("n", Type::Of(TypeKind::kInt), 1), Of("d", Type::Struct({Text("os", 3)}), 2)}};
  EXPECT_EQ(lacks(columns), ToString(change));
  columns.fields.push_back(Text("coupon", 9));
  EXPECT_EQ(lacks(columns), "add `d.name` string, widen `n` to long");
  columns.fields[1].type.children.push_back(Text("name", 10));
  columns.fields[0].type = Type::Of(TypeKind::kLong);
  EXPECT_TRUE(Lacking(change, columns).empty());
  // Another column of that name is not the one that was asked for.
  columns.fields[2].type = Type::Of(TypeKind::kInt);
  EXPECT_EQ(lacks(columns), "add `coupon` string");
}

}  // namespace
}  // namespace weir::engine
