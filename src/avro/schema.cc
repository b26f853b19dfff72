#include "avro/schema.h"

#include <limits>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_depth.h"

namespace weir::avro {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxNodes = 100'000;
constexpr std::size_t kMaxText = std::size_t{16} << 20;
constexpr std::size_t kMaxFixed = std::size_t{1} << 20;

const std::map<std::string_view, Kind>& Primitives() {
  static const std::map<std::string_view, Kind> kKinds = {
      {"null", Kind::kNull},   {"boolean", Kind::kBoolean}, {"int", Kind::kInt},
      {"long", Kind::kLong},   {"float", Kind::kFloat},     {"double", Kind::kDouble},
      {"bytes", Kind::kBytes}, {"string", Kind::kString}};
  return kKinds;
}

Error Bad(std::string_view what) { return Corrupt(fmt::format("bad Avro schema: {}", what)); }

std::string TextOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<int> NumberOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return std::nullopt;
  const auto number = found->get<std::int64_t>();
  if (number < 0 || number > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(number);
}

std::vector<std::string> TextsOf(const Json& json, const char* key) {
  std::vector<std::string> texts;
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array()) return texts;
  for (const Json& text : *found) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

}  // namespace

class SchemaParser {
 public:
  SchemaParser() { schema_.nodes_ = std::make_shared<std::deque<Node>>(); }

  /// The last one that is read is the schema.
  Status Read(const Json& json) {
    space_.clear();
    WEIR_ASSIGN_OR_RETURN(schema_.root_, Type(json, 0));
    return Ok();
  }
  Schema Take() { return std::move(schema_); }

 private:
  Result<const Node*> Type(const Json& json, int depth) {
    if (depth > kMaxDepth) return Bad("nested too deep");
    if (json.is_string()) return Named(json.get_ref<const std::string&>());
    if (json.is_array()) return Union(json, depth);
    if (!json.is_object()) return Bad("a type is neither text, list nor object");
    const auto type = json.find("type");
    if (type == json.end()) return Bad("an object without a type");
    if (!type->is_string()) return Type(*type, depth + 1);
    const std::string& name = type->get_ref<const std::string&>();
    if (name == "record" || name == "error") return Record(json, depth);
    if (name == "array") return Items(json, "items", Kind::kArray, depth);
    if (name == "map") return Items(json, "values", Kind::kMap, depth);
    if (name == "enum") return Enum(json);
    if (name == "fixed") return Fixed(json);
    if (!Primitives().contains(name)) return Named(name);
    WEIR_ASSIGN_OR_RETURN(Node * node, Add(Primitives().at(name)));
    TakeLogicalType(json, *node);
    return node;
  }

  static void TakeLogicalType(const Json& json, Node& node) {
    node.logical_type = TextOf(json, "logicalType");
    node.precision = NumberOf(json, "precision").value_or(0);
    node.scale = NumberOf(json, "scale").value_or(0);
  }

  Result<Node*> Add(Kind kind) {
    if (schema_.nodes_->size() >= kMaxNodes) return Bad("too many types");
    Node& node = schema_.nodes_->emplace_back();
    node.kind = kind;
    return &node;
  }

  Result<const Node*> Named(const std::string& name) {
    if (const auto found = Primitives().find(name); found != Primitives().end()) {
      WEIR_ASSIGN_OR_RETURN(Node * node, Add(found->second));
      return node;
    }
    for (const std::string& full : {InSpace(name, space_), name, "*" + Unqualified(name)}) {
      if (const auto found = named_.find(full); found != named_.end()) return found->second;
    }
    return Bad(fmt::format("unknown type \"{}\"", name));
  }

  Result<const Node*> Union(const Json& json, int depth) {
    if (json.empty()) return Bad("an empty union");
    WEIR_ASSIGN_OR_RETURN(Node * node, Add(Kind::kUnion));
    for (const Json& branch : json) {
      WEIR_ASSIGN_OR_RETURN(const Node* type, Type(branch, depth + 1));
      if (type->kind == Kind::kUnion) return Bad("a union in a union");
      node->branches.push_back(type);
    }
    return node;
  }

  Result<const Node*> Record(const Json& json, int depth) {
    const std::string outer = space_;
    WEIR_ASSIGN_OR_RETURN(Node * node, Define(json, Kind::kRecord));
    const auto fields = json.find("fields");
    if (fields == json.end() || !fields->is_array()) return Bad("a record without fields");
    for (const Json& field : *fields) {
      if (!field.is_object() || !field.contains("type")) return Bad("a field without a type");
      Member member{.name = TextOf(field, "name"), .id = NumberOf(field, "field-id")};
      member.aliases = TextsOf(field, "aliases");
      WEIR_ASSIGN_OR_RETURN(member.type, Type(field.at("type"), depth + 1));
      node->members.push_back(std::move(member));
    }
    space_ = outer;
    return node;
  }

  Result<const Node*> Items(const Json& json, const char* key, Kind kind, int depth) {
    const auto items = json.find(key);
    if (items == json.end()) return Bad("an array or map without the type of its items");
    WEIR_ASSIGN_OR_RETURN(Node * node, Add(kind));
    node->logical_type = TextOf(json, "logicalType");
    node->element_id = NumberOf(json, "element-id");
    WEIR_ASSIGN_OR_RETURN(const Node* item, Type(*items, depth + 1));
    node->branches.push_back(item);
    return node;
  }

  Result<const Node*> Enum(const Json& json) {
    const std::string outer = space_;
    WEIR_ASSIGN_OR_RETURN(Node * node, Define(json, Kind::kEnum));
    node->symbols = TextsOf(json, "symbols");
    space_ = outer;
    return node;
  }

  Result<const Node*> Fixed(const Json& json) {
    const std::string outer = space_;
    WEIR_ASSIGN_OR_RETURN(Node * node, Define(json, Kind::kFixed));
    space_ = outer;
    const std::optional<int> size = NumberOf(json, "size");
    if (!size || static_cast<std::size_t>(*size) > kMaxFixed) {
      return Bad("a fixed type without a usable size");
    }
    node->size = static_cast<std::size_t>(*size);
    TakeLogicalType(json, *node);
    return node;
  }

  Result<Node*> Define(const Json& json, Kind kind) {
    WEIR_ASSIGN_OR_RETURN(Node * node, Add(kind));
    node->name = TextOf(json, "name");
    if (node->name.empty()) return Bad("a record, enum or fixed without a name");
    // A name with dots brings its own name space, which the types inside it are in as well.
    if (const std::size_t dot = node->name.rfind('.'); dot != std::string::npos) {
      space_ = node->name.substr(0, dot);
    } else if (json.contains("namespace")) {
      space_ = TextOf(json, "namespace");
    }
    named_[InSpace(node->name, space_)] = node;
    named_["*" + Unqualified(node->name)] = node;  // for writers that leave name spaces out
    return node;
  }

  static std::string InSpace(const std::string& name, const std::string& space) {
    const bool full = space.empty() || name.find('.') != std::string::npos;
    return full ? name : space + "." + name;
  }
  static std::string Unqualified(const std::string& name) {
    return name.substr(name.rfind('.') + 1);
  }

  Schema schema_;
  std::string space_;  // the name space around what is read
  std::map<std::string, const Node*> named_;
};

Result<Schema> Schema::Parse(std::string_view json, const std::vector<std::string>& references) {
  SchemaParser parser;
  const auto read = [&parser](std::string_view text) -> Status {
    if (text.size() > kMaxText || !NestsAtMost(text, 4 * kMaxDepth))
      return Bad("too long or too deep");
    const Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (document.is_discarded()) return Bad("not JSON");
    return parser.Read(document);
  };
  for (const std::string& reference : references) WEIR_TRY(read(reference));
  WEIR_TRY(read(json));
  return parser.Take();
}

}  // namespace weir::avro
