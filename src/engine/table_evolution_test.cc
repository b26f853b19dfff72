#include "engine/table_evolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connect/schema_change.h"

namespace weir::engine {
namespace {

Field Of(std::string name, Type type, int id = 0, bool required = false) {
  return {
      .name = std::move(name), .type = std::move(type), .required = required, .id = id, .doc = {}};
}

Type Device(std::vector<Field> more = {}) {
  std::vector<Field> fields = {Of("os", Type::Of(TypeKind::kString))};
  for (Field& field : more) fields.push_back(std::move(field));
  return Type::List(Type::Struct(std::move(fields)));
}

connect::TableVersion Table() {
  connect::TableVersion table;
  table.schema.fields = {Of("id", Type::Of(TypeKind::kString), 1, true),
                         Of("count", Type::Of(TypeKind::kInt), 2), Of("devices", Device(), 3)};
  return table;
}

Schema Columns() {
  return {.fields = {Of("id", Type::Of(TypeKind::kString), 0, true),
                     Of("count", Type::Of(TypeKind::kInt)), Of("devices", Device())}};
}

std::string Planned(const Schema& before, const Schema& now, const connect::TableVersion& table) {
  const auto change = PlanEvolution(before, now, table);
  return change ? ToString(*change) : change.error().message;
}

TEST(TableEvolution, WhatTheContractGainedIsAddedAndWidened) {
  Schema now = Columns();
  now.fields[1].type = Type::Of(TypeKind::kLong);
  now.fields[2].type = Device({Of("version", Type::Of(TypeKind::kInt))});
  now.fields.insert(now.fields.begin(), Of("coupon", Type::Of(TypeKind::kString)));
  EXPECT_EQ(Planned(Columns(), now, Table()),
            "add `coupon` string, add `devices.element.version` int, widen `count` to long");
}

TEST(TableEvolution, WhatIsThereAlreadyIsNoChange) {
  Schema now = Columns();
  now.fields.push_back(Of("coupon", Type::Of(TypeKind::kString)));
  connect::TableVersion table = Table();
  table.schema.fields.push_back(Of("coupon", Type::Of(TypeKind::kString), 9));
  EXPECT_EQ(Planned(Columns(), now, table), "");
}

TEST(TableEvolution, WhatSomebodyDroppedStaysAway) {
  connect::TableVersion table = Table();
  table.schema.fields.erase(table.schema.fields.begin() + 1);
  EXPECT_EQ(Planned(Columns(), Columns(), table), "");
}

TEST(TableEvolution, ATableIsNotWidenedForAContractThatDidNotChange) {
  Schema wide = Columns();
  wide.fields[1].type = Type::Of(TypeKind::kLong);
  EXPECT_EQ(Planned(wide, wide, Table()), "");
}

TEST(TableEvolution, RequiredColumnsAreNeverAdded) {
  Schema now = Columns();
  now.fields.push_back(Of("coupon", Type::Of(TypeKind::kString), 0, true));
  EXPECT_EQ(Planned(Columns(), now, Table()), "");
}

TEST(TableEvolution, APartitionColumnKeepsItsType) {
  Schema now = Columns();
  now.fields[1].type = Type::Of(TypeKind::kLong);
  connect::TableVersion table = Table();
  table.spec.fields = {{.source_id = 2, .field_id = 1000, .name = "count"}};
  EXPECT_THAT(Planned(Columns(), now, table), testing::HasSubstr("partitions the table"));
}

TEST(TableEvolution, FieldsOfOperatorsKeepTheirTypes) {
  Contract before;
  for (const char* name : {"id", "count"}) {
    ContractField field;
    field.field.name = name;
    before.fields.push_back(field);
  }
  before.fields[1].field.type = Type::Of(TypeKind::kInt);
  config::PipelineSpec spec;
  spec.contract = before;
  spec.contract.fields[1].field.type = Type::Of(TypeKind::kLong);
  config::TableSpec silver;
  spec.tables = {silver};
  EXPECT_TRUE(CheckOperatorFields(spec, before));
  spec.tables[0].dedupe = DedupeRules{.key = {"count"}};
  const Status refused = CheckOperatorFields(spec, before);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kSpecChanged);
}

}  // namespace
}  // namespace weir::engine
