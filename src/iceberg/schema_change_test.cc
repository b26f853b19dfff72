#include "iceberg/schema_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "iceberg/test_table.h"

namespace weir::iceberg {
namespace {

using connect::CommitOutcome;
using connect::SchemaChange;
using test::TestTable;

Field Optional(std::string name, Type type) {
  return {.name = std::move(name), .type = std::move(type), .doc = {}};
}

SchemaChange Adding(std::string name, Type type) {
  SchemaChange change;
  change.added.push_back({.parent = {}, .field = Optional(std::move(name), std::move(type))});
  return change;
}

TEST(SchemaChange, AddsAColumnInOneStepAndKeepsEverythingElse) {
  TestTable table;
  auto handle = table.Open();
  const auto before = Must(handle->Load());
  EXPECT_EQ(Must(handle->Evolve(*before, Adding("coupon", Type::Of(TypeKind::kString)))),
            CommitOutcome::kCommitted);
  const auto after = Must(table.Open()->Load());
  ASSERT_EQ(after->schema.fields.size(), 4U);
  EXPECT_EQ(after->schema.fields[3].name, "coupon");
  EXPECT_EQ(after->schema.fields[3].id, 4);
  EXPECT_EQ(after->uuid, before->uuid);
  EXPECT_EQ(after->snapshot_id, before->snapshot_id);
}

TEST(SchemaChange, TheOldVersionIsNoBaseAnyMore) {
  TestTable table;
  auto handle = table.Open();
  auto other = table.Open("other");
  const auto base = Must(handle->Load());
  Must(other->Load());
  EXPECT_EQ(Must(handle->Evolve(*base, Adding("coupon", Type::Of(TypeKind::kString)))),
            CommitOutcome::kCommitted);
  EXPECT_EQ(Must(other->Evolve(*base, Adding("voucher", Type::Of(TypeKind::kString)))),
            CommitOutcome::kConflict);
}

TEST(SchemaChange, WidensATypeAndRefusesWhatIsNoWidening) {
  TestTable table;
  auto handle = table.Open();
  SchemaChange change;
  change.widened.push_back({.path = {"price"}, .type = Type::Decimal(20, 2)});
  EXPECT_EQ(Must(handle->Evolve(*Must(handle->Load()), change)), CommitOutcome::kCommitted);
  const auto after = Must(handle->Load());
  EXPECT_EQ(after->schema.fields[2].type, Type::Decimal(20, 2));
  EXPECT_EQ(after->schema.fields[2].id, 3);
  change.widened[0].type = Type::Decimal(10, 2);
  const auto refused = handle->Evolve(*after, change);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTableMismatch);
}

TEST(SchemaChange, APartitionColumnKeepsItsType) {
  TestTable table;
  auto handle = table.Open();
  SchemaChange change;
  change.widened.push_back({.path = {"event_time"}, .type = Type::Of(TypeKind::kLong)});
  const auto refused = handle->Evolve(*Must(handle->Load()), change);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnsupported);
}

TEST(SchemaChange, RefusesRequiredColumnsAndTakenNames) {
  TestTable table;
  auto handle = table.Open();
  const auto base = Must(handle->Load());
  SchemaChange required = Adding("coupon", Type::Of(TypeKind::kString));
  required.added[0].field.required = true;
  EXPECT_FALSE(handle->Evolve(*base, required));
  EXPECT_FALSE(handle->Evolve(*base, Adding("PRICE", Type::Of(TypeKind::kString))));
  SchemaChange nowhere = Adding("os", Type::Of(TypeKind::kString));
  nowhere.added[0].parent = {"device"};
  EXPECT_FALSE(handle->Evolve(*base, nowhere));
}

// Ids of dropped columns stay taken, and nested fields get theirs behind all others.
TEST(SchemaChange, IdsOnlyGrowAtEveryDepth) {
  Json schema = Json::parse(R"({"type":"struct","schema-id":3,"fields":[
    {"id":7,"name":"tags","required":false,"type":{"type":"list","element-id":9,
      "element-required":false,"element":{"type":"struct","fields":[
        {"id":11,"name":"k","required":false,"type":"int"},
        {"id":12,"name":"t","required":false,"type":"time"}]}}}]})");
  std::int64_t highest = 40;
  SchemaChange change;
  change.added.push_back(
      {.parent = {"tags", "element"},
       .field = Optional("d", Type::Struct({Optional("x", Type::Of(TypeKind::kInt))}))});
  change.widened.push_back({.path = {"tags", "element", "k"}, .type = Type::Of(TypeKind::kLong)});
  Must(ChangeSchemaJson(change, schema, highest));
  EXPECT_EQ(highest, 42);
  const Json& fields = schema["fields"][0]["type"]["element"]["fields"];
  EXPECT_EQ(fields[0]["type"], "long");
  EXPECT_EQ(fields[1]["type"], "time");
  EXPECT_EQ(fields[2]["id"], 41);
  EXPECT_EQ(fields[2]["type"]["fields"][0]["id"], 42);
  EXPECT_EQ(HighestFieldId(schema), 42);
}

// Files that were finished before a column was widened are committed behind it.
TEST(SchemaChange, FilesOfTheOldTypeAreCommittedAfterIt) {
  TestTable table;
  auto handle = table.Open();
  SchemaChange change;
  change.widened.push_back({.path = {"price"}, .type = Type::Decimal(20, 2)});
  Must(handle->Evolve(*Must(handle->Load()), change));
  connect::TableCommit commit;
  commit.files = {TestTable::File("a")};
  commit.snapshot_id = 77;
  EXPECT_EQ(Must(handle->Commit(*Must(handle->Load()), commit)), CommitOutcome::kCommitted);
  EXPECT_EQ(Must(handle->LiveFiles(*Must(handle->Load()))).size(), 1U);
}

}  // namespace
}  // namespace weir::iceberg
