#pragma once
// RowBuffer: rows of one table that wait to be written, as columns in the table's order.
//
// The cheap half of a table writer: it takes rows of batches on the thread that decodes them, and a
// full buffer moves as a whole to whoever encodes it. While it is empty it adopts the dictionaries
// of the first batch, so that codes are copied and not strings. Movable, one thread at a time.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "record/batch.h"
#include "record/column.h"
#include "record/type.h"

namespace weir::parquet {

class RowBuffer {
 public:
  /// For rows of `source`, put into the order of the fields of `target` by name. Fields of the
  /// target that the source lacks have no column. Errors: kInvalidInput WEIR0402 naming the columns
  /// of the source that the target lacks or has with another type.
  static Result<RowBuffer> Create(const Schema& target, const Schema& source);

  /// Takes these rows of a batch of the source schema.
  void Append(const Batch& batch, std::span<const std::uint32_t> rows);
  void AppendAll(const Batch& batch);
  /// Takes all rows and leaves the batch empty: without a copy where the buffer was empty.
  void TakeAll(Batch& batch);

  /// The target's fields that have a column, with the target's ids; one column each.
  const std::shared_ptr<const Schema>& schema() const { return schema_; }
  const std::vector<Column>& columns() const { return columns_; }
  std::size_t rows() const { return rows_; }
  /// Memory that the rows take, without the dictionaries that they share with the decoder.
  std::size_t bytes() const;
  /// The same of a batch of the source schema, were it taken.
  std::size_t BytesOf(const Batch& batch) const;

  /// An empty buffer of the same shape.
  RowBuffer NewEmpty() const;
  void Clear();

 private:
  RowBuffer() = default;
  void AdoptDictionaries(const Batch& batch);

  std::shared_ptr<const Schema> schema_;
  std::vector<std::size_t> sources_;  // column -> column of the batch
  std::vector<Column> columns_;
  std::size_t rows_ = 0;
};

/// Whether two types hold the same values: names, order and kinds at every depth, whatever their
/// ids, docs and required flags.
bool SameShape(const Type& a, const Type& b);

}  // namespace weir::parquet
