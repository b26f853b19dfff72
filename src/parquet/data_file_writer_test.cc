#include "parquet/data_file_writer.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/faulty_store.h"
#include "parquet/test_files.h"

namespace weir::parquet {
namespace {

using test::ExpectRows;
using test::FieldOf;
using test::RandomRows;
using test::ReadRows;
using test::RowTexts;
using test::WriteFile;
using test::WrittenFile;

Schema EveryType() {
  Schema schema;
  schema.fields = {
      FieldOf("flag", Type::Of(TypeKind::kBoolean)),
      FieldOf("number", Type::Of(TypeKind::kInt)),
      FieldOf("big", Type::Of(TypeKind::kLong)),
      FieldOf("small_real", Type::Of(TypeKind::kFloat)),
      FieldOf("real", Type::Of(TypeKind::kDouble)),
      FieldOf("price", Type::Decimal(9, 2)),
      FieldOf("amount", Type::Decimal(18, 2)),
      FieldOf("total", Type::Decimal(38, 6)),
      FieldOf("day", Type::Of(TypeKind::kDate)),
      FieldOf("at", Type::Of(TypeKind::kTimestamp)),
      FieldOf("local", Type{.kind = TypeKind::kTimestamp, .zoned = false, .children = {}}),
      FieldOf("name", Type::Of(TypeKind::kString)),
      FieldOf("id", Type::Of(TypeKind::kUuid)),
      FieldOf("raw", Type::Of(TypeKind::kBinary)),
      FieldOf("key", Type::Of(TypeKind::kString), /*required=*/true),
      FieldOf("sequence", Type::Of(TypeKind::kLong), /*required=*/true),
      FieldOf("place", Type::Struct({FieldOf("city", Type::Of(TypeKind::kString)),
                                     FieldOf("zip", Type::Of(TypeKind::kInt), true)})),
      FieldOf("tags", Type::List(Type::Of(TypeKind::kString))),
      FieldOf("items",
              Type::List(Type::Struct({FieldOf("sku", Type::Of(TypeKind::kString), true),
                                       FieldOf("price", Type::Decimal(10, 2)),
                                       FieldOf("sizes", Type::List(Type::Of(TypeKind::kInt)))}),
                         /*element_required=*/true)),
      FieldOf("attributes", Type::Map(Type::Of(TypeKind::kString), Type::Of(TypeKind::kDouble))),
      FieldOf("must", Type::Struct({FieldOf("have", Type::List(Type::Of(TypeKind::kLong)), true)}),
              /*required=*/true)};
  AssignFieldIds(schema);
  return schema;
}

const connect::ColumnMetrics& MetricsOf(const WrittenFile& file, int id) {
  return file.summary.columns.at(id);
}

// --- rows come back ------------------------------------------------------------------------------

struct Shape {
  double nulls;
  std::uint64_t distinct;
  bool dictionaries;
  std::size_t rows;
};

class RoundTrip : public testing::TestWithParam<Shape> {};

TEST_P(RoundTrip, GivesBackEveryRow) {
  const Shape shape = GetParam();
  const Schema schema = EveryType();
  RandomRows random(shape.rows, shape.nulls, shape.distinct, /*map_items=*/3);
  const Batch first = random.Rows(schema, shape.rows, shape.dictionaries);
  const Batch second = random.Rows(schema, shape.rows / 2 + 1, shape.dictionaries);
  connect::FileSettings settings;
  settings.page_bytes = 2048;  // several pages a chunk
  const WrittenFile file = WriteFile(schema, {&first, &second}, settings);

  std::vector<std::string> expected = RowTexts(first);
  for (std::string& row : RowTexts(second)) expected.push_back(std::move(row));
  ExpectRows(ReadRows(file.bytes, schema), expected);
  EXPECT_EQ(file.summary.record_count, static_cast<std::int64_t>(expected.size()));
  EXPECT_EQ(file.summary.file_bytes, static_cast<std::int64_t>(file.bytes.size()));
  EXPECT_EQ(file.summary.split_offsets.size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Shapes, RoundTrip,
                         testing::Values(Shape{0, 1'000'000, false, 1000},
                                         Shape{0.3, 1'000'000, false, 1000},
                                         Shape{0.3, 5, true, 1000}, Shape{0, 5, true, 1000},
                                         Shape{1, 5, false, 200}, Shape{1, 5, true, 200},
                                         Shape{0.5, 2, false, 1}, Shape{0.01, 300, true, 3000},
                                         Shape{0.9, 100, false, 1024}),
                         [](const auto& shape) { return "Shape" + std::to_string(shape.index); });

class EveryCodec : public testing::TestWithParam<const char*> {};

TEST_P(EveryCodec, GivesBackEveryRow) {
  const Schema schema = EveryType();
  const Batch batch = RandomRows(7, 0.1, 50).Rows(schema, 500, true);
  connect::FileSettings settings;
  settings.compression = GetParam();
  const WrittenFile file = WriteFile(schema, {&batch}, settings);
  ExpectRows(ReadRows(file.bytes, schema), RowTexts(batch));
}

INSTANTIATE_TEST_SUITE_P(Codecs, EveryCodec,
                         testing::Values("zstd", "snappy", "gzip", "lz4", "none"),
                         [](const auto& codec) { return std::string(codec.param); });

TEST(DataFileWriter, WritesAFileWithoutRows) {
  const Schema schema = EveryType();
  const Batch none(std::make_shared<const Schema>(schema));
  const WrittenFile file = WriteFile(schema, {&none});
  EXPECT_EQ(file.summary.record_count, 0);
  EXPECT_TRUE(file.summary.split_offsets.empty());
  EXPECT_TRUE(ReadRows(file.bytes, schema).empty());
}

TEST(DataFileWriter, KeepsZeroBytesInsideStrings) {
  Schema schema{.fields = {FieldOf("url", Type::Of(TypeKind::kString), false, 1)}};
  Batch batch(std::make_shared<const Schema>(schema));
  batch.columns[0].AppendString(std::string_view("/a\0b", 4));
  batch.columns[0].AppendString("");
  batch.records = {0, 1};
  const WrittenFile file = WriteFile(schema, {&batch});
  EXPECT_THAT(ReadRows(file.bytes, schema), testing::ElementsAre("'2f610062' | ", "'' | "));
}

TEST(DataFileWriter, TakesStringsLongerThanAPage) {
  Schema schema{.fields = {FieldOf("body", Type::Of(TypeKind::kString), false, 1)}};
  Batch batch(std::make_shared<const Schema>(schema));
  for (int i = 0; i < 3; ++i) {
    batch.columns[0].AppendString(std::string(3U << 20, static_cast<char>('a' + i)));
    batch.records.push_back(static_cast<std::uint32_t>(i));
  }
  const WrittenFile file = WriteFile(schema, {&batch});
  ExpectRows(ReadRows(file.bytes, schema), RowTexts(batch));
  EXPECT_EQ(MetricsOf(file, 1).lower, std::string(16, 'a'));
  EXPECT_EQ(MetricsOf(file, 1).upper, std::string(15, 'c') + "d");
}

// --- dictionaries --------------------------------------------------------------------------------

TEST(DataFileWriter, LeavesUnusedDictionaryEntriesOut) {
  Schema schema{.fields = {FieldOf("kind", Type::Of(TypeKind::kString), false, 1)}};
  const auto dictionary = std::make_shared<Dictionary>();
  for (int i = 0; i < 50'000; ++i)
    dictionary->Intern("an unused string of some length " + std::to_string(i));
  Batch batch(std::make_shared<const Schema>(schema));
  batch.columns[0].UseDictionary(dictionary);
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    batch.columns[0].AppendString(i % 3 == 0 ? "buy" : "look");
    batch.records.push_back(i);
  }
  const WrittenFile file = WriteFile(schema, {&batch});
  EXPECT_LT(file.bytes.size(), 8'000U);
  ExpectRows(ReadRows(file.bytes, schema), RowTexts(batch));
  EXPECT_EQ(MetricsOf(file, 1).lower, "buy");
  EXPECT_EQ(MetricsOf(file, 1).upper, "look");
}

TEST(DataFileWriter, StoresPlainWhatADictionaryDoesNotPayFor) {
  Schema schema{.fields = {FieldOf("id", Type::Of(TypeKind::kString), false, 1)}};
  Batch coded(std::make_shared<const Schema>(schema));
  Batch plain(std::make_shared<const Schema>(schema));
  coded.columns[0].UseDictionary(std::make_shared<Dictionary>());
  for (std::uint32_t i = 0; i < 3000; ++i) {
    for (Batch* batch : {&coded, &plain}) {
      batch->columns[0].AppendString("event-" + std::to_string(i * 7919U));
      batch->records.push_back(i);
    }
  }
  connect::FileSettings settings;
  settings.compression = "none";
  EXPECT_EQ(WriteFile(schema, {&coded}, settings).bytes,
            WriteFile(schema, {&plain}, settings).bytes);
}

// --- metrics -------------------------------------------------------------------------------------

TEST(DataFileWriter, CountsValuesAndNullsOfEveryRowGroup) {
  const Schema schema{.fields = {FieldOf("n", Type::Of(TypeKind::kInt), false, 5),
                                 FieldOf("x", Type::Of(TypeKind::kDouble), false, 6)}};
  Batch first(std::make_shared<const Schema>(schema));
  Batch second(std::make_shared<const Schema>(schema));
  for (std::uint32_t i = 0; i < 10; ++i) {
    first.columns[0].AppendInt(static_cast<std::int32_t>(i));
    first.columns[1].AppendDouble(std::numeric_limits<double>::quiet_NaN());
    first.records.push_back(i);
  }
  second.columns[0].AppendNull();
  second.columns[1].AppendDouble(-0.5);
  second.records = {0};
  const WrittenFile file = WriteFile(schema, {&first, &second});
  const connect::ColumnMetrics& n = MetricsOf(file, 5);
  EXPECT_EQ(n.value_count, 11);
  EXPECT_EQ(n.null_count, 1);
  EXPECT_EQ(n.nan_count, std::nullopt);
  EXPECT_EQ(n.lower, std::string(4, '\0'));
  EXPECT_EQ(n.upper, std::string("\x09\0\0\0", 4));
  EXPECT_GT(n.compressed_bytes, 0);
  const connect::ColumnMetrics& x = MetricsOf(file, 6);
  EXPECT_EQ(x.nan_count, 10);
  EXPECT_EQ(x.lower, x.upper);
  EXPECT_TRUE(x.lower.has_value());
}

TEST(DataFileWriter, GivesBoundsToStructLeavesAndNoneInsideLists) {
  const Schema schema = EveryType();
  const Batch batch = RandomRows(3, 0.2, 100).Rows(schema, 100);
  const WrittenFile file = WriteFile(schema, {&batch});
  const auto leaf = [&](std::string_view top, std::string_view child) {
    for (const Field& field : schema.fields) {
      if (field.name != top) continue;
      for (const Field& inside : field.type.children) {
        if (inside.name == child) return MetricsOf(file, inside.id);
      }
    }
    return connect::ColumnMetrics{};
  };
  EXPECT_TRUE(leaf("place", "city").lower.has_value());
  EXPECT_TRUE(leaf("place", "zip").upper.has_value());
  EXPECT_FALSE(leaf("tags", "element").lower.has_value());
  EXPECT_GT(leaf("tags", "element").value_count, 100);
  EXPECT_FALSE(leaf("attributes", "key").upper.has_value());
  // Every leaf has an entry, containers have none.
  EXPECT_EQ(file.summary.columns.size(), 25U);
}

TEST(DataFileWriter, FollowsTheMetricsModes) {
  const Schema schema{.fields = {FieldOf("a", Type::Of(TypeKind::kString), false, 1),
                                 FieldOf("b", Type::Of(TypeKind::kString), false, 2),
                                 FieldOf("c", Type::Of(TypeKind::kString), false, 3)}};
  Batch batch(std::make_shared<const Schema>(schema));
  for (Column& column : batch.columns) column.AppendString("0123456789");
  batch.records = {0};
  connect::FileSettings settings;
  settings.default_metrics_mode = "truncate(4)";
  settings.metrics_modes = {{"b", "full"}, {"c", "counts"}};
  const WrittenFile file = WriteFile(schema, {&batch}, settings);
  EXPECT_EQ(MetricsOf(file, 1).lower, "0123");
  EXPECT_EQ(MetricsOf(file, 1).upper, "0124");
  EXPECT_EQ(MetricsOf(file, 2).upper, "0123456789");
  EXPECT_EQ(MetricsOf(file, 3).lower, std::nullopt);
  EXPECT_EQ(MetricsOf(file, 3).value_count, 1);
}

// --- errors --------------------------------------------------------------------------------------

TEST(DataFileWriter, RefusesColumnsWithoutIds) {
  const auto store = io::NewMemoryStore();
  const Schema schema{.fields = {FieldOf("a", Type::List(Type::Of(TypeKind::kInt)), false, 1)}};
  const auto writer = DataFileWriter::Create(schema, {}, *store->Create("x"));
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().kind, ErrorKind::kInvalidInput);
  EXPECT_THAT(writer.error().message, testing::HasSubstr("a.element"));
}

TEST(DataFileWriter, RefusesANullInARequiredColumn) {
  const auto store = io::NewMemoryStore();
  const Schema schema{.fields = {FieldOf("a", Type::Of(TypeKind::kInt), true, 1)}};
  {
    const auto writer = DataFileWriter::Create(schema, {}, *store->Create("x"));
    ASSERT_TRUE(writer);
    Column column(Type::Of(TypeKind::kInt));
    column.AppendNull();
    const Column* columns[] = {&column};
    const Status status = (*writer)->WriteRowGroup(columns, 1);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::kInvalidInput);
  }
  EXPECT_FALSE(store->Get("x"));
}

}  // namespace
}  // namespace weir::parquet
