#include "record/batch.h"

#include <utility>

namespace weir {

Batch::Batch(std::shared_ptr<const Schema> batch_schema) : schema(std::move(batch_schema)) {
  columns.reserve(schema->fields.size());
  for (const Field& field : schema->fields) columns.emplace_back(field.type);
}

std::size_t Batch::memory_bytes() const {
  std::size_t bytes = records.capacity() * sizeof(std::uint32_t);
  for (const Column& column : columns) bytes += column.memory_bytes();
  return bytes;
}

void Batch::Clear() {
  for (Column& column : columns) column.Clear();
  records.clear();
}

}  // namespace weir
