#include "engine/table_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/store.h"
#include "parquet/data_file_writer.h"

namespace weir::engine {
namespace {

struct Row {
  std::string key;
  std::optional<std::int64_t> value;
  std::vector<std::string> tags = {};
};

class TableDiffTest : public ::testing::Test {
 protected:
  static Schema SchemaOf(const std::vector<std::string>& extra = {}) {
    Schema schema;
    auto add = [&](const std::string& name, Type type) {
      Field& field = schema.fields.emplace_back();
      field.name = name;
      field.type = std::move(type);
    };
    add("key", Type::Of(TypeKind::kString));
    add("value", Type::Of(TypeKind::kLong));
    add("tags", Type::List(Type::Of(TypeKind::kString)));
    for (const auto& name : extra) add(name, Type::Of(TypeKind::kLong));
    AssignFieldIds(schema);
    return schema;
  }

  DiffSide Side(const std::vector<std::vector<Row>>& files,
                const std::vector<std::string>& extra = {}) {
    DiffSide side{.schema = SchemaOf(extra), .files = {}, .open = [this](const std::string& path) {
                    return parquet::DataFileReader::Open(*store_, path);
                  }};
    for (const auto& rows : files) {
      const std::string path = std::to_string(written_++);
      auto writer = parquet::DataFileWriter::Create(side.schema, {}, *store_->Create(path));
      Batch batch(std::make_shared<const Schema>(side.schema));
      for (const Row& row : rows) {
        batch.columns[0].AppendString(row.key);
        row.value ? batch.columns[1].AppendLong(*row.value) : batch.columns[1].AppendNull();
        for (const auto& tag : row.tags) batch.columns[2].children()[0].AppendString(tag);
        batch.columns[2].AppendList(row.tags.size());
        for (std::size_t i = 0; i < extra.size(); ++i) batch.columns[3 + i].AppendLong(7);
      }
      std::vector<const Column*> columns;
      for (const Column& column : batch.columns) columns.push_back(&column);
      EXPECT_TRUE((*writer)->WriteRowGroup(columns, rows.size()));
      auto file = (*writer)->Finish();
      EXPECT_TRUE(file);
      file->path = path;
      side.files.push_back(*file);
    }
    return side;
  }

  static TableDiff Compare(const DiffSide& left, const DiffSide& right,
                           const std::vector<std::string>& key = {"key"}) {
    DiffRequest request{.key = key,
                        .ignore = {},
                        .ends = {},
                        .samples = 10,
                        .render = [](const Column& column, std::size_t row) -> std::string {
                          if (column.IsNull(row)) return "null";
                          if (column.type().kind == TypeKind::kString)
                            return std::string(column.String(row));
                          return column.type().is_nested() ? "list"
                                                           : std::to_string(column.Long(row));
                        }};
    auto diff = CompareTables(left, right, request);
    EXPECT_TRUE(diff) << diff.error().ToString();
    return *diff;
  }

  std::unique_ptr<io::Store> store_ = io::NewMemoryStore();
  int written_ = 0;
};

TEST_F(TableDiffTest, HowRowsLieInFilesIsNoDifference) {
  const auto left = Side({{{"a", 1}, {"b", 2, {"x", "y"}}}, {{"c", {}}}});
  const auto right = Side({{{"c", {}}, {"b", 2, {"x", "y"}}, {"a", 1}}});
  const TableDiff diff = Compare(left, right);
  EXPECT_TRUE(diff.equal());
  EXPECT_EQ(diff.left_rows, 3);
  EXPECT_EQ(diff.right_rows, 3);
}

TEST_F(TableDiffTest, WhatIsAloneAndWhatChangedIsCountedAndShown) {
  const TableDiff diff =
      Compare(Side({{{"a", 1}, {"b", 2}, {"c", 3}}}), Side({{{"b", 2}, {"c", 4}, {"d", 5}}}));
  EXPECT_EQ(diff.only_left, 1);
  EXPECT_EQ(diff.only_right, 1);
  EXPECT_EQ(diff.changed, 1);
  ASSERT_EQ(diff.samples.size(), 3U);
  EXPECT_EQ(diff.samples[0].key, "key=a");
  EXPECT_EQ(diff.samples[1].key, "key=d");
  EXPECT_EQ(diff.samples[2].left, "value=3");
  EXPECT_EQ(diff.samples[2].right, "value=4");
}

TEST_F(TableDiffTest, ANullAListAndASplitOfTextsAreValuesOfTheirOwn) {
  EXPECT_EQ(Compare(Side({{{"a", {}}}}), Side({{{"a", 0}}})).changed, 1);
  EXPECT_EQ(Compare(Side({{{"a", 1, {"xy"}}}}), Side({{{"a", 1, {"x", "y"}}}})).changed, 1);
}

TEST_F(TableDiffTest, ARowThatIsThereTwiceIsOneTooMany) {
  const auto twice = Side({{{"a", 1}, {"a", 1}}});
  const auto once = Side({{{"a", 1}}});
  EXPECT_EQ(Compare(twice, once).only_left, 1);
  EXPECT_EQ(Compare(once, twice).only_right, 1);
  EXPECT_EQ(Compare(once, twice, {}).only_right, 1) << "also without a key";
}

TEST_F(TableDiffTest, ColumnsOfOneSideAreNamedAndNotCompared) {
  const TableDiff diff = Compare(Side({{{"a", 1}}}, {"old"}), Side({{{"a", 1}}}, {"new"}));
  EXPECT_TRUE(diff.equal());
  EXPECT_THAT(diff.columns_only_left, ::testing::ElementsAre("old"));
  EXPECT_THAT(diff.columns_only_right, ::testing::ElementsAre("new"));
}

TEST_F(TableDiffTest, AnEmptySideIsNoError) {
  EXPECT_EQ(Compare(Side({}), Side({{{"a", 1}}})).only_right, 1);
}

}  // namespace
}  // namespace weir::engine
