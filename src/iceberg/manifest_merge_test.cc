#include "iceberg/manifest_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "iceberg/manifest_list.h"
#include "iceberg/manifest_reader.h"
#include "iceberg/test_table.h"

namespace weir::iceberg {
namespace {

using test::TestTable;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

ManifestFile Small(int number, std::int64_t files = 1, int spec = 0) {
  ManifestFile file;
  file.path = "m" + std::to_string(number);
  file.length = 1'000;
  file.spec_id = spec;
  file.added_files = files;
  file.existing_files = 0;
  file.deleted_files = 0;
  return file;
}

std::vector<ManifestFile> Many(int count, std::int64_t files = 1) {
  std::vector<ManifestFile> out;
  out.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) out.push_back(Small(i, files));
  return out;
}

constexpr MergeSettings kNine = {.min_count = 9};  // three of a size

TEST(PlanMergeTest, WaitsUntilEnoughOfOneSizeAreThere) {
  EXPECT_THAT(PlanMerge(Many(2), kNine, {}), IsEmpty());
  EXPECT_THAT(PlanMerge(Many(3), kNine, {}), ElementsAre(0, 1, 2));
}

TEST(PlanMergeTest, OneSizeAtATime) {
  std::vector<ManifestFile> list = Many(2);
  for (int i = 2; i < 5; ++i) list.push_back(Small(i, 4));
  EXPECT_THAT(PlanMerge(list, kNine, {}), ElementsAre(2, 3, 4));
  list.push_back(Small(9));
  EXPECT_THAT(PlanMerge(list, kNine, {}), ElementsAre(0, 1, 5));
}

TEST(PlanMergeTest, SpecsAndDeletesStayApart) {
  std::vector<ManifestFile> list = {Small(0), Small(1), Small(2, 1, 7)};
  EXPECT_THAT(PlanMerge(list, kNine, {}), IsEmpty());
  list.push_back(Small(3));
  list.back().content = ManifestContent::kDeletes;
  EXPECT_THAT(PlanMerge(list, kNine, {}), IsEmpty());
}

TEST(PlanMergeTest, LargeUnknownAndExcludedOnesAreLeftAlone) {
  std::vector<ManifestFile> list = Many(3);
  EXPECT_THAT(PlanMerge(list, kNine, {"m1"}), IsEmpty());
  list[1].added_files.reset();
  EXPECT_THAT(PlanMerge(list, kNine, {}), IsEmpty());
  list = Many(3);
  list[2].length = std::int64_t{8} << 20;
  EXPECT_THAT(PlanMerge(list, kNine, {}), IsEmpty());
  list = Many(3);
  list[0].key_metadata = "k";
  EXPECT_THAT(PlanMerge(list, kNine, {}), IsEmpty());
}

TEST(PlanMergeTest, TheTargetSizeBoundsTheResult) {
  MergeSettings settings = kNine;
  settings.target_bytes = 2'500;
  EXPECT_THAT(PlanMerge(Many(5), settings, {}), ElementsAre(0, 1));
}

TEST(PlanMergeTest, CanBeSwitchedOff) {
  MergeSettings settings = kNine;
  settings.enabled = false;
  EXPECT_THAT(PlanMerge(Many(50), settings, {}), IsEmpty());
}

TEST(PlanMergeTest, AListNeverGrowsBeyondTheCount) {
  // A million commits of one file each, by sizes alone.
  const MergeSettings settings;
  std::vector<ManifestFile> list;
  std::size_t most = 0;
  for (int i = 0; i < 20'000; ++i) {
    list.insert(list.begin(), Small(i));
    most = std::max(most, list.size());
    const auto chosen = PlanMerge(list, settings, {});
    if (chosen.empty()) continue;
    std::int64_t files = 0;
    for (std::size_t at = chosen.size(); at-- > 0;) {
      files += *list[chosen[at]].added_files;
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(chosen[at]));
    }
    list.push_back(Small(i + 1'000'000, files));
  }
  EXPECT_LE(most, 100U);
}

TEST(MergeTest, LiveEntriesBecomeExistingAndKeepTheirNumbers) {
  TestTable lake;
  lake.Foreign(
      [](Json& document) { document["properties"]["commit.manifest.min-count-to-merge"] = "9"; });
  const auto table = lake.Open();
  for (int i = 1; i <= 4; ++i) lake.Append(*table, i);
  const MetadataPtr metadata = lake.Current();
  Files files(lake.warehouse());
  const auto list = Must(ReadManifestList(Must(files.Get(metadata->head()->manifest_list)), ""));
  ASSERT_THAT(list, SizeIs(2));  // the fourth commit's own, and three joined
  const ManifestFile& merged = list[1];
  EXPECT_EQ(merged.existing_files, 3);
  EXPECT_EQ(merged.existing_rows, 30);
  EXPECT_EQ(merged.added_files, 0);
  EXPECT_EQ(merged.sequence, 4);
  EXPECT_EQ(merged.min_sequence, 1);
  const PartitionType type = Must(PartitionTypeOf(*metadata, *metadata->FindSpec(0)));
  const auto entries = Must(ReadManifestFile(Must(files.Get(merged.path)), merged, type)).entries;
  ASSERT_THAT(entries, SizeIs(3));
  std::vector<std::int64_t> sequences;
  for (const ManifestEntry& entry : entries) {
    EXPECT_EQ(entry.status, EntryStatus::kExisting);
    EXPECT_NE(entry.snapshot_id, metadata->head()->id);
    EXPECT_EQ(entry.file_sequence, entry.sequence);
    sequences.push_back(*entry.sequence);
  }
  EXPECT_THAT(sequences, testing::UnorderedElementsAre(1, 2, 3));
  const auto& summary = metadata->head()->summary;
  EXPECT_EQ(summary.at("manifests-created"), "2");
  EXPECT_EQ(summary.at("manifests-replaced"), "3");
  EXPECT_EQ(summary.at("manifests-kept"), "0");
}

TEST(MergeTest, AMissingManifestDoesNotStopTheCommit) {
  TestTable lake;
  lake.Foreign(
      [](Json& document) { document["properties"]["commit.manifest.min-count-to-merge"] = "6"; });
  const auto table = lake.Open();
  lake.Append(*table, 1);
  const auto manifests = lake.Files("-m0.avro");
  lake.Append(*table, 2);
  Must(lake.store().Delete(manifests[0]));
  const auto other = lake.Open();  // one that has not seen it yet
  EXPECT_EQ(lake.Append(*other, 3), connect::CommitOutcome::kCommitted);
  EXPECT_EQ(Must(other->Load())->total_records, 30);
}

}  // namespace
}  // namespace weir::iceberg
