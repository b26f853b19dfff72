#include "engine/table_binding.h"

#include <vector>

#include <fmt/format.h>

namespace weir::engine {
namespace {

// Collects what does not fit while it copies ids from the table's type tree into the produced one.
class Binder {
 public:
  void BindField(Field& produced, const Field& table, const std::string& path) {
    if (table.required && !produced.required)
      problems_.push_back(fmt::format("`{}` is required in the table but optional here", path));
    produced.id = table.id;
    produced.required = table.required;
    BindType(produced.type, table.type, path);
  }

  void Add(std::string problem) { problems_.push_back(std::move(problem)); }
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void BindType(Type& produced, const Type& table, const std::string& path) {
    const bool same = produced.kind == table.kind && produced.precision == table.precision &&
                      produced.scale == table.scale && produced.zoned == table.zoned;
    if (!same) {
      problems_.push_back(fmt::format("`{}` is {} here and {} in the table", path,
                                      ToString(produced), ToString(table)));
      return;
    }
    if (produced.kind == TypeKind::kStruct) return BindStruct(produced, table, path);
    for (std::size_t i = 0; i < produced.children.size(); ++i)
      BindField(produced.children[i], table.children[i], path + "." + table.children[i].name);
  }

  void BindStruct(Type& produced, const Type& table, const std::string& path) {
    for (Field& child : produced.children) {
      const Field* match = FindChild(table, child.name);
      if (match != nullptr)
        BindField(child, *match, path + "." + child.name);
      else
        problems_.push_back(fmt::format("`{}.{}` is not in the table", path, child.name));
    }
    for (const Field& child : table.children)
      if (child.required && FindChild(produced, child.name) == nullptr)
        problems_.push_back(
            fmt::format("`{}.{}` is required in the table and not here", path, child.name));
  }

  static const Field* FindChild(const Type& type, const std::string& name) {
    for (const Field& child : type.children)
      if (child.name == name) return &child;
    return nullptr;
  }

  std::vector<std::string> problems_;
};

}  // namespace

Result<Schema> BindToTable(const Schema& produced, const connect::TableVersion& table,
                           const std::string& table_name) {
  Schema bound = produced;
  Binder binder;
  for (Field& field : bound.fields) {
    if (auto index = table.schema.IndexOf(field.name))
      binder.BindField(field, table.schema.fields[*index], field.name);
    else
      binder.Add(fmt::format("`{}` ({}) is not in the table", field.name, ToString(field.type)));
  }
  for (const Field& field : table.schema.fields)
    if (field.required && !produced.IndexOf(field.name))
      binder.Add(fmt::format("`{}` is required in the table and not produced here", field.name));
  if (binder.problems().empty()) return bound;
  return InvalidInput(fmt::format("table {} does not fit the contract: {}", table_name,
                                  fmt::join(binder.problems(), "; ")),
                      ErrorCode::kTableMismatch);
}

}  // namespace weir::engine
