#pragma once
// DataFileWriter: writes one Parquet file, row group by row group, and knows its statistics.
//
// Pages are encoded here, from the buffers of our columns: the codes of a dictionary column go into
// the pages as they are, so that no value is hashed twice, and minimum and maximum are taken over
// the distinct strings in use, not over the rows. Parquet C++ compresses the pages and writes
// headers, page index and footer.
//
// The same bounds go into the file's own statistics and, cut by the metrics mode, into the
// DataFile. Every column carries its field id. A row group that was written needs no memory but its
// metadata. One thread at a time. After an error only destruction is allowed; nothing is left
// behind then. Errors: those of the stream; kInvalidInput for columns that do not fit the schema,
// or a null in a required column.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "connect/column_file.h"
#include "connect/data_file.h"
#include "io/store.h"
#include "record/column.h"
#include "record/type.h"

namespace weir::parquet {

class DataFileWriter {
 public:
  /// A file with these columns; every field at every depth has its id (kInvalidInput without).
  static Result<std::unique_ptr<DataFileWriter>> Create(const Schema& schema,
                                                        const connect::FileSettings& settings,
                                                        std::unique_ptr<io::OutputStream> out);
  ~DataFileWriter();

  /// Writes all rows of the columns, one column a field of the schema, as one row group.
  Status WriteRowGroup(std::span<const Column* const> columns, std::size_t rows);

  std::int64_t rows() const;
  /// Size of the file so far.
  std::int64_t bytes() const;

  /// Writes the footer and lets the store begin what Finish waits for. Nothing is written after it.
  Status BeginFinish();
  /// After BeginFinish: what Finish will return. The file is not durable yet.
  connect::DataFile Summary() const;
  /// Writes the footer unless that was done, and makes the file durable. Path, partition, spec and
  /// sort order are the caller's to fill in.
  Result<connect::DataFile> Finish();

 private:
  class Impl;
  explicit DataFileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::parquet
