#include "parquet/table_writer.h"

#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/time.h"
#include "connect/partition_path.h"
#include "io/faulty_store.h"
#include "parquet/test_files.h"

namespace weir::parquet {
namespace {

using connect::Transform;
using test::FieldOf;
using test::ReadRows;
using testing::ElementsAre;

Schema Events() {
  Schema schema{
      .fields = {FieldOf("id", Type::Of(TypeKind::kLong)),
                 FieldOf("at", Type::Of(TypeKind::kTimestamp)),
                 FieldOf("kind", Type::Of(TypeKind::kString)),
                 FieldOf("place", Type::Struct({FieldOf("city", Type::Of(TypeKind::kString))}))}};
  AssignFieldIds(schema);
  return schema;
}

Schema WithoutIds(Schema schema) {
  for (Field& field : schema.fields) {
    field.id = 0;
    field.type.children = WithoutIds({.fields = field.type.children}).fields;
  }
  return schema;
}

void AppendEvent(Batch& batch, std::int64_t id, std::optional<Micros> at, std::string_view kind) {
  batch.columns[0].AppendLong(id);
  if (at) {
    batch.columns[1].AppendLong(*at);
  } else {
    batch.columns[1].AppendNull();
  }
  batch.columns[2].AppendString(kind);
  Column& place = batch.columns[3];
  place.children()[0].AppendString(id % 2 == 0 ? "Bonn" : "Oslo");
  place.AppendStruct();
  batch.records.push_back(static_cast<std::uint32_t>(batch.records.size()));
}

connect::PartitionField ByDay() {
  return {.source_id = 2, .field_id = 1000, .name = "at_day", .transform = Transform::kDay};
}
connect::PartitionField ByKind() {
  return {.source_id = 3, .field_id = 1001, .name = "kind", .transform = Transform::kIdentity};
}

class TableWriterTest : public testing::Test {
 protected:
  TableWriterTest() : store_(io::NewMemoryStore()) {
    layout_.schema = Events();
    layout_.settings.compression = "none";
  }

  std::unique_ptr<TableWriter> NewWriter() {
    auto writer = TableWriter::Create(
        layout_, WithoutIds(Events()), *store_,
        [this](const connect::PartitionTuple& partition) { return NameFile(partition); });
    EXPECT_TRUE(writer) << writer.error().ToString();
    return *std::move(writer);
  }

  Result<std::string> NameFile(const connect::PartitionTuple& partition) {
    std::string path = connect::PartitionPath(layout_.schema, layout_.spec, partition);
    path = "data/" + path + (path.empty() ? "" : "/") + std::to_string(named_.size()) + ".parquet";
    named_.push_back(path);
    return path;
  }

  Batch NewBatch() const { return Batch(std::make_shared<const Schema>(WithoutIds(Events()))); }

  // Rows of each file, read back.
  std::vector<std::string> Rows(const connect::DataFile& file) {
    return ReadRows(*store_->Get(file.path), layout_.schema);
  }

  TableLayout layout_;
  std::unique_ptr<io::Store> store_;
  std::vector<std::string> named_;
};

TEST_F(TableWriterTest, WritesOneFileOfAnUnpartitionedTable) {
  const auto writer = NewWriter();
  Batch batch = NewBatch();
  AppendEvent(batch, 1, 5, "buy");
  AppendEvent(batch, 2, std::nullopt, "look");
  AppendEvent(batch, 3, 7, "buy");
  const std::uint32_t chosen[] = {0, 2};
  ASSERT_TRUE(writer->Append(batch, chosen));
  EXPECT_EQ(writer->rows(), 2);
  const auto files = writer->Cut();
  ASSERT_TRUE(files) << files.error().ToString();
  ASSERT_EQ(files->size(), 1U);
  const connect::DataFile& file = files->front();
  EXPECT_EQ(file.path, named_[0]);
  EXPECT_EQ(file.record_count, 2);
  EXPECT_TRUE(file.partition.empty());
  EXPECT_EQ(file.sort_order_id, 0);
  EXPECT_THAT(Rows(file), ElementsAre("1 | 5 | '627579' | {'4f736c6f';} | ",
                                      "3 | 7 | '627579' | {'4f736c6f';} | "));
  EXPECT_EQ(writer->rows(), 0);
}

TEST_F(TableWriterTest, GivesNoFilesForAnEpochWithoutRows) {
  const auto writer = NewWriter();
  const auto files = writer->Cut();
  ASSERT_TRUE(files) << files.error().ToString();
  EXPECT_TRUE(files->empty());
  EXPECT_TRUE(named_.empty());
}

TEST_F(TableWriterTest, RoutesRowsByDayAndKind) {
  layout_.spec = {.spec_id = 3, .fields = {ByDay(), ByKind()}};
  const auto writer = NewWriter();
  Batch batch = NewBatch();
  AppendEvent(batch, 1, 0, "buy");
  AppendEvent(batch, 2, -1, "buy");
  AppendEvent(batch, 3, kMicrosPerDay - 1, "buy");
  AppendEvent(batch, 4, std::nullopt, "buy");
  AppendEvent(batch, 5, 1, "look");
  ASSERT_TRUE(writer->AppendAll(batch));
  const auto files = writer->Cut();
  ASSERT_TRUE(files) << files.error().ToString();
  std::map<std::string, std::vector<std::string>> rows;
  for (const connect::DataFile& file : *files) {
    EXPECT_EQ(file.spec_id, 3);
    EXPECT_EQ(file.partition.size(), 2U);
    for (const std::string& row : Rows(file)) {
      rows[connect::PartitionPath(layout_.schema, layout_.spec, file.partition)].push_back(
          row.substr(0, row.find(' ')));
    }
  }
  EXPECT_EQ(rows, (std::map<std::string, std::vector<std::string>>{
                      {"at_day=1969-12-31/kind=buy", {"2"}},
                      {"at_day=1970-01-01/kind=buy", {"1", "3"}},
                      {"at_day=1970-01-01/kind=look", {"5"}},
                      {"at_day=null/kind=buy", {"4"}}}));
}

TEST_F(TableWriterTest, RoutesByAFieldInsideAStruct) {
  layout_.spec = {.fields = {{.source_id = 5,
                              .field_id = 1000,
                              .name = "city",
                              .transform = Transform::kTruncate,
                              .width = 1}}};
  const auto writer = NewWriter();
  Batch batch = NewBatch();
  for (int id = 0; id < 4; ++id) AppendEvent(batch, id, 0, "buy");
  batch.columns[0].AppendLong(9);
  batch.columns[1].AppendNull();
  batch.columns[2].AppendNull();
  batch.columns[3].AppendNull();
  batch.records.push_back(4);
  ASSERT_TRUE(writer->AppendAll(batch));
  const auto files = writer->Cut();
  ASSERT_TRUE(files) << files.error().ToString();
  std::set<std::optional<std::string>> values;
  for (const connect::DataFile& file : *files) values.insert(file.partition[0].text);
  EXPECT_EQ(values, (std::set<std::optional<std::string>>{std::nullopt, "B", "O"}));
}

TEST_F(TableWriterTest, WritesSeveralRowGroupsIntoOneFile) {
  layout_.memory_bytes = 20'000;
  const auto writer = NewWriter();
  std::vector<std::string> expected;
  for (int i = 0; i < 20; ++i) {
    Batch batch = NewBatch();
    for (int j = 0; j < 100; ++j) AppendEvent(batch, i * 100 + j, i, "buy");
    for (std::string& row : test::RowTexts(batch)) expected.push_back(std::move(row));
    ASSERT_TRUE(writer->AppendAll(batch));
    EXPECT_LT(writer->buffered_bytes(), 40'000U);
  }
  const auto files = writer->Cut();
  ASSERT_TRUE(files) << files.error().ToString();
  ASSERT_EQ(files->size(), 1U);
  EXPECT_GT(files->front().split_offsets.size(), 2U);
  test::ExpectRows(Rows(files->front()), expected);
}

TEST_F(TableWriterTest, TakesABatchThatGathersRowsOnceItIsWorthARowGroup) {
  layout_.memory_bytes = 20'000;
  const auto writer = NewWriter();
  std::vector<std::string> expected;
  Batch batch = NewBatch();
  batch.columns[2].UseDictionary(std::make_shared<Dictionary>());
  std::size_t most = 0;
  for (int i = 0; i < 20; ++i) {
    Batch added = NewBatch();
    for (int j = 0; j < 100; ++j) {
      AppendEvent(batch, i * 100 + j, i, "buy");
      AppendEvent(added, i * 100 + j, i, "buy");
    }
    for (std::string& row : test::RowTexts(added)) expected.push_back(std::move(row));
    most = std::max(most, batch.rows());
    ASSERT_TRUE(writer->TakeIfFull(batch));
    EXPECT_NE(batch.columns[2].dictionary(), nullptr);
  }
  EXPECT_GT(most, 100U);
  EXPECT_LT(most, 1'000U);
  ASSERT_TRUE(writer->TakeAll(batch));
  const auto files = writer->Cut();
  ASSERT_TRUE(files) << files.error().ToString();
  ASSERT_EQ(files->size(), 1U);
  EXPECT_GT(files->front().split_offsets.size(), 2U);
  test::ExpectRows(Rows(files->front()), expected);
}

TEST_F(TableWriterTest, GivesMoreMemoryToRowsOfMorePartitions) {
  layout_.memory_bytes = 40'000;
  const auto most_buffered = [this] {
    const auto writer = NewWriter();
    std::size_t most = 0;
    for (int i = 0; i < 50; ++i) {
      Batch batch = NewBatch();
      for (int j = 0; j < 20; ++j) AppendEvent(batch, i, i, j % 2 == 0 ? "buy" : "look");
      EXPECT_TRUE(writer->AppendAll(batch));
      most = std::max(most, writer->buffered_bytes());
    }
    return most;
  };
  const std::size_t together = most_buffered();
  layout_.spec = {.fields = {ByKind()}};
  const std::size_t apart = most_buffered();
  layout_.spec = {};
  layout_.sort_order = {.order_id = 1, .fields = {{.source_id = 1}}};
  const std::size_t sorted = most_buffered();
  EXPECT_LE(together, 10'000U);
  EXPECT_GT(apart, 10'000U);
  EXPECT_LE(apart, 20'000U);
  EXPECT_GT(sorted, 20'000U);
  EXPECT_LE(sorted, 40'000U);
}

TEST_F(TableWriterTest, SplitsABufferIntoRowGroupsOfTheWantedSize) {
  layout_.settings.row_group_bytes = 5'000;
  const auto writer = NewWriter();
  Batch batch = NewBatch();
  for (int i = 0; i < 1000; ++i) AppendEvent(batch, i, i, "buy");
  ASSERT_TRUE(writer->AppendAll(batch));
  const auto files = writer->Cut();
  ASSERT_TRUE(files) << files.error().ToString();
  ASSERT_EQ(files->size(), 1U);
  EXPECT_GT(files->front().split_offsets.size(), 4U);
  test::ExpectRows(Rows(files->front()), test::RowTexts(batch));
}

TEST_F(TableWriterTest, StartsANewFileAtTheTargetSize) {
  layout_.memory_bytes = 10'000;
  layout_.settings.target_file_bytes = 30'000;
  const auto writer = NewWriter();
  for (int i = 0; i < 40; ++i) {
    Batch batch = NewBatch();
    for (int j = 0; j < 100; ++j) AppendEvent(batch, i * 1'000'003 + j * 7919, j * 7919, "buy");
    ASSERT_TRUE(writer->AppendAll(batch));
  }
  const auto files = writer->Cut();
  ASSERT_TRUE(files) << files.error().ToString();
  EXPECT_GT(files->size(), 1U);
  std::int64_t rows = 0;
  for (const connect::DataFile& file : *files) rows += file.record_count;
  EXPECT_EQ(rows, 4000);
}

TEST_F(TableWriterTest, NamesEachFileBeforeItExists) {
  layout_.spec = {.fields = {ByKind()}};
  std::vector<std::string> named;
  auto writer =
      TableWriter::Create(layout_, WithoutIds(Events()), *store_,
                          [&](const connect::PartitionTuple& partition) -> Result<std::string> {
                            named.push_back(*partition[0].text);
                            EXPECT_FALSE(store_->Head(named.back()));
                            return named.back();
                          });
  ASSERT_TRUE(writer);
  Batch batch = NewBatch();
  AppendEvent(batch, 1, 0, "b");
  AppendEvent(batch, 2, 0, "a");
  ASSERT_TRUE((*writer)->AppendAll(batch));
  ASSERT_TRUE((*writer)->Cut());
  EXPECT_THAT(named, ElementsAre("a", "b"));
}

TEST_F(TableWriterTest, KeepsManyPartitionsWithinTheLimitOfOpenFiles) {
  layout_.spec = {.fields = {ByDay(), ByKind()}};
  layout_.max_open_files = 8;
  layout_.memory_bytes = 60'000;
  const auto writer = NewWriter();
  std::vector<std::string> expected;
  Random random(5);
  const char* kinds[] = {"buy", "look", "search"};
  for (int i = 0; i < 30; ++i) {
    Batch batch = NewBatch();
    for (int j = 0; j < 100; ++j) {
      AppendEvent(batch, i * 100 + j, static_cast<Micros>(random.Below(50)) * kMicrosPerDay,
                  kinds[random.Below(3)]);
    }
    for (std::string& row : test::RowTexts(batch)) expected.push_back(std::move(row));
    ASSERT_TRUE(writer->AppendAll(batch));
  }
  const auto files = writer->Cut();
  ASSERT_TRUE(files) << files.error().ToString();
  EXPECT_GE(files->size(), 150U);
  EXPECT_EQ(files->size(), named_.size());
  std::vector<std::string> rows;
  for (const connect::DataFile& file : *files) {
    for (std::string& row : Rows(file)) rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end());
  std::sort(expected.begin(), expected.end());
  test::ExpectRows(rows, expected);
}

TEST_F(TableWriterTest, AbortLeavesNothingBehind) {
  layout_.memory_bytes = 1;  // every batch is written at once
  const auto writer = NewWriter();
  Batch batch = NewBatch();
  AppendEvent(batch, 1, 0, "buy");
  ASSERT_TRUE(writer->AppendAll(batch));
  ASSERT_EQ(named_.size(), 1U);
  writer->Abort();
  EXPECT_TRUE(store_->List("")->empty());
  ASSERT_TRUE(writer->AppendAll(batch));
  const auto files = writer->Cut();
  ASSERT_TRUE(files) << files.error().ToString();
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().record_count, 1);
}

TEST_F(TableWriterTest, SortsEveryRowGroup) {
  layout_.sort_order = {.order_id = 4,
                        .fields = {{.source_id = 3, .ascending = false, .nulls_first = false},
                                   {.source_id = 2, .nulls_first = true}}};
  const auto writer = NewWriter();
  Batch batch = NewBatch();
  AppendEvent(batch, 1, 5, "a");
  AppendEvent(batch, 2, -5, "b");
  AppendEvent(batch, 3, std::nullopt, "b");
  AppendEvent(batch, 4, 5, "a");
  AppendEvent(batch, 5, 4, "a");
  ASSERT_TRUE(writer->AppendAll(batch));
  const auto files = writer->Cut();
  ASSERT_TRUE(files) << files.error().ToString();
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().sort_order_id, 4);
  std::vector<std::string> ids;
  for (const std::string& row : Rows(files->front())) ids.push_back(row.substr(0, row.find(' ')));
  EXPECT_THAT(ids, ElementsAre("3", "2", "5", "1", "4"));
}

TEST_F(TableWriterTest, ClaimsNoOrderForAFileOfSeveralRowGroups) {
  layout_.memory_bytes = 1;
  layout_.sort_order = {.order_id = 4, .fields = {{.source_id = 1}}};
  const auto writer = NewWriter();
  for (const int id : {2, 1}) {
    Batch batch = NewBatch();
    AppendEvent(batch, id, 0, "a");
    ASSERT_TRUE(writer->AppendAll(batch));
  }
  const auto files = writer->Cut();
  ASSERT_TRUE(files) << files.error().ToString();
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().sort_order_id, 0);
}

TEST_F(TableWriterTest, PassesOnWhatTheStoreSays) {
  io::FaultyStore faulty(*store_, 1);
  faulty.Script(io::StoreFault::kDiskFull, io::StoreCall::kFinish, 1);
  auto writer = TableWriter::Create(
      layout_, WithoutIds(Events()), faulty,
      [](const connect::PartitionTuple&) -> Result<std::string> { return std::string("f"); });
  ASSERT_TRUE(writer);
  Batch batch = NewBatch();
  AppendEvent(batch, 1, 0, "buy");
  ASSERT_TRUE((*writer)->AppendAll(batch));
  const auto files = (*writer)->Cut();
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::kStorageFull);
}

TEST_F(TableWriterTest, PassesOnWhatTheNamerSays) {
  auto writer = TableWriter::Create(
      layout_, WithoutIds(Events()), *store_,
      [](const connect::PartitionTuple&) -> Result<std::string> { return Cancelled("stop"); });
  ASSERT_TRUE(writer);
  Batch batch = NewBatch();
  AppendEvent(batch, 1, 0, "buy");
  ASSERT_TRUE((*writer)->AppendAll(batch));
  const auto files = (*writer)->Cut();
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().kind, ErrorKind::kCancelled);
}

TEST_F(TableWriterTest, RefusesATransformThatDoesNotFit) {
  layout_.spec = {.fields = {{.source_id = 3, .name = "x", .transform = Transform::kDay}}};
  const auto writer = NewWriter();
  Batch batch = NewBatch();
  AppendEvent(batch, 1, 0, "buy");
  ASSERT_TRUE(writer->AppendAll(batch));
  const auto files = writer->Cut();
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::kTableUnsupported);
}

TEST(RowBuffer, NamesEveryColumnThatDoesNotFit) {
  Schema table = Events();
  Schema source = WithoutIds(Events());
  source.fields[0].type = Type::Of(TypeKind::kInt);
  source.fields.push_back(FieldOf("extra", Type::Of(TypeKind::kInt)));
  const auto buffer = RowBuffer::Create(table, source);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code, ErrorCode::kTableMismatch);
  EXPECT_THAT(buffer.error().message, testing::HasSubstr("id (long in the table, not int)"));
  EXPECT_THAT(buffer.error().message, testing::HasSubstr("extra (not in the table)"));
}

TEST(RowBuffer, FollowsTheTablesOrderAndLeavesOutWhatTheBatchLacks) {
  Schema source = WithoutIds(Events());
  std::swap(source.fields[0], source.fields[2]);
  source.fields.erase(source.fields.begin() + 1);
  const auto buffer = RowBuffer::Create(Events(), source);
  ASSERT_TRUE(buffer);
  std::vector<int> ids;
  for (const Field& field : buffer->schema()->fields) ids.push_back(field.id);
  EXPECT_THAT(ids, ElementsAre(1, 3, 4));
}

TEST(RowBuffer, SharesTheDictionariesOfTheFirstBatch) {
  const auto dictionary = std::make_shared<Dictionary>();
  Schema source{.fields = {FieldOf("kind", Type::Of(TypeKind::kString))}};
  auto buffer = RowBuffer::Create(
      {.fields = {FieldOf("kind", Type::Of(TypeKind::kString), false, 1)}}, source);
  ASSERT_TRUE(buffer);
  Batch batch(std::make_shared<const Schema>(source));
  batch.columns[0].UseDictionary(dictionary);
  batch.columns[0].AppendString("buy");
  batch.records = {0};
  buffer->AppendAll(batch);
  EXPECT_EQ(buffer->columns()[0].dictionary(), dictionary);
  // Another dictionary later on changes nothing of what is read.
  Batch other(std::make_shared<const Schema>(source));
  other.columns[0].UseDictionary(std::make_shared<Dictionary>());
  other.columns[0].AppendString("look");
  other.records = {0};
  buffer->AppendAll(other);
  EXPECT_EQ(buffer->columns()[0].String(0), "buy");
  EXPECT_EQ(buffer->columns()[0].String(1), "look");
  buffer->Clear();
  buffer->AppendAll(batch);
  EXPECT_EQ(buffer->columns()[0].dictionary(), dictionary);
}

}  // namespace
}  // namespace weir::parquet
