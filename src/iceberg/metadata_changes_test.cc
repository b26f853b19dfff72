#include "iceberg/metadata_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "iceberg/metadata_edit.h"
#include "iceberg/test_table.h"

namespace weir::iceberg {
namespace {

using test::TestTable;
using testing::ElementsAre;

std::vector<std::string> Actions(const Json& changes) {
  std::vector<std::string> actions;
  for (const Json& update : changes["updates"]) actions.push_back(update["action"]);
  return actions;
}

TEST(MetadataChangesTest, AnAppendSaysWhatJavaWouldSay) {
  TestTable lake;
  const auto table = lake.Open();
  const MetadataPtr empty = lake.Current();
  lake.Append(*table, 1);
  const MetadataPtr one = lake.Current();
  const Json changes = Must(ChangesBetween(*empty, *one));
  EXPECT_THAT(Actions(changes),
              testing::UnorderedElementsAre("add-snapshot", "set-snapshot-ref", "set-snapshot-ref",
                                            "set-properties"));
  EXPECT_EQ(changes["updates"][0]["snapshot"]["snapshot-id"], *one->current_snapshot_id);
  EXPECT_EQ(changes["updates"].back()["updates"].size(), 1U) << "the progress and nothing else";
  const Json& required = changes["requirements"];
  ASSERT_EQ(required.size(), 3U);
  EXPECT_EQ(required[0], (Json{{"type", "assert-table-uuid"}, {"uuid", empty->uuid}}));
  for (std::size_t i : {1U, 2U}) {
    EXPECT_EQ(required[i]["type"], "assert-ref-snapshot-id");
    EXPECT_TRUE(required[i]["snapshot-id"].is_null()) << "there was none of this name";
  }
}

TEST(MetadataChangesTest, MainMustBeWhereItWas) {
  TestTable lake;
  const auto table = lake.Open();
  lake.Append(*table, 1);
  const MetadataPtr before = lake.Current();
  lake.Append(*table, 2);
  const Json changes = Must(ChangesBetween(*before, *lake.Current()));
  std::map<std::string, std::int64_t> places;
  for (const Json& required : changes["requirements"]) {
    if (required.contains("ref")) places[required["ref"]] = required["snapshot-id"];
  }
  EXPECT_EQ(places,
            (std::map<std::string, std::int64_t>{{"main", *before->current_snapshot_id},
                                                 {"weir-shop", *before->current_snapshot_id}}));
}

TEST(MetadataChangesTest, ExpiredSnapshotsAreNamedLast) {
  TestTable lake;
  const auto table = lake.Open();
  lake.Append(*table, 1);
  const MetadataPtr before = lake.Current();
  lake.Append(*table, 2, {.max_age = 0, .keep_at_least = 1, .keep_at_most = 1, .reader_grace = 0});
  const Json changes = Must(ChangesBetween(*before, *lake.Current()));
  EXPECT_EQ(changes["updates"].back(),
            (Json{{"action", "remove-snapshots"},
                  {"snapshot-ids", Json::array({*before->current_snapshot_id})}}));
}

TEST(MetadataChangesTest, ANewSchemaComesWithItsGuards) {
  TestTable lake;
  const MetadataPtr before = lake.Current();
  lake.Foreign([](Json& document) {
    Json schema = document["schemas"][0];
    schema["schema-id"] = 1;
    schema["fields"].push_back(
        {{"id", 4}, {"name", "channel"}, {"required", false}, {"type", "string"}});
    document["schemas"].push_back(schema);
    document["current-schema-id"] = 1;
    document["last-column-id"] = 4;
  });
  const Json changes = Must(ChangesBetween(*before, *lake.Current()));
  EXPECT_THAT(Actions(changes), ElementsAre("add-schema", "set-current-schema"));
  EXPECT_EQ(changes["requirements"][1]["last-assigned-field-id"], 3);
  EXPECT_EQ(changes["requirements"][2]["current-schema-id"], 0);
}

TEST(MetadataChangesTest, WhatCannotBeSaidIsAnError) {
  TestTable lake;
  const MetadataPtr before = lake.Current();
  lake.Foreign([](Json& document) { document["default-sort-order-id"] = 7; });
  const auto changes = ChangesBetween(*before, *lake.Current());
  ASSERT_FALSE(changes);
  EXPECT_EQ(changes.error().kind, ErrorKind::kInternal);
}

TEST(MetadataChangesTest, ACreationLeavesTheLocationToTheServer) {
  TestTable lake;
  const Json request = Must(CreationOf(*lake.Current(), "events"));
  EXPECT_EQ(request["name"], "events");
  EXPECT_EQ(request["stage-create"], false);
  EXPECT_EQ(request["partition-spec"]["fields"].size(), 1U);
  EXPECT_EQ(request["properties"]["format-version"], "2");
  EXPECT_FALSE(request.contains("location"));
}

}  // namespace
}  // namespace weir::iceberg
