#include "iceberg/expiry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace weir::iceberg {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kTag = "weir-shop";

// Snapshots 1..n in a chain, one a second, the last at second n.
Json ChainOf(int n) {
  Json json = *ParseJson(R"({"format-version":2,"table-uuid":"u","location":"/t",
    "last-updated-ms":0,"current-schema-id":0,"schemas":[{"schema-id":0,"type":"struct",
    "fields":[]}],"default-spec-id":0,"partition-specs":[{"spec-id":0,"fields":[]}],
    "snapshots":[],"refs":{},"properties":{}})");
  for (int i = 1; i <= n; ++i) {
    Json snapshot = {{"snapshot-id", i}, {"sequence-number", i}, {"timestamp-ms", 1000 * i}};
    if (i > 1) snapshot["parent-snapshot-id"] = i - 1;
    json["snapshots"].push_back(snapshot);
  }
  json["current-snapshot-id"] = n;
  json["last-sequence-number"] = n;
  json["refs"]["main"] = {{"snapshot-id", n}, {"type", "branch"}};
  return json;
}

MetadataPtr Read(const Json& json) { return *MetadataFromDocument(json, "f", 0); }

std::vector<std::int64_t> Expire(const Json& json, connect::ExpiryPolicy policy,
                                 std::int64_t now_ms) {
  return SnapshotsToExpire(*Read(json), policy, kTag, now_ms);
}

connect::ExpiryPolicy Keep(int least, int most, Micros age = 0) {
  return {.max_age = age, .keep_at_least = least, .keep_at_most = most};
}

TEST(ExpiryTest, KeepsTheCountEvenWhenAllAreOld) {
  // The new snapshot counts as one of the three.
  EXPECT_THAT(Expire(ChainOf(5), Keep(3, 10), 1'000'000), ElementsAre(1, 2, 3));
  EXPECT_THAT(Expire(ChainOf(2), Keep(3, 10), 1'000'000), IsEmpty());
}

TEST(ExpiryTest, KeepsWhatIsYoungUpToTheCap) {
  const Micros four_seconds = 4 * kMicrosPerSecond;
  EXPECT_THAT(Expire(ChainOf(9), Keep(1, 100, four_seconds), 10'000), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(Expire(ChainOf(9), Keep(1, 3, four_seconds), 10'000),
              ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(Expire(ChainOf(9), Keep(5, 3, 0), 10'000), ElementsAre(1, 2, 3, 4, 5));
}

TEST(ExpiryTest, TheOldHeadMayGoButNeverTheNewOne) {
  EXPECT_THAT(Expire(ChainOf(2), Keep(1, 1), 1'000'000), ElementsAre(1, 2));
}

TEST(ExpiryTest, TagsAndBranchesOfOthersHoldTheirs) {
  Json json = ChainOf(6);
  json["refs"]["audit"] = {{"snapshot-id", 2}, {"type", "tag"}};
  json["refs"][kTag] = {{"snapshot-id", 3}, {"type", "tag"}};  // ours moves on
  EXPECT_THAT(Expire(json, Keep(2, 2), 1'000'000), ElementsAre(1, 3, 4, 5));
  json["refs"]["dev"] = {{"snapshot-id", 4}, {"type", "branch"}};
  EXPECT_THAT(Expire(json, Keep(2, 2), 1'000'000), ElementsAre(5));
}

TEST(ExpiryTest, WhatIsNoAncestorOfMainStays) {
  Json json = ChainOf(4);
  json["snapshots"].push_back({{"snapshot-id", 99},
                               {"parent-snapshot-id", 1},
                               {"sequence-number", 9},
                               {"timestamp-ms", 1}});
  EXPECT_THAT(Expire(json, Keep(1, 1), 1'000'000), ElementsAre(1, 2, 3, 4));
}

TEST(ExpiryTest, TheTablesOwnRetentionGoesFirst) {
  Json by_ref = ChainOf(6);
  by_ref["refs"]["main"]["min-snapshots-to-keep"] = 5;
  EXPECT_THAT(Expire(by_ref, Keep(1, 1), 1'000'000), ElementsAre(1, 2));
  by_ref["refs"]["main"]["max-snapshot-age-ms"] = 2'000'000;
  EXPECT_THAT(Expire(by_ref, Keep(1, 1), 1'000'000), IsEmpty());
  Json by_property = ChainOf(6);
  by_property["properties"]["history.expire.max-snapshot-age-ms"] = "4500";
  EXPECT_THAT(Expire(by_property, Keep(1, 2, kMicrosPerDay), 7'000), ElementsAre(1, 2));
}

TEST(ExpiryTest, NothingWithoutGarbageCollection) {
  Json json = ChainOf(6);
  json["properties"]["gc.enabled"] = "false";
  EXPECT_THAT(Expire(json, Keep(1, 1), 1'000'000), IsEmpty());
}

TEST(ExpiryTest, ALongHistoryGoesStepByStep) {
  const auto first = Expire(ChainOf(1'000), Keep(10, 10), 9'000'000);
  EXPECT_EQ(first.size(), 100U);
  EXPECT_EQ(first.front(), 1);
  EXPECT_EQ(first.back(), 100);
}

TEST(ExpiryTest, AClockThatFellBackExpiresNothingMore) {
  EXPECT_THAT(Expire(ChainOf(9), Keep(1, 100, kMicrosPerSecond), -3'600'000), IsEmpty());
}

Json Without(Json json, const std::vector<int>& ids, int head) {
  Json kept = Json::array();
  for (const Json& snapshot : json["snapshots"]) {
    const int id = snapshot["snapshot-id"];
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) kept.push_back(snapshot);
  }
  json["snapshots"] = kept;
  json["current-snapshot-id"] = head;
  json["refs"]["main"]["snapshot-id"] = head;
  return json;
}

std::vector<std::int64_t> Between(const Json& before, const Json& after) {
  std::vector<std::int64_t> ids;
  for (const ExpiredSnapshot& expired : ExpiredBetween(*Read(before), *Read(after))) {
    EXPECT_EQ(expired.successor.parent_id, expired.snapshot.id);
    ids.push_back(expired.snapshot.id);
  }
  return ids;
}

TEST(ExpiredBetweenTest, FindsWhatTheChainLost) {
  EXPECT_THAT(Between(ChainOf(5), Without(ChainOf(6), {1, 2}, 6)), ElementsAre(1, 2));
  // With nothing left in common but a parent's name.
  EXPECT_THAT(Between(ChainOf(5), Without(ChainOf(6), {1, 2, 3, 4, 5}, 6)),
              ElementsAre(1, 2, 3, 4, 5));
  // A tag holds one in between.
  EXPECT_THAT(Between(ChainOf(5), Without(ChainOf(5), {1, 3}, 5)), ElementsAre(1, 3));
}

TEST(ExpiredBetweenTest, WhatARollbackCutOffIsNotExpired) {
  // Snapshots 4 and 5 vanished from above the head.
  EXPECT_THAT(Between(ChainOf(5), ChainOf(3)), IsEmpty());
}

}  // namespace
}  // namespace weir::iceberg
