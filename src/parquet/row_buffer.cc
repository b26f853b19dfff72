#include "parquet/row_buffer.h"

#include <numeric>
#include <utility>

#include "base/check.h"

namespace weir::parquet {

namespace {

bool IsText(const Column& column) {
  return column.type().kind == TypeKind::kString || column.type().kind == TypeKind::kBinary;
}

// What the rows take, not what their buffers could take: those keep their room when cleared.
std::size_t BytesOf(const Column& column) {
  std::size_t bytes = column.size() / 8;
  switch (column.type().kind) {
    case TypeKind::kBoolean:
      bytes += column.size();
      break;
    case TypeKind::kInt:
    case TypeKind::kFloat:
    case TypeKind::kDate:
      bytes += column.size() * 4;
      break;
    case TypeKind::kLong:
    case TypeKind::kDouble:
    case TypeKind::kTimestamp:
      bytes += column.size() * 8;
      break;
    case TypeKind::kDecimal:
    case TypeKind::kUuid:
      bytes += column.size() * 16;
      break;
    default:  // codes or offsets, and the bytes of plain strings
      bytes += column.size() * 4 + column.bytes().size();
  }
  for (const Column& child : column.children()) bytes += BytesOf(child);
  return bytes;
}

void AdoptDictionary(const Column& source, Column& column) {
  if (IsText(column)) column.UseDictionary(source.dictionary());
  for (std::size_t i = 0; i < column.children().size(); ++i) {
    AdoptDictionary(source.children()[i], column.children()[i]);
  }
}

}  // namespace

bool SameShape(const Type& a, const Type& b) {
  if (a.kind != b.kind || a.children.size() != b.children.size()) return false;
  if (a.kind == TypeKind::kDecimal) return a.precision == b.precision && a.scale == b.scale;
  if (a.kind == TypeKind::kTimestamp) return a.zoned == b.zoned;
  for (std::size_t i = 0; i < a.children.size(); ++i) {
    // The names of list items and map entries are fixed by the kind, whatever a schema calls them.
    if (a.kind == TypeKind::kStruct && a.children[i].name != b.children[i].name) return false;
    if (!SameShape(a.children[i].type, b.children[i].type)) return false;
  }
  return true;
}

Result<RowBuffer> RowBuffer::Create(const Schema& target, const Schema& source) {
  RowBuffer buffer;
  Schema schema;
  std::string misfits;
  for (const Field& field : target.fields) {
    const auto index = source.IndexOf(field.name);
    if (!index) continue;
    if (!SameShape(field.type, source.fields[*index].type)) {
      misfits += (misfits.empty() ? "" : ", ") + field.name + " (" + ToString(field.type) +
                 " in the table, not " + ToString(source.fields[*index].type) + ")";
    }
    schema.fields.push_back(field);
    buffer.sources_.push_back(*index);
    // The batch's own type: columns compare ids and docs, which only the table's has.
    buffer.columns_.emplace_back(source.fields[*index].type);
  }
  for (const Field& field : source.fields) {
    if (target.IndexOf(field.name)) continue;
    misfits += (misfits.empty() ? "" : ", ") + field.name + " (not in the table)";
  }
  if (!misfits.empty()) {
    return InvalidInput("rows do not fit the table: " + misfits, ErrorCode::kTableMismatch);
  }
  buffer.schema_ = std::make_shared<const Schema>(std::move(schema));
  return buffer;
}

void RowBuffer::AdoptDictionaries(const Batch& batch) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    AdoptDictionary(batch.columns[sources_[i]], columns_[i]);
  }
}

void RowBuffer::Append(const Batch& batch, std::span<const std::uint32_t> rows) {
  if (rows.empty()) return;
  if (rows_ == 0) AdoptDictionaries(batch);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].AppendRows(batch.columns[sources_[i]], rows);
  }
  rows_ += rows.size();
}

void RowBuffer::AppendAll(const Batch& batch) {
  std::vector<std::uint32_t> rows(batch.rows());
  std::iota(rows.begin(), rows.end(), 0U);
  Append(batch, rows);
}

void RowBuffer::TakeAll(Batch& batch) {
  if (rows_ != 0) {
    AppendAll(batch);
  } else {
    AdoptDictionaries(batch);  // what the batch gets back has them, too
    rows_ = batch.rows();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      std::swap(columns_[i], batch.columns[sources_[i]]);
    }
  }
  batch.Clear();
}

std::size_t RowBuffer::bytes() const {
  std::size_t bytes = 0;
  for (const Column& column : columns_) bytes += parquet::BytesOf(column);
  return bytes;
}

std::size_t RowBuffer::BytesOf(const Batch& batch) const {
  std::size_t bytes = 0;
  for (const std::size_t source : sources_) bytes += parquet::BytesOf(batch.columns[source]);
  return bytes;
}

RowBuffer RowBuffer::NewEmpty() const {
  RowBuffer buffer;
  buffer.schema_ = schema_;
  buffer.sources_ = sources_;
  for (const Column& column : columns_) buffer.columns_.emplace_back(column.type());
  return buffer;
}

void RowBuffer::Clear() {
  for (Column& column : columns_) column.Clear();
  rows_ = 0;
}

}  // namespace weir::parquet
