#pragma once
// TableWriter: from rows of batches to finished data files of one table, partition by partition.
//
// Rows gather in a RowBuffer. When it is full, and at the end of an epoch, they are routed by their
// partition values, sorted where the table has a sort order, and written by a FileSet, which keeps
// files open over several row groups until they have their target size. How much is full depends on
// how many partitions share the buffer: a quarter of the memory makes good row groups of one. With
// more partitions than may be open at once the file that rested longest is finished first: never
// dropped, so memory is bounded and every row lands.
//
// TableWriter does both halves on one thread. An engine that encodes elsewhere keeps the buffers
// itself and hands them to a FileSet. One thread at a time each.
// Errors: those of the store and of the namer.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "connect/column_file.h"
#include "connect/data_file.h"
#include "connect/table.h"
#include "io/store.h"
#include "parquet/data_file_writer.h"
#include "parquet/row_buffer.h"
#include "record/batch.h"

namespace weir::parquet {

/// Names a new file of a partition: its key in the store. Called before the file is created, so
/// that the name can be put into a journal first.
using FileNamer = std::function<Result<std::string>(const connect::PartitionTuple& partition)>;

/// What files of a table are like.
struct TableLayout {
  Schema schema;  // the table's, with ids
  connect::PartitionSpec spec;
  connect::SortOrder sort_order;
  connect::FileSettings settings;
  std::size_t memory_bytes = 128U << 20;  // buffered rows
  std::size_t max_open_files = 32;
};

/// A file that is complete, but not yet known to be durable.
struct UnfinishedFile {
  std::string path;
  std::unique_ptr<DataFileWriter> writer;
};

/// Waits for all of them; on another thread than their table writer's, if need be.
Status FinishFiles(std::vector<UnfinishedFile> files);

/// The open files of one table. Rows in, data files out.
class FileSet {
 public:
  FileSet(TableLayout layout, io::Store& store, FileNamer namer);
  FileSet(FileSet&&) noexcept;
  FileSet& operator=(FileSet&&) noexcept;
  ~FileSet();

  /// Writes all rows of the buffer. Errors: also kUnsupported WEIR0403 for a partition or sort
  /// transform that does not fit its column.
  Status Write(const RowBuffer& rows);
  /// Finishes all open files and returns all files since the last Finish, in order of completion.
  /// With `unfinished`: does not wait for the last of them, where the store works beside us.
  Result<std::vector<connect::DataFile>> Finish(std::vector<UnfinishedFile>* unfinished);
  /// Drops open files and forgets finished ones (their names are in the journal).
  void Abort();
  std::size_t open_files() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

class TableWriter {
 public:
  /// `source`: the schema of the batches. Errors: as RowBuffer::Create.
  static Result<std::unique_ptr<TableWriter>> Create(const TableLayout& layout,
                                                     const Schema& source, io::Store& store,
                                                     FileNamer namer);

  /// Takes these rows; writes row groups when the buffer is full.
  Status Append(const Batch& batch, std::span<const std::uint32_t> rows);
  Status AppendAll(const Batch& batch);
  /// The same, and leaves the batch empty: mostly without a copy.
  Status TakeAll(Batch& batch);
  /// For a batch that gathers many rows: takes them once they are worth a row group.
  Status TakeIfFull(Batch& batch);

  /// Ends an epoch: everything taken since the last cut is in the files returned.
  /// `unfinished`: gets those that FinishFiles must see before they count; nullptr: none are left.
  Result<std::vector<connect::DataFile>> Cut(std::vector<UnfinishedFile>* unfinished = nullptr);
  /// Drops everything taken since the last cut.
  void Abort();

  /// Rows taken and bytes buffered since the last cut.
  std::int64_t rows() const { return rows_; }
  std::size_t buffered_bytes() const { return buffer_.bytes(); }

 private:
  TableWriter(RowBuffer buffer, FileSet files, const TableLayout& layout);
  Status WriteIfFull();

  RowBuffer buffer_;
  FileSet files_;
  std::size_t memory_bytes_;
  std::size_t share_bytes_;  // of one partition
  std::size_t full_bytes_;   // the buffer is written at
  std::int64_t rows_ = 0;
};

}  // namespace weir::parquet
