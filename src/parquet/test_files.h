#pragma once
// For the tests of this folder: files written to memory and read back.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "io/store.h"
#include "parquet/data_file_reader.h"
#include "parquet/data_file_writer.h"
#include "parquet/test_rows.h"

namespace weir::parquet::test {

/// A file in memory and what its writer said of it.
struct WrittenFile {
  std::string bytes;
  connect::DataFile summary;
};

inline WrittenFile WriteFile(const Schema& schema, const std::vector<const Batch*>& row_groups,
                             const connect::FileSettings& settings = {}) {
  const auto store = io::NewMemoryStore();
  auto out = store->Create("file.parquet");
  EXPECT_TRUE(out) << out.error().ToString();
  auto writer = DataFileWriter::Create(schema, settings, *std::move(out));
  EXPECT_TRUE(writer) << writer.error().ToString();
  for (const Batch* batch : row_groups) {
    std::vector<const Column*> columns;
    for (const Column& column : batch->columns) columns.push_back(&column);
    const Status status = (*writer)->WriteRowGroup(columns, batch->rows());
    EXPECT_TRUE(status) << status.error().ToString();
  }
  auto summary = (*writer)->Finish();
  EXPECT_TRUE(summary) << summary.error().ToString();
  return {.bytes = *store->Get("file.parquet"), .summary = *std::move(summary)};
}

inline std::vector<std::string> ReadRows(const std::string& bytes, const Schema& projection) {
  auto reader = DataFileReader::OpenBytes(bytes, "file.parquet");
  EXPECT_TRUE(reader) << reader.error().ToString();
  EXPECT_TRUE((*reader)->Select(std::make_shared<const Schema>(projection)));
  std::vector<std::string> rows;
  while (true) {
    auto batch = (*reader)->Next();
    EXPECT_TRUE(batch) << batch.error().ToString();
    if (!batch || !*batch) return rows;
    for (std::string& row : RowTexts(**batch)) rows.push_back(std::move(row));
  }
}

/// Equal row for row; tells the first difference only, rows being long.
inline void ExpectRows(const std::vector<std::string>& rows,
                       const std::vector<std::string>& expected) {
  EXPECT_EQ(rows.size(), expected.size());
  for (std::size_t i = 0; i < std::min(rows.size(), expected.size()); ++i) {
    ASSERT_EQ(rows[i], expected[i]) << "row " << i;
  }
}

}  // namespace weir::parquet::test
