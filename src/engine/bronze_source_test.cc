#include "engine/bronze_source.h"

#include <list>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/table_columns.h"
#include "engine/produced_tables.h"
#include "io/store.h"
#include "parquet/data_file_writer.h"

namespace weir::engine {
namespace {

using ::testing::ElementsAre;

struct Raw {
  std::int32_t partition;
  std::int64_t offset;
  Micros ingestion_time = 1;
  std::optional<Micros> floor = {};
};

// A bronze table in memory.
class BronzeSourceTest : public ::testing::Test {
 protected:
  BronzeSourceTest() {
    schema_ = config::TableColumns(Contract(), config::TableFrom::kSource, false);
    AssignFieldIds(schema_);
  }

  void Write(const std::string& path, const std::vector<std::vector<Raw>>& row_groups,
             const std::string& topic = "t") {
    auto out = store_->Create(path);
    auto writer = parquet::DataFileWriter::Create(schema_, {}, *std::move(out));
    for (const auto& rows : row_groups) {
      Batch batch(std::make_shared<const Schema>(schema_));
      for (const Raw& row : rows) {
        values_.push_back(std::to_string(row.partition) + "/" + std::to_string(row.offset));
        LogRecord record;
        record.partition = Partition(row.partition);
        record.offset = Offset(row.offset);
        record.value = values_.back();
        std::map<std::pair<Partition, Offset>, Micros> floors;
        if (row.floor) floors[{record.partition, record.offset}] = *row.floor;
        AppendBronzeRows({&record, 1}, topic, row.ingestion_time, floors, batch);
      }
      std::vector<const Column*> columns;
      for (const Column& column : batch.columns) columns.push_back(&column);
      ASSERT_TRUE((*writer)->WriteRowGroup(columns, batch.rows()));
    }
    auto file = (*writer)->Finish();
    ASSERT_TRUE(file);
    file->path = path;
    auto scanned = ScanBronzeFile(*file, schema_, "t", open_);
    ASSERT_TRUE(scanned) << scanned.error().ToString();
    files_.push_back(*scanned);
  }

  std::unique_ptr<connect::LogSource> Open(const OffsetMap& ends,
                                           std::size_t merge_bytes = 1 << 20) {
    BronzeLog log{.topic = {.topic = "t", .cluster_id = {}, .topic_id = {}, .partitions = {}},
                  .schema = schema_,
                  .files = files_,
                  .merge_bytes = merge_bytes};
    for (const auto& [partition, end] : ends) log.topic.partitions[partition] = {Offset(0), end};
    auto source = OpenBronze(std::move(log), open_);
    EXPECT_TRUE(source) << source.error().ToString();
    return *std::move(source);
  }

  // All values, a batch a text; "!" for one that failed.
  static std::vector<std::string> Drain(connect::LogSource& source, std::size_t most = 100) {
    std::vector<std::string> batches;
    for (;;) {
      auto batch = source.Poll(0, most);
      if (!batch) batches.push_back("!" + batch.error().message);
      if (!batch || batch->empty()) return batches;
      std::string text;
      for (const LogRecord& record : batch->records)
        text += (text.empty() ? "" : " ") + std::string(*record.value);
      text += " @" + std::to_string(batch->ingestion_time.value());
      for (const RecordFloor& floor : batch->floors)
        text +=
            " floor " + std::to_string(floor.offset.value()) + "=" + std::to_string(floor.floor);
      batches.push_back(std::move(text));
    }
  }

  std::unique_ptr<io::Store> store_ = io::NewMemoryStore();
  Schema schema_;
  std::vector<BronzeFile> files_;
  std::list<std::string> values_;
  BronzeOpener open_ = [this](const std::string& path) {
    return parquet::DataFileReader::Open(*store_, path);
  };
};

TEST_F(BronzeSourceTest, ABatchIsOfOneIngestionTimeAndBringsItsFloors) {
  Write("a", {{{0, 0, 5}, {1, 0, 5}, {0, 1, 6, 99}}, {{0, 2, 6}}});
  auto source = Open({{Partition(0), Offset(3)}, {Partition(1), Offset(1)}});
  ASSERT_TRUE(source->Assign({{Partition(0), Offset(0)}, {Partition(1), Offset(0)}}));
  EXPECT_THAT(Drain(*source), ElementsAre("0/0 1/0 @5", "0/1 @6 floor 1=99", "0/2 @6"));
  EXPECT_THAT(source->AtEnd(), ElementsAre(Partition(0), Partition(1)));
}

TEST_F(BronzeSourceTest, FilesComeInTheOrderOfTheirOffsets) {
  Write("z", {{{0, 0, 1}, {0, 1, 1}}});
  Write("a", {{{0, 2, 2}, {0, 4, 2}}});
  auto source = Open({{Partition(0), Offset(5)}});
  ASSERT_TRUE(source->Assign({{Partition(0), Offset(0)}}));
  EXPECT_THAT(Drain(*source), ElementsAre("0/0 0/1 @1", "0/2 0/4 @2"));
}

TEST_F(BronzeSourceTest, ItGoesOnFromAnyOffsetAndStopsAtTheEnd) {
  Write("a", {{{0, 0}, {0, 1}, {1, 0}, {1, 1}}});
  Write("b", {{{0, 2}, {0, 3}, {1, 2}}});
  auto source = Open({{Partition(0), Offset(3)}, {Partition(1), Offset(2)}});
  ASSERT_TRUE(source->Assign({{Partition(0), Offset(1)}, {Partition(1), Offset(2)}}));
  EXPECT_THAT(Drain(*source, 1), ElementsAre("0/1 @1", "0/2 @1"));
  EXPECT_THAT(source->Positions(),
              ElementsAre(std::pair(Partition(0), Offset(3)), std::pair(Partition(1), Offset(2))));
}

TEST_F(BronzeSourceTest, FilesThatOverlapAreMergedAndARecordIsReadOnce) {
  Write("a", {{{0, 0}, {0, 2}, {0, 4}}});
  Write("b", {{{0, 1}, {0, 2}, {0, 3}}});
  Write("c", {{{0, 5}}});
  auto source = Open({{Partition(0), Offset(6)}});
  ASSERT_TRUE(source->Assign({{Partition(0), Offset(0)}}));
  EXPECT_THAT(Drain(*source), ElementsAre("0/0 0/1 0/2 0/3 0/4 @1", "0/5 @1"));
}

TEST_F(BronzeSourceTest, AFileThatWasSortedOtherwiseIsPutInOrder) {
  Write("a", {{{0, 2}, {1, 0}}, {{0, 0}, {0, 1}}});
  auto source = Open({{Partition(0), Offset(3)}, {Partition(1), Offset(1)}});
  ASSERT_TRUE(source->Assign({{Partition(0), Offset(0)}, {Partition(1), Offset(0)}}));
  EXPECT_THAT(Drain(*source), ElementsAre("0/0 0/1 0/2 1/0 @1"));
}

TEST_F(BronzeSourceTest, WhatIsTooLargeToMergeIsRefusedWithTheWaysOn) {
  Write("a", {{{0, 2}, {0, 0}}});
  auto source = Open({{Partition(0), Offset(3)}}, 1);
  ASSERT_TRUE(source->Assign({{Partition(0), Offset(0)}}));
  auto batch = source->Poll(0, 10);
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(batch.error().remedy, ::testing::HasSubstr("--from source"));
}

TEST_F(BronzeSourceTest, RecordsOfOtherTopicsInTheTableAreNotOurs) {
  Write("a", {{{0, 0}}});
  Write("b", {{{0, 0}}}, "other");
  auto source = Open({{Partition(0), Offset(1)}});
  ASSERT_TRUE(source->Assign({{Partition(0), Offset(0)}}));
  EXPECT_THAT(Drain(*source), ElementsAre("0/0 @1"));
}

TEST(BronzeOrder, FilesThatWouldEachHaveToComeFirstAreReadAsOne) {
  const Partition a(0);
  const Partition b(1);
  auto range = [](std::int64_t first, std::int64_t last) {
    return BronzeRange{Offset(first), Offset(last), last - first + 1};
  };
  std::vector<BronzeFile> files(3);
  files[0].ranges = {{a, range(0, 4)}, {b, range(5, 9)}};
  files[1].ranges = {{a, range(5, 9)}, {b, range(0, 4)}};
  files[2].ranges = {{a, range(10, 19)}};
  const auto groups = OrderBronze(files);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_THAT(groups[0].files, ElementsAre(0, 1));
  EXPECT_THAT(groups[1].files, ElementsAre(2));
}

TEST(BronzeOrder, OfFilesThatCouldComeNextTheOldestDoes) {
  std::vector<BronzeFile> files(4);
  for (int i = 0; i < 4; ++i) {
    files[static_cast<std::size_t>(i)].ranges[Partition(i % 2)] = {Offset(i), Offset(i), 1};
    files[static_cast<std::size_t>(i)].oldest = i < 2 ? 10 + i : 20 - i;
  }
  std::vector<std::size_t> order;
  for (const BronzeGroup& group : OrderBronze(files)) order.push_back(group.files.front());
  EXPECT_THAT(order, ElementsAre(0, 1, 3, 2));
}

}  // namespace
}  // namespace weir::engine
