#include "iceberg/cleanup.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "iceberg/append.h"
#include "iceberg/manifest_list.h"
#include "iceberg/manifest_reader.h"
#include "iceberg/manifest_writer.h"
#include "iceberg/table.h"
#include "iceberg/test_table.h"
#include "io/faulty_store.h"

namespace weir::iceberg {
namespace {

using connect::ExpiryPolicy;
using test::TestTable;

// Ten snapshots at most, files of expired ones at once.
ExpiryPolicy Short() {
  return {.max_age = 0, .keep_at_least = 10, .keep_at_most = 10, .reader_grace = 0};
}

// Every file that the current metadata leads to is there; returns how many there are.
std::size_t CheckReachable(TestTable& lake) {
  const MetadataPtr metadata = lake.Current();
  Files files(lake.warehouse());
  std::set<std::string> reachable{metadata->file};
  for (const PreviousMetadata& previous : metadata->previous) reachable.insert(previous.location);
  for (const auto& stored : metadata->snapshots) {
    const Snapshot& snapshot = stored->snapshot;
    reachable.insert(snapshot.manifest_list);
    for (const ManifestFile& manifest :
         Must(ReadManifestList(Must(files.Get(snapshot.manifest_list)), "list"))) {
      reachable.insert(manifest.path);
    }
  }
  for (const std::string& location : reachable) Must(files.Get(location));
  return reachable.size();
}

std::size_t CountOf(TestTable& lake) {
  const auto files = lake.Files("");
  return static_cast<std::size_t>(std::ranges::count_if(
      files, [](const std::string& key) { return !key.ends_with("version-hint.text"); }));
}

TEST(CleanupTest, TwoThousandCommitsStayFlat) {
  TestTable lake;
  auto table = lake.Open();
  std::size_t metadata_bytes = 0;
  std::size_t manifests = 0;
  std::size_t files = 0;
  for (int i = 1; i <= 2'000; ++i) {
    ASSERT_EQ(lake.Append(*table, i, Short()), connect::CommitOutcome::kCommitted);
    Must(table->CleanUp());
    if (i % 100 != 0) continue;
    const MetadataPtr metadata = lake.Current();
    Files reader(lake.warehouse());
    metadata_bytes = std::max(metadata_bytes, static_cast<std::size_t>(metadata->file_size));
    manifests = std::max(
        manifests,
        Must(ReadManifestList(Must(reader.Get(metadata->head()->manifest_list)), "")).size());
    files = std::max(files, CountOf(lake));
    EXPECT_EQ(metadata->snapshots.size(), 10U);
    EXPECT_EQ(metadata->previous.size(), 20U);
  }
  EXPECT_LT(metadata_bytes, 20'000U);
  EXPECT_LT(manifests, 100U);
  EXPECT_LT(files, 250U);
  // What lies there is what the metadata leads to, and nothing else.
  EXPECT_EQ(CountOf(lake), CheckReachable(lake));
  const auto version = Must(lake.Open()->Load());
  EXPECT_EQ(version->total_records, 20'000);
  EXPECT_EQ(Must(lake.Open()->LiveFiles(*version)).size(), 2'000U);
}

TEST(CleanupTest, ReadersOnAnOldSnapshotHaveTheirGrace) {
  TestTable lake;
  auto table = lake.Open();
  ExpiryPolicy policy = Short();
  policy.keep_at_least = policy.keep_at_most = 1;
  policy.reader_grace = 60 * kMicrosPerSecond;
  lake.Append(*table, 1, policy);
  const std::string list = lake.Current()->head()->manifest_list;
  Files files(lake.warehouse());
  for (int i = 2; i <= 60; ++i) {
    lake.Append(*table, i, policy);
    Must(table->CleanUp());
    ASSERT_TRUE(files.Get(list)) << i;
  }
  lake.Append(*table, 61, policy);
  lake.Append(*table, 62, policy);
  Must(table->CleanUp());
  EXPECT_FALSE(files.Get(list));
  CheckReachable(lake);
}

TEST(CleanupTest, TagsOfOthersKeepTheirFiles) {
  TestTable lake;
  auto table = lake.Open();
  for (int i = 1; i <= 3; ++i) lake.Append(*table, i, Short());
  const Snapshot tagged = *lake.Current()->head();
  lake.Foreign([&](Json& document) {
    document["refs"]["audit"] = {{"snapshot-id", tagged.id}, {"type", "tag"}};
  });
  for (int i = 4; i <= 200; ++i) {
    lake.Append(*table, i, Short());
    Must(table->CleanUp());
  }
  ASSERT_NE(lake.Current()->FindSnapshot(tagged.id), nullptr);
  CheckReachable(lake);
  EXPECT_EQ(CountOf(lake), CheckReachable(lake));
}

TEST(CleanupTest, ANewProcessRemovesWhatTheOldOneDidNotGetTo) {
  TestTable lake;
  {
    auto table = lake.Open();
    for (int i = 1; i <= 60; ++i) lake.Append(*table, i, Short());  // never cleans up
  }
  auto table = lake.Open();
  lake.Append(*table, 61, Short());
  lake.clock().SetWall(lake.clock().Now() + 146'000 * kMicrosPerDay);  // past any grace
  Must(table->CleanUp());
  // Metadata files of a folder catalog carry no mark of ours: those that no log names any more
  // stay.
  EXPECT_EQ(CountOf(lake), CheckReachable(lake) + 21);
}

TEST(CleanupTest, LeftoversOfUnfinishedTriesAreSwept) {
  TestTable lake;
  auto table = lake.Open();
  lake.Append(*table, 1, Short());
  const Attempt dead = NewAttempt(2);
  const Attempt alive = NewAttempt(9);
  const std::string folder = TestTable::kFolder;
  for (const std::string& name : {ManifestName(dead, 0), ManifestListName(dead, 77),
                                  ManifestName(alive, 0), std::string("foreign-m0.avro")}) {
    Must(lake.store().PutIfAbsent(folder + name, "x"));
  }
  lake.Append(*table, 2, Short());
  lake.clock().SetWall(lake.clock().Now() + 146'000 * kMicrosPerDay);  // past any grace
  Must(table->CleanUp());
  EXPECT_FALSE(lake.store().Get(folder + ManifestName(dead, 0)));
  EXPECT_FALSE(lake.store().Get(folder + ManifestListName(dead, 77)));
  // A try for a version that is still to come may land; what others made is theirs.
  EXPECT_TRUE(lake.store().Get(folder + ManifestName(alive, 0)));
  EXPECT_TRUE(lake.store().Get(folder + "foreign-m0.avro"));
  CheckReachable(lake);
}

TEST(CleanupTest, NothingGoesWithoutGarbageCollection) {
  TestTable lake;
  lake.Foreign([](Json& document) { document["properties"]["gc.enabled"] = "false"; });
  auto table = lake.Open();
  for (int i = 1; i <= 30; ++i) {
    lake.Append(*table, i, Short());
    Must(table->CleanUp());
  }
  EXPECT_EQ(lake.Current()->snapshots.size(), 30U);
  CheckReachable(lake);
}

TEST(CleanupTest, OldMetadataFilesStayWhereTheTableSaysSo) {
  TestTable lake;
  lake.Foreign([](Json& document) {
    document["properties"]["write.metadata.delete-after-commit.enabled"] = "false";
  });
  auto table = lake.Open();
  for (int i = 1; i <= 40; ++i) {
    lake.Append(*table, i, Short());
    Must(table->CleanUp());
  }
  EXPECT_EQ(lake.Files(".metadata.json").size(), 42U);
}

// Another tool replaces all data files by one, as a compaction does.
void Compact(TestTable& lake, const std::string& new_file) {
  const MetadataPtr base = lake.Current();
  Files files(lake.warehouse());
  const connect::PartitionSpec& spec = *base->FindSpec(0);
  const PartitionType type = Must(PartitionTypeOf(*base, spec));
  const Attempt attempt = NewAttempt(99);
  Snapshot snapshot;
  snapshot.id = 555;
  snapshot.parent_id = base->head()->id;
  snapshot.sequence = base->last_sequence + 1;
  snapshot.timestamp_ms = base->last_updated_ms + 1;
  snapshot.summary["operation"] = "replace";
  snapshot.manifest_list = "file:///lake/retail/events/metadata/foreign-list.avro";
  ManifestWriter writer(*base, spec, type);
  for (const ManifestFile& manifest :
       Must(ReadManifestList(Must(files.Get(base->head()->manifest_list)), ""))) {
    for (ManifestEntry& entry :
         Must(ReadManifestFile(Must(files.Get(manifest.path)), manifest, type)).entries) {
      entry.status = EntryStatus::kDeleted;
      entry.snapshot_id = snapshot.id;
      writer.Add(entry);
    }
  }
  writer.Add(EntryOf(TestTable::File(new_file), base->location));
  WrittenManifest manifest = writer.Finish(snapshot.id, snapshot.sequence);
  manifest.file.path = "file:///lake/retail/events/metadata/foreign-m0.avro";
  const std::string list = WriteManifestList(
      {.snapshot_id = snapshot.id, .parent_id = snapshot.parent_id, .sequence = snapshot.sequence},
      {manifest.file});
  const std::vector<NewFile> written = {{manifest.file.path, manifest.bytes},
                                        {snapshot.manifest_list, list}};
  Must(files.PutNew(written));

  lake.Foreign([&](Json& document) {
    document["snapshots"].push_back(SnapshotToJson(snapshot));
    document["current-snapshot-id"] = snapshot.id;
    document["refs"]["main"]["snapshot-id"] = snapshot.id;
    document["last-sequence-number"] = snapshot.sequence;
    document["last-updated-ms"] = snapshot.timestamp_ms;
  });
}

TEST(CleanupTest, DataFilesGoOnlyWhenOthersReplacedThemAndNobodyShowsThem) {
  TestTable lake;
  auto table = lake.Open();
  for (int i = 1; i <= 3; ++i) {
    Must(lake.store().PutIfAbsent("retail/events/data/f" + std::to_string(i) + ".parquet", "x"));
    lake.Append(*table, i, Short());
  }
  const std::int64_t second = *lake.Current()->head()->parent_id;
  lake.Foreign([&](Json& document) {
    document["refs"]["audit"] = {{"snapshot-id", second}, {"type", "tag"}};
  });
  Must(lake.store().PutIfAbsent("retail/events/data/joined.parquet", "x"));
  Compact(lake, "joined");
  for (int i = 4; i <= 30; ++i) {
    lake.Append(*table, i, Short());
    Must(table->CleanUp());
  }
  EXPECT_TRUE(lake.store().Get("retail/events/data/f1.parquet"));  // the tag shows it
  EXPECT_TRUE(lake.store().Get("retail/events/data/f2.parquet"));
  EXPECT_FALSE(lake.store().Get("retail/events/data/f3.parquet"));
  EXPECT_TRUE(lake.store().Get("retail/events/data/joined.parquet"));
  CheckReachable(lake);
}

TEST(CleanupTest, WhatARollbackCutOffStays) {
  TestTable lake;
  auto table = lake.Open();
  for (int i = 1; i <= 4; ++i) lake.Append(*table, i, Short());
  const Snapshot cut = *lake.Current()->head();
  lake.RollBackTo(*lake.Current()->FindSnapshot(*cut.parent_id)->parent_id);
  Must(table->AcceptRollback(*Must(table->Load())));
  for (int i = 5; i <= 60; ++i) {
    lake.Append(*table, i, Short());
    Must(table->CleanUp());
  }
  ASSERT_NE(lake.Current()->FindSnapshot(cut.id), nullptr);
  CheckReachable(lake);  // an operator can still set main to it
}

TEST(CleanupTest, AFailingStoreIsTriedAgain) {
  const auto memory = io::NewMemoryStore();
  const auto faulty = std::make_shared<io::FaultyStore>(*memory, 7);
  TestTable lake(faulty);
  auto table = lake.Open();
  for (int i = 1; i <= 40; ++i) {
    lake.Append(*table, i, Short());
    faulty->SetProbability(io::StoreFault::kUnavailable, i % 3 == 0 ? 0.5 : 0.0);
    const Status ignored = table->CleanUp();
    faulty->SetProbability(io::StoreFault::kUnavailable, 0);
    CheckReachable(lake);
    (void)ignored.ok();
  }
  Must(table->CleanUp());
  EXPECT_EQ(CountOf(lake), CheckReachable(lake));
}

}  // namespace
}  // namespace weir::iceberg
