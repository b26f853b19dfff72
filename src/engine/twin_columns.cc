#include "engine/twin_columns.h"

#include <algorithm>
#include <span>

namespace weir::engine {
namespace {

const Field* Find(const std::vector<Field>& fields, const std::string& name) {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

class Pairing {
 public:
  explicit Pairing(TwinColumns& out) : out_(out) {}

  std::vector<Field> Pair(const std::vector<Field>& leading, const std::vector<Field>& following,
                          const std::string& path) {
    std::vector<Field> common;
    for (const Field& field : leading) {
      const std::string name = path + field.name;
      const Field* other = Find(following, field.name);
      if (other == nullptr) {
        LeaveOut(field, name);
        continue;
      }
      const bool same =
          field.type.kind == other->type.kind && field.type.precision == other->type.precision &&
          field.type.scale == other->type.scale && field.type.zoned == other->type.zoned;
      if (!same) Differs(name);
      out_.ids[field.id] = other->id;
      common.push_back(field);
      Type& type = common.back().type;
      type.children = Pair(field.type.children, other->type.children, name + ".");
      if (type.children.size() < field.type.children.size() && type.children.empty()) Differs(name);
    }
    for (const Field& field : following) {
      if (Find(leading, field.name) == nullptr) LeaveOut(field, path + field.name);
    }
    return common;
  }

 private:
  void LeaveOut(const Field& field, const std::string& name) {
    field.required ? Differs(name) : out_.one_side.push_back(name);
  }
  void Differs(const std::string& name) {
    if (!out_.differs) out_.differs = name;
  }

  TwinColumns& out_;
};

// The field at a path, through lists and maps by the names of their items.
const Field* FieldAt(const Schema& columns, std::span<const std::string> path) {
  const std::vector<Field>* fields = &columns.fields;
  const Field* field = nullptr;
  for (const std::string& name : path) {
    field = Find(*fields, name);
    if (field == nullptr) return nullptr;
    fields = &field->type.children;
  }
  return field;
}

// Equal but for the ids, which each side gives by itself.
bool IsSame(const Type& one, const Type& other) {
  const auto same_field = [](const Field& a, const Field& b) {
    return a.name == b.name && a.required == b.required && IsSame(a.type, b.type);
  };
  return one.kind == other.kind && one.precision == other.precision && one.scale == other.scale &&
         one.zoned == other.zoned && std::ranges::equal(one.children, other.children, same_field);
}

}  // namespace

TwinColumns PairColumns(const Schema& leading, const Schema& following) {
  TwinColumns out;
  out.common.fields = Pairing(out).Pair(leading.fields, following.fields, "");
  return out;
}

connect::SchemaChange Lacking(const connect::SchemaChange& change, const Schema& columns) {
  connect::SchemaChange out = change;
  std::erase_if(out.added, [&](const auto& added) {
    std::vector<std::string> path = added.parent;
    path.push_back(added.field.name);
    const Field* field = FieldAt(columns, path);
    return field != nullptr && !field->required && IsSame(field->type, added.field.type);
  });
  std::erase_if(out.widened, [&](const auto& widened) {
    const Field* field = FieldAt(columns, widened.path);
    return field != nullptr && IsSame(field->type, widened.type);
  });
  return out;
}

}  // namespace weir::engine
