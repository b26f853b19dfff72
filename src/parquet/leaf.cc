#include "parquet/leaf.h"

#include <bit>

#include "base/check.h"

namespace weir::parquet {

namespace {

bool IsRepeated(TypeKind kind) { return kind == TypeKind::kList || kind == TypeKind::kMap; }

Status Collect(const std::vector<Field>& fields, const LeafPath& above,
               std::vector<LeafPath>& leaves) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Field& field = fields[i];
    LeafPath path = above;
    path.name += (path.name.empty() ? "" : ".") + field.name;
    if (field.id <= 0) return InvalidInput("column '" + path.name + "' has no field id");
    path.steps.push_back({.child = i, .kind = field.type.kind, .optional = !field.required});
    path.max_definition = static_cast<std::int16_t>(path.max_definition + (field.required ? 0 : 1));
    if (IsRepeated(field.type.kind)) {
      ++path.max_definition;
      ++path.max_repetition;
    }
    if (field.type.is_nested()) {
      if (field.type.children.empty()) {
        return InvalidInput("column '" + path.name + "' is a struct without fields");
      }
      WEIR_TRY(Collect(field.type.children, path, leaves));
      continue;
    }
    path.type = field.type;
    path.field_id = field.id;
    leaves.push_back(std::move(path));
  }
  return Ok();
}

// Walks the rows of a nested column down to one leaf and writes down its levels.
class LevelWriter {
 public:
  LevelWriter(const LeafPath& path, LeafData& data) : path_(path), data_(data) {}

  // One row of the column at `depth`, with the levels of what lies above. False: a required value
  // is null.
  bool Visit(std::size_t depth, const Column& column, std::size_t row, std::uint8_t definition,
             std::uint8_t repetition) {
    const LeafPath::Step& step = path_.steps[depth];
    if (column.IsNull(row)) {
      if (!step.optional) return false;
      Emit(definition, repetition);
      return true;
    }
    if (step.optional) ++definition;
    if (!IsRepeated(step.kind)) {
      if (depth + 1 < path_.steps.size()) {
        return Visit(depth + 1, ChildOf(column, depth), row, definition, repetition);
      }
      Emit(definition, repetition);
      data_.value_rows.push_back(static_cast<std::uint32_t>(row));
      return true;
    }
    return VisitItems(depth, column, row, definition, repetition);
  }

 private:
  bool VisitItems(std::size_t depth, const Column& column, std::size_t row, std::uint8_t definition,
                  std::uint8_t repetition) {
    const std::int32_t begin = column.item_begin(row);
    const std::int32_t end = column.item_begin(row + 1);
    if (begin == end) {
      Emit(definition, repetition);
      return true;
    }
    // Items after the first repeat at the level of this list: as many as there are lists so far.
    std::uint8_t level = 0;
    for (std::size_t i = 0; i <= depth; ++i) {
      if (IsRepeated(path_.steps[i].kind)) ++level;
    }
    ++definition;
    for (std::int32_t item = begin; item < end; ++item) {
      if (!Visit(depth + 1, ChildOf(column, depth), static_cast<std::size_t>(item), definition,
                 item == begin ? repetition : level)) {
        return false;
      }
    }
    return true;
  }

  const Column& ChildOf(const Column& column, std::size_t depth) const {
    return column.children()[path_.steps[depth + 1].child];
  }
  void Emit(std::uint8_t definition, std::uint8_t repetition) {
    data_.definitions.push_back(definition);
    if (path_.max_repetition > 0) data_.repetitions.push_back(repetition);
  }

  const LeafPath& path_;
  LeafData& data_;
};

// The rows that hold a value, from the validity words.
void ListValidRows(const Column& column, std::size_t rows, Buffer<std::uint32_t>& valid) {
  std::uint32_t* out = valid.Extend(rows - column.null_count());
  const std::uint32_t* const end = valid.end();
  for (std::size_t word = 0; out != end; ++word) {
    std::uint64_t bits = column.validity()[word];
    if ((word + 1) * 64 > rows) bits &= (std::uint64_t{1} << (rows % 64)) - 1;
    for (; bits != 0; bits &= bits - 1) {
      *out++ = static_cast<std::uint32_t>(word * 64) +
               static_cast<std::uint32_t>(std::countr_zero(bits));
    }
  }
}

Error NullInRequired(const LeafPath& path) {
  return InvalidInput("column '" + path.name + "' is required and holds a null");
}

}  // namespace

void LeafData::Clear() {
  column = nullptr;
  entries = values = 0;
  value_rows.clear();
  definitions.clear();
  repetitions.clear();
}

Result<std::vector<LeafPath>> LeavesOf(const Schema& schema) {
  std::vector<LeafPath> leaves;
  WEIR_TRY(Collect(schema.fields, LeafPath{.steps = {}, .type = {}, .name = {}}, leaves));
  return leaves;
}

Status ReadLeaf(const LeafPath& path, const Column& top, std::size_t rows, LeafData& data) {
  data.Clear();
  WEIR_CHECK(top.size() == rows);
  const Column* leaf = &top;
  for (std::size_t i = 1; i < path.steps.size(); ++i) {
    leaf = &leaf->children()[path.steps[i].child];
  }
  data.column = leaf;
  if (path.steps.size() == 1) {
    data.entries = rows;
    data.values = rows - top.null_count();
    if (top.null_count() != 0) {
      if (!path.steps[0].optional) return NullInRequired(path);
      ListValidRows(top, rows, data.value_rows);
    }
    return Ok();
  }
  LevelWriter writer(path, data);
  for (std::size_t row = 0; row < rows; ++row) {
    if (!writer.Visit(0, top, row, 0, 0)) return NullInRequired(path);
  }
  data.entries = data.definitions.size();
  data.values = data.value_rows.size();
  return Ok();
}

}  // namespace weir::parquet
