#include "iceberg/progress.h"

#include <gtest/gtest.h>

namespace weir::iceberg {
namespace {

using connect::Lineage;
using connect::Progress;

Progress At(std::int64_t snapshot, std::int64_t sequence, std::int64_t epoch = 5) {
  Progress progress;
  progress.snapshot_id = snapshot;
  progress.sequence = sequence;
  progress.total_records = 100;
  progress.partitions["t/0"] = {{1, epoch}, Offset(100 * epoch)};
  return progress;
}

// A chain of snapshots from sequence `first` on; ids are 10 times the sequence.
MetadataPtr ChainOf(int first, int last, const std::string& extra_summary = "") {
  std::string snapshots;
  for (int i = first; i <= last; ++i) {
    snapshots += std::string(snapshots.empty() ? "" : ",") + R"({"snapshot-id":)" +
                 std::to_string(10 * i) +
                 (i > 1 ? R"(,"parent-snapshot-id":)" + std::to_string(10 * (i - 1)) : "") +
                 R"(,"sequence-number":)" + std::to_string(i) + R"(,"timestamp-ms":)" +
                 std::to_string(1000 * i) + R"(,"manifest-list":"l)" + std::to_string(i) +
                 R"(","summary":{"operation":"append","total-records":")" + std::to_string(20 * i) +
                 "\"" + extra_summary + "}}";
  }
  const std::string current = first <= last ? std::to_string(10 * last) : "-1";
  const std::string text = R"({"format-version":2,"table-uuid":"u","location":"/t",
    "last-updated-ms":0,"current-schema-id":0,"schemas":[{"schema-id":0,"type":"struct",
    "fields":[]}],"default-spec-id":0,"partition-specs":[{"spec-id":0,"fields":[]}],
    "current-snapshot-id":)" +
                           current + R"(,"snapshots":[)" + snapshots + "]}";
  auto metadata = ParseMetadata(text, "f");
  EXPECT_TRUE(metadata) << metadata.error().message;
  return *metadata;
}

Lineage Of(const MetadataPtr& metadata, const Progress& progress) {
  return LineageOf(*metadata, "shop", progress);
}

TEST(ProgressTest, TextComesBack) {
  const Progress progress = At(7, 3);
  const std::string text = ProgressToText(progress);
  EXPECT_EQ(text, R"({"snapshot":7,"sequence":3,"total_records":100,)"
                  R"("partitions":{"t/0":[1,5,500]}})");
  const auto back = ProgressFromText(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->partitions, progress.partitions);
  EXPECT_EQ(back->snapshot_id, 7);
}

TEST(ProgressTest, DamagedTextIsNamed) {
  for (const char* text :
       {"", "[]", "{}", R"({"snapshot":1,"sequence":1,"total_records":1})",
        R"({"snapshot":1,"sequence":1,"total_records":1,"partitions":{"a":[1]}})",
        R"({"snapshot":"x","sequence":1,"total_records":1,"partitions":{}})"}) {
    const auto progress = ProgressFromText(text);
    ASSERT_FALSE(progress) << text;
    EXPECT_EQ(progress.error().code, ErrorCode::kMetadataCorrupt);
  }
}

TEST(LineageTest, HeadAndAncestorsAreIntact) {
  EXPECT_EQ(Of(ChainOf(1, 5), At(50, 5)), Lineage::kIntact);
  EXPECT_EQ(Of(ChainOf(1, 5), At(30, 3)), Lineage::kIntact);
  EXPECT_EQ(Of(ChainOf(1, 5), At(10, 1)), Lineage::kIntact);
}

TEST(LineageTest, AnOlderHeadIsRolledBack) {
  EXPECT_EQ(Of(ChainOf(1, 4), At(50, 5)), Lineage::kRolledBack);
  EXPECT_EQ(Of(ChainOf(1, 0), At(50, 5)), Lineage::kRolledBack);  // no snapshot at all
}

TEST(LineageTest, AnotherBranchIsRolledBack) {
  // Snapshot 51 of sequence 5 was rolled away; 60 was put on 40 instead.
  EXPECT_EQ(Of(ChainOf(1, 6), At(51, 5)), Lineage::kRolledBack);
  EXPECT_EQ(Of(ChainOf(4, 6), At(51, 5)), Lineage::kRolledBack);
}

TEST(LineageTest, AChainCutByExpiryIsAccepted) {
  EXPECT_EQ(Of(ChainOf(6, 9), At(50, 5)), Lineage::kExpired);
}

TEST(LineageTest, ACutChainWithFewerRecordsIsNot) {
  Progress progress = At(50, 5);
  progress.total_records = 1'000;
  EXPECT_EQ(Of(ChainOf(6, 9), progress), Lineage::kRolledBack);
}

TEST(LineageTest, ACutChainThatShowsOlderProgressIsNot) {
  const std::string older =
      R"(,"weir.progress.shop":"{\"snapshot\":1,\"sequence\":1,\"total_records\":1,)"
      R"(\"partitions\":{\"t/0\":[1,4,400]}}")";
  EXPECT_EQ(Of(ChainOf(6, 9, older), At(50, 5)), Lineage::kRolledBack);
  EXPECT_EQ(Of(ChainOf(6, 9, older), At(50, 5, 4)), Lineage::kExpired);
}

TEST(LineageTest, ARingOfParentsEnds) {
  const std::string text = R"({"format-version":2,"table-uuid":"u","location":"/t",
    "last-updated-ms":0,"current-schema-id":0,"schemas":[{"schema-id":0,"type":"struct",
    "fields":[]}],"default-spec-id":0,"partition-specs":[{"spec-id":0,"fields":[]}],
    "current-snapshot-id":1,"snapshots":[
    {"snapshot-id":1,"parent-snapshot-id":2,"sequence-number":9,"timestamp-ms":1},
    {"snapshot-id":2,"parent-snapshot-id":1,"sequence-number":9,"timestamp-ms":1}]})";
  const auto metadata = ParseMetadata(text, "f");
  ASSERT_TRUE(metadata);
  EXPECT_EQ(Of(*metadata, At(50, 5)), Lineage::kExpired);
}

}  // namespace
}  // namespace weir::iceberg
