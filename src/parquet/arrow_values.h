#pragma once
// ArrowValues: moves the values of an Arrow array into a Column, widening and converting as tables
// allow it. Made for one array; a tree of them for a nested one. For the inside of this folder.

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "record/column.h"
#include "record/type.h"

namespace arrow {
class Array;
}

namespace weir::parquet {

class ArrowValues {
 public:
  virtual ~ArrowValues() = default;
  /// Appends row i of the array, or a null.
  virtual void Append(std::int64_t i, Column& out) const = 0;

  /// `array` must outlive the result; a null pointer gives nulls. Children of structs are matched
  /// by field id, where both sides have none by name. Errors: kInvalidInput naming the column.
  static Result<std::unique_ptr<ArrowValues>> Create(const ::arrow::Array* array,
                                                     const Field& field);
};

}  // namespace weir::parquet
