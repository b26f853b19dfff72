#include "record/type.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

Field Named(std::string name, Type type) {
  return Field{.name = std::move(name), .type = std::move(type), .doc = {}};
}

TEST(Type, SpellsItselfAsContractsDo) {
  const Type text = Type::Of(TypeKind::kString);
  EXPECT_EQ(ToString(Type::Decimal(10, 2)), "decimal(10,2)");
  EXPECT_EQ(ToString(Type::List(text)), "list<string>");
  EXPECT_EQ(ToString(Type::Map(text, Type::Of(TypeKind::kLong))), "map<string, long>");
  EXPECT_EQ(ToString(Type::Struct({Named("a", Type::Of(TypeKind::kInt)), Named("b", text)})),
            "struct<a: int, b: string>");
}

TEST(Type, ComparesByStructure) {
  EXPECT_EQ(Type::Decimal(10, 2), Type::Decimal(10, 2));
  EXPECT_FALSE(Type::Decimal(10, 2) == Type::Decimal(10, 3));
  EXPECT_FALSE(Type::List(Type::Of(TypeKind::kInt)) == Type::List(Type::Of(TypeKind::kInt), true));
  Type local = Type::Of(TypeKind::kTimestamp);
  local.zoned = false;
  EXPECT_FALSE(local == Type::Of(TypeKind::kTimestamp));
}

TEST(Type, IdsGoThroughALevelBeforeItsChildren) {
  const Type text = Type::Of(TypeKind::kString);
  Schema schema;
  schema.fields = {
      Named("a", Type::Struct({Named("x", Type::List(text)), Named("y", text)})),
      Named("m", Type::Map(text, Type::Struct({Named("z", text)}))),
      Named("b", text),
  };
  EXPECT_EQ(AssignFieldIds(schema), 9);
  const Field& a = schema.fields[0];
  const Field& m = schema.fields[1];
  EXPECT_EQ(a.id, 1);
  EXPECT_EQ(m.id, 2);
  EXPECT_EQ(schema.fields[2].id, 3);
  EXPECT_EQ(a.type.children[0].id, 4);                   // x
  EXPECT_EQ(a.type.children[1].id, 5);                   // y
  EXPECT_EQ(a.type.children[0].type.children[0].id, 6);  // x.element
  EXPECT_EQ(m.type.children[0].id, 7);                   // key
  EXPECT_EQ(m.type.children[1].id, 8);                   // value
  EXPECT_EQ(m.type.children[1].type.children[0].id, 9);  // value.z
}

TEST(Type, IdsInUseAreKept) {
  Schema schema;
  schema.fields = {Named("a", Type::Of(TypeKind::kInt)), Named("b", Type::Of(TypeKind::kInt))};
  schema.fields[1].id = 7;
  EXPECT_EQ(AssignFieldIds(schema, 3), 8);
  EXPECT_EQ(schema.fields[0].id, 8);
  EXPECT_EQ(schema.fields[1].id, 7);
}

TEST(Decimal, TextForm) {
  EXPECT_EQ(DecimalToString(1800, 2), "18.00");
  EXPECT_EQ(DecimalToString(0, 2), "0.00");
  EXPECT_EQ(DecimalToString(-1, 2), "-0.01");
  EXPECT_EQ(DecimalToString(5, 0), "5");
  EXPECT_EQ(DecimalToString(-12345, 4), "-1.2345");
  Int128 nines = 0;
  for (int i = 0; i < 38; ++i) nines = nines * 10 + 9;
  EXPECT_EQ(DecimalToString(nines, 6), "99999999999999999999999999999999.999999");
  EXPECT_EQ(DecimalToString(-nines, 38), "-0.99999999999999999999999999999999999999");
}

}  // namespace
}  // namespace weir
