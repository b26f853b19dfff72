#include "delta/schema_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json_document.h"
#include "delta/test_lake.h"
#include "io/faulty_store.h"

namespace weir::delta {
namespace {

using connect::CommitOutcome;
using connect::SchemaChange;
using test::TestLake;
using testing::HasSubstr;
using testing::SizeIs;

Field Optional(std::string name, Type type) {
  return {.name = std::move(name), .type = std::move(type), .doc = {}};
}

SchemaChange Adding(Field field, std::vector<std::string> parent = {}) {
  SchemaChange change;
  change.added.push_back({.parent = std::move(parent), .field = std::move(field)});
  return change;
}

const SchemaChange kCoupon = Adding(Optional("coupon", Type::Of(TypeKind::kString)));

TEST(DeltaSchemaChange, AColumnIsAddedInACommitOfItsOwn) {
  TestLake lake;
  const auto table = lake.Open();
  lake.Append(*table, 1);
  const auto before = Must(table->Load());
  Must(table->CheckEvolve(*before, kCoupon));
  EXPECT_EQ(Must(table->Evolve(*before, kCoupon)), CommitOutcome::kCommitted);
  // Who made it and who comes later see the same.
  for (const auto& after : {Must(table->Load()), Must(lake.Open()->Load())}) {
    ASSERT_THAT(after->schema.fields, SizeIs(5));
    EXPECT_EQ(after->schema.fields[4].name, "coupon");
    EXPECT_FALSE(after->schema.fields[4].required);
    EXPECT_EQ(after->spec.spec_id, before->spec.spec_id);
    EXPECT_EQ(after->uuid, before->uuid);
    EXPECT_EQ(after->progress->partitions, before->progress->partitions);
    EXPECT_EQ(after->lineage, connect::Lineage::kIntact);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(after->schema.fields[i], before->schema.fields[i]);
    }
  }
  const LogCommit written = lake.Read(2);
  EXPECT_EQ(written.info->operation, "ADD COLUMNS");
  EXPECT_FALSE(written.protocol);
  EXPECT_THAT(written.adds, SizeIs(0));
  // What files were written for before, and for now, goes on.
  EXPECT_EQ(lake.Append(*table, 2), CommitOutcome::kCommitted);
  EXPECT_EQ(table->Snapshots(*Must(table->Load()))[1].operation, "ADD COLUMNS");
}

TEST(DeltaSchemaChange, WhoLosesTheVersionLooksAgain) {
  TestLake lake;
  const auto one = lake.Open();
  const auto two = lake.Open("other");
  const auto base = Must(one->Load());
  lake.Append(*two, 1);
  EXPECT_EQ(Must(one->Evolve(*base, kCoupon)), CommitOutcome::kConflict);
  EXPECT_EQ(Must(one->Evolve(*Must(one->Load()), kCoupon)), CommitOutcome::kCommitted);
  // Rows that were judged by the old columns are judged again.
  connect::TableCommit commit;
  const auto old = Must(two->Load());
  commit.files = {TestLake::File(*old, "a")};
  EXPECT_EQ(Must(two->Commit(*base, commit)), CommitOutcome::kConflict);
  EXPECT_EQ(Must(two->Commit(*old, commit)), CommitOutcome::kCommitted);
}

TEST(DeltaSchemaChange, ALostReplyIsUnknownAndTheNextLookTells) {
  for (const auto lost : {io::StoreFault::kReplyLostDone, io::StoreFault::kReplyLostNotDone}) {
    const auto inner = io::NewMemoryStore();
    const auto faulty = std::make_shared<io::FaultyStore>(*inner, 1);
    TestLake lake(faulty);
    const auto table = lake.Open();
    const auto base = Must(table->Load());
    faulty->Script(lost, io::StoreCall::kPutIfAbsent, 1, TestLake::Key(CommitName(1)));
    EXPECT_EQ(Must(table->Evolve(*base, kCoupon)), CommitOutcome::kUnknown);
    const bool done = lost == io::StoreFault::kReplyLostDone;
    EXPECT_EQ(Must(table->Load())->schema.IndexOf("coupon").has_value(), done);
  }
}

TEST(DeltaSchemaChange, AWiderTypeIsRefusedByName) {
  TestLake lake;
  const auto table = lake.Open();
  SchemaChange change = kCoupon;
  change.widened.push_back({.path = {"price"}, .type = Type::Decimal(20, 2)});
  const auto base = Must(table->Load());
  for (const Error& error :
       {table->CheckEvolve(*base, change).error(), table->Evolve(*base, change).error()}) {
    EXPECT_EQ(error.code, ErrorCode::kTableUnsupported);
    EXPECT_THAT(error.message, HasSubstr("`price` cannot become decimal(20,2)"));
    EXPECT_THAT(error.message, HasSubstr("typeWidening"));
    EXPECT_FALSE(error.remedy.empty());
  }
  EXPECT_THAT(lake.Files(".json"), SizeIs(1));
}

TEST(DeltaSchemaChange, WhatTheTableCannotHaveIsRefused) {
  TestLake lake;
  const auto table = lake.Open();
  const auto base = Must(table->Load());
  const auto why = [&](const SchemaChange& change) {
    const Status checked = table->CheckEvolve(*base, change);
    return checked ? "" : checked.error().message;
  };
  Field required = Optional("coupon", Type::Of(TypeKind::kString));
  required.required = true;
  EXPECT_THAT(why(Adding(required)), HasSubstr("required"));
  EXPECT_THAT(why(Adding(Optional("PRICE", Type::Of(TypeKind::kString)))), HasSubstr("already"));
  // A column that Weir made for the partitions; files do not hold it.
  EXPECT_THAT(why(Adding(Optional("event_date", Type::Of(TypeKind::kDate)))), HasSubstr("already"));
  EXPECT_THAT(why(Adding(Optional("a b", Type::Of(TypeKind::kString)))), HasSubstr("`a b`"));
  EXPECT_THAT(why(Adding(Optional("u", Type::Of(TypeKind::kUuid)))), HasSubstr("uuid"));
  EXPECT_THAT(why(Adding(Optional("os", Type::Of(TypeKind::kString)), {"device"})),
              HasSubstr("`device` is not in the table"));
  EXPECT_THAT(why(Adding(Optional("os", Type::Of(TypeKind::kString)), {"price"})),
              HasSubstr("no struct"));
  Type wall_clock = Type::Of(TypeKind::kTimestamp);
  wall_clock.zoned = false;
  EXPECT_THAT(why(Adding(Optional("local", wall_clock))), HasSubstr("timestampNtz"));
}

// Through structs, lists and maps; marks and types of others stay as they are.
TEST(DeltaSchemaChange, TheTextOfOthersStays) {
  auto metadata = std::make_shared<Metadata>();
  metadata->schema_text =
      R"({"type":"struct","fields":[
        {"name":"tags","nullable":true,"metadata":{"note":7},"type":{"type":"array",
          "containsNull":false,"elementType":{"type":"struct","fields":[
            {"name":"k","type":"short","nullable":true,"metadata":{"x":{"y":1}}}]}}},
        {"name":"more","nullable":true,"metadata":{},"type":{"type":"map","keyType":"string",
          "valueContainsNull":true,"valueType":{"type":"struct","fields":[
            {"name":"v","type":"string","nullable":true,"metadata":{}}]}}}]})";
  metadata->configuration["weir.other"] = "kept";
  Head head;
  head.metadata = metadata;
  SchemaChange change = Adding(Optional("n", Type::Of(TypeKind::kLong)), {"tags", "element"});
  change.added.push_back(
      {.parent = {"more", "value"},
       .field = Optional("w", Type::Struct({Optional("x", Type::Of(TypeKind::kInt))}))});
  change.added[1].field.doc = "of the shop";
  const LogCommit made = Must(ChangeColumns(head, change, 1000));
  const Json before = Must(ParseJson(metadata->schema_text));
  Json after = Must(ParseJson(made.metadata->schema_text));
  Json& tags = after["fields"][0]["type"]["elementType"]["fields"];
  Json& more = after["fields"][1]["type"]["valueType"]["fields"];
  EXPECT_EQ(
      tags[1],
      (Json{{"name", "n"}, {"type", "long"}, {"nullable", true}, {"metadata", Json::object()}}));
  EXPECT_EQ(more[1]["type"]["fields"][0]["type"], "integer");
  EXPECT_EQ(more[1]["metadata"]["comment"], "of the shop");
  tags.erase(1);
  more.erase(1);
  EXPECT_EQ(after, before);
  EXPECT_EQ(made.metadata->configuration, metadata->configuration);
  EXPECT_EQ(made.info->time_ms, 1000);
}

// A checkpoint that is written behind the change holds the new columns.
TEST(DeltaSchemaChange, CheckpointsHaveTheNewColumns) {
  TestLake lake;
  const auto table = lake.Open();
  lake.Append(*table, 1);
  Must(table->Evolve(*Must(table->Load()), kCoupon));
  for (int i = 2; i <= 110; ++i) {
    lake.Append(*table, i);
    Must(table->CleanUp());
  }
  ASSERT_THAT(lake.Files(".checkpoint.parquet"), SizeIs(1));
  for (int version = 0; version < 50; ++version) {
    Must(lake.store().Delete(TestLake::Key(CommitName(version))));
  }
  EXPECT_TRUE(Must(lake.Open()->Load())->schema.IndexOf("coupon"));
}

}  // namespace
}  // namespace weir::delta
