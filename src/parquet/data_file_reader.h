#pragma once
// DataFileReader: reads a Parquet file, ours or anybody's, into batches.
//
// Columns are found by field id; in a file without ids by name. A column of the projection that the
// file lacks comes out null. Types are widened as tables allow it (int to long, float to double,
// decimals of the same scale), foreign ones are brought to ours (int96, milli- and nanoseconds,
// fixed-length binary). One thread. The file is held in memory or mapped.
// Errors: kCorrupt WEIR0405 for bytes that are no Parquet, kInvalidInput for a type that does not
// fit, and those of the store.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/store.h"
#include "record/batch.h"
#include "record/type.h"

namespace weir::parquet {

class DataFileReader {
 public:
  /// A file on a local disk.
  static Result<std::unique_ptr<DataFileReader>> OpenPath(const std::string& path);
  /// The bytes of a file; `name` is for messages.
  static Result<std::unique_ptr<DataFileReader>> OpenBytes(std::string bytes, std::string name);
  static Result<std::unique_ptr<DataFileReader>> Open(io::Store& store, std::string_view key);
  ~DataFileReader();

  std::int64_t rows() const;
  int row_groups() const;
  /// What the file says it holds: names, types and ids (0 where it has none).
  const Schema& schema() const;

  /// Starts reading these columns from the first row on. Batch::records numbers the rows of the
  /// file from 0.
  Status Select(std::shared_ptr<const Schema> projection);
  /// The next rows, at most one row group; nullopt at the end.
  Result<std::optional<Batch>> Next();

 private:
  class Impl;
  explicit DataFileReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::parquet
