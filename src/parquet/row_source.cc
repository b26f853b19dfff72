#include "parquet/row_source.h"

#include "base/check.h"

namespace weir::parquet {

namespace {

bool Find(const std::vector<Field>& fields, int id, FieldPath& path) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    path.push_back(i);
    if (fields[i].id == id) return true;
    if (fields[i].type.kind == TypeKind::kStruct && Find(fields[i].type.children, id, path)) {
      return true;
    }
    path.pop_back();
  }
  return false;
}

}  // namespace

std::optional<FieldPath> PathTo(const Schema& schema, int field_id) {
  FieldPath path;
  if (!Find(schema.fields, field_id, path)) return std::nullopt;
  return path;
}

const Type& TypeAt(const Schema& schema, const FieldPath& path) {
  WEIR_CHECK(!path.empty());
  const Type* type = &schema.fields[path[0]].type;
  for (std::size_t i = 1; i < path.size(); ++i) type = &type->children[path[i]].type;
  return *type;
}

RowSource::RowSource(std::span<const Column> columns, const FieldPath& path) {
  WEIR_CHECK(!path.empty());
  levels_.push_back(&columns[path[0]]);
  for (std::size_t i = 1; i < path.size(); ++i) {
    levels_.push_back(&levels_.back()->children()[path[i]]);
  }
}

}  // namespace weir::parquet
