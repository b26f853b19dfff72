#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/json_depth.h"
#include "config/contract_json.h"
#include "config/type_text.h"
#include "record/contract_words.h"

namespace weir::config {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxBytes = 1U << 20;
constexpr int kMaxDepth = 32;
constexpr int kMaxFields = 2000;

Error Bad(const std::string& place, const std::string& why) {
  return InvalidInput(
      (place.empty() ? "the schema" : "`" + Printable(place, 120) + "`") + ": " + why,
      ErrorCode::kContractInvalid);
}

const Json* Member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::string TextOr(const Json& object, const char* key, std::string fallback) {
  const Json* member = Member(object, key);
  return member != nullptr && member->is_string() ? member->get<std::string>()
                                                  : std::move(fallback);
}

bool Is(const Json* json, bool value) {
  return json != nullptr && json->is_boolean() && *json == value;
}

// What Weir itself wrote of a schema; an empty object where it wrote nothing.
const Json& Own(const Json& schema) {
  static const Json kNone = Json::object();
  const Json* own = Member(schema, "x-weir");
  return own != nullptr && own->is_object() ? *own : kNone;
}

class Importer {
 public:
  explicit Importer(const Json& root) : root_(root) {}

  Result<ImportedContract> Run() {
    WEIR_ASSIGN_OR_RETURN(const Json* object, Resolve(root_, ""));
    const Json* properties = Member(*object, "properties");
    if (properties == nullptr || !properties->is_object() || properties->empty()) {
      return Bad("", "an event is a JSON object with `properties`");
    }
    Contract& contract = out_.contract;
    const Json& own = Own(*object);
    contract.name = TextOr(*object, "title", TextOr(*object, "$id", "imported"));
    if (const Json* version = Member(own, "version"); version && version->is_number_integer()) {
      contract.version =
          static_cast<int>(std::clamp<std::int64_t>(version->get<std::int64_t>(), 1, 1'000'000));
    }
    const std::set<std::string> required = RequiredOf(*object);
    for (const auto& [name, schema] : properties->items()) {
      WEIR_ASSIGN_OR_RETURN(ContractField field, FieldOf(name, schema, required.contains(name)));
      contract.fields.push_back(std::move(field));
    }
    ReadUnknown(*object, own);
    AddIngestion(own);
    contract.event_time_field = TextOr(own, "event_time", GuessEventTime());
    ReadEventTypes(*object, own);
    NoteKeywords(*object);
    WEIR_TRY(Check(contract));
    return std::move(out_);
  }

 private:
  void Note(const std::string& place, std::string_view what) {
    constexpr std::size_t kMostNotes = 200;
    if (out_.notes.size() < kMostNotes) {
      out_.notes.push_back(
          fmt::format("{}: {}", place.empty() ? "schema" : Printable(place, 120), what));
    }
  }

  static std::set<std::string> RequiredOf(const Json& object) {
    std::set<std::string> names;
    const Json* required = Member(object, "required");
    if (required == nullptr || !required->is_array()) return names;
    for (const Json& name : *required) {
      if (name.is_string()) names.insert(name.get<std::string>());
    }
    return names;
  }

  // Follows "$ref" within the document.
  Result<const Json*> Resolve(const Json& schema, const std::string& place) {
    const Json* at = &schema;
    for (int hops = 0; hops < kMaxDepth; ++hops) {
      const Json* reference = Member(*at, "$ref");
      if (reference == nullptr) return at;
      const std::string target = reference->is_string() ? reference->get<std::string>() : "";
      if (target != "#" && !target.starts_with("#/")) {
        return Bad(place, "the reference " + Printable(target, 80) + " leaves the file");
      }
      try {
        at = &root_.at(Json::json_pointer(target.substr(1)));
      } catch (const std::exception&) {
        return Bad(place, "the reference " + Printable(target, 80) + " leads nowhere");
      }
    }
    return Bad(place, "references go in a circle");
  }

  // A schema without the ways to say "or null"; `nullable` tells whether there was one.
  Result<Json> WithoutNull(const Json& schema, const std::string& place, bool* nullable) {
    WEIR_ASSIGN_OR_RETURN(const Json* resolved, Resolve(schema, place));
    if (!resolved->is_object()) return Bad(place, "says nothing about the type");
    Json plain = *resolved;
    for (const char* word : {"anyOf", "oneOf"}) {
      const Json* choices = Member(*resolved, word);
      if (choices == nullptr || !choices->is_array()) continue;
      std::vector<const Json*> others;
      for (const Json& choice : *choices) {
        if (TextOr(choice, "type", "") == "null") {
          *nullable = true;
        } else {
          others.push_back(&choice);
        }
      }
      if (others.size() != 1) {
        return Bad(place, fmt::format("`{}` of several types; a column has one", word));
      }
      WEIR_ASSIGN_OR_RETURN(plain, WithoutNull(*others[0], place, nullable));
      if (!plain.contains("description") && resolved->contains("description")) {
        plain["description"] = resolved->at("description");
      }
    }
    if (Is(Member(plain, "nullable"), true)) *nullable = true;
    const Json* types = Member(plain, "type");
    if (types != nullptr && types->is_array()) {
      Json left = Json::array();
      for (const Json& type : *types) {
        if (type == "null") {
          *nullable = true;
        } else {
          left.push_back(type);
        }
      }
      plain["type"] = left.size() == 1 ? left[0] : left;
    }
    return plain;
  }

  Result<ContractField> FieldOf(const std::string& name, const Json& schema, bool required) {
    bool nullable = false;
    WEIR_ASSIGN_OR_RETURN(const Json plain, WithoutNull(schema, name, &nullable));
    ContractField field;
    field.field.name = name;
    WEIR_ASSIGN_OR_RETURN(field.field.type, TypeOf(plain, name, 1));
    field.field.required = required && !nullable;
    if (required && nullable) Note(name, "required but may be null: optional here");
    field.field.doc = TextOr(plain, "description", "");
    WEIR_TRY(ReadRules(plain, field));
    return field;
  }

  Result<Type> TypeOf(const Json& schema, const std::string& place, int depth) {
    if (depth > kMaxDepth) return Bad(place, "nests too deep, or without an end");
    if (++fields_ > kMaxFields) return Bad(place, fmt::format("more than {} fields", kMaxFields));
    if (const std::string own = TextOr(Own(schema), "type", ""); !own.empty()) {
      return ParseType(own);
    }
    const Json* type = Member(schema, "type");
    if (type == nullptr && (schema.contains("enum") || schema.contains("const"))) {
      return Type::Of(TypeKind::kString);
    }
    if (type == nullptr && schema.contains("properties")) return StructOf(schema, place, depth);
    if (type == nullptr || !type->is_string()) {
      return Bad(place, type == nullptr ? "has no `type`" : "has several types; a column has one");
    }
    const std::string word = type->get<std::string>();
    if (word == "string") return TextType(schema);
    if (word == "boolean") return Type::Of(TypeKind::kBoolean);
    if (word == "integer") return Type::Of(FitsInt(schema) ? TypeKind::kInt : TypeKind::kLong);
    if (word == "number") return NumberType(schema);
    if (word == "array") return ListOf(schema, place, depth);
    if (word == "object") return StructOf(schema, place, depth);
    return Bad(place, "the type " + Printable(word, 40) + " is none that a column can have");
  }

  static Type TextType(const Json& schema) {
    const std::string format = TextOr(schema, "format", "");
    if (format == "date-time") return Type::Of(TypeKind::kTimestamp);
    if (format == "date") return Type::Of(TypeKind::kDate);
    if (format == "uuid") return Type::Of(TypeKind::kUuid);
    return Type::Of(TypeKind::kString);
  }

  // Only what says that it is small becomes an int: widening later is easy, narrowing is not.
  static bool FitsInt(const Json& schema) {
    const Json* least = Member(schema, "minimum");
    const Json* most = Member(schema, "maximum");
    return least != nullptr && most != nullptr && least->is_number_integer() &&
           most->is_number_integer() && least->get<std::int64_t>() >= INT32_MIN &&
           most->get<std::int64_t>() <= INT32_MAX;
  }

  static Type NumberType(const Json& schema) {
    const Json* step = Member(schema, "multipleOf");
    if (step == nullptr || !step->is_number()) return Type::Of(TypeKind::kDouble);
    double unit = 1;
    for (int scale = 0; scale <= 18; ++scale, unit /= 10) {
      const double ratio = step->get<double>() / unit;
      if (ratio > 0.999999 && ratio < 1.000001) return Type::Decimal(18 + scale / 2, scale);
    }
    return Type::Of(TypeKind::kDouble);
  }

  Result<Type> ListOf(const Json& schema, const std::string& place, int depth) {
    const Json* items = Member(schema, "items");
    if (items == nullptr || !items->is_object()) return Bad(place, "a list needs one `items`");
    bool nullable = false;
    WEIR_ASSIGN_OR_RETURN(const Json plain, WithoutNull(*items, place + "[]", &nullable));
    WEIR_ASSIGN_OR_RETURN(Type element, TypeOf(plain, place + "[]", depth + 1));
    return Type::List(std::move(element));
  }

  Result<Type> StructOf(const Json& schema, const std::string& place, int depth) {
    const Json* properties = Member(schema, "properties");
    if (properties == nullptr || !properties->is_object() || properties->empty()) {
      const Json* values = Member(schema, "additionalProperties");
      if (values == nullptr || !values->is_object()) {
        return Bad(place, "an object needs `properties`, or a type of `additionalProperties`");
      }
      bool nullable = false;
      WEIR_ASSIGN_OR_RETURN(const Json plain, WithoutNull(*values, place + ".*", &nullable));
      WEIR_ASSIGN_OR_RETURN(Type value, TypeOf(plain, place + ".*", depth + 1));
      return Type::Map(Type::Of(TypeKind::kString), std::move(value));
    }
    const std::set<std::string> required = RequiredOf(schema);
    std::vector<Field> fields;
    for (const auto& [name, child] : properties->items()) {
      const std::string below = place + "." + name;
      bool nullable = false;
      WEIR_ASSIGN_OR_RETURN(const Json plain, WithoutNull(child, below, &nullable));
      WEIR_ASSIGN_OR_RETURN(Type type, TypeOf(plain, below, depth + 1));
      for (const char* rule : {"enum", "const", "pattern", "minLength"}) {
        if (plain.contains(rule))
          Note(below, fmt::format("`{}` is not checked inside objects", rule));
      }
      fields.push_back({.name = name,
                        .type = std::move(type),
                        .required = required.contains(name) && !nullable,
                        .doc = TextOr(plain, "description", "")});
    }
    return Type::Struct(std::move(fields));
  }

  Status ReadRules(const Json& schema, ContractField& field) {
    const std::string& name = field.field.name;
    const Json& own = Own(schema);
    field.not_blank = Is(Member(own, "not_blank"), true);
    field.assume_utc = Is(Member(own, "assume_utc"), true);
    field.timestamp_format =
        TimestampFormatOf(TextOr(own, "format", "")).value_or(TimestampFormat::kIso);
    const bool text = field.field.type.kind == TypeKind::kString;
    ReadAllowed(schema, text, field);
    if (const std::string pattern = TextOr(schema, "pattern", ""); !pattern.empty()) {
      if (text) {
        field.pattern = WholePattern(pattern);
      } else {
        Note(name, "`pattern` applies to texts only and is left out");
      }
    }
    WEIR_TRY(ReadBound(schema, own, "minimum", "min", field, field.min));
    WEIR_TRY(ReadBound(schema, own, "maximum", "max", field, field.max));
    for (const char* rule : {"exclusiveMinimum", "exclusiveMaximum", "maxLength", "minItems",
                             "maxItems", "uniqueItems", "patternProperties", "not"}) {
      if (schema.contains(rule)) Note(name, fmt::format("`{}` is not checked", rule));
    }
    if (schema.contains("minLength") && !field.not_blank) {
      Note(name, "`minLength` is not checked; `not_blank: true` is near to it");
    }
    return Ok();
  }

  void ReadAllowed(const Json& schema, bool text, ContractField& field) {
    std::vector<Json> values;
    if (const Json* constant = Member(schema, "const")) values.push_back(*constant);
    if (const Json* list = Member(schema, "enum"); list != nullptr && list->is_array()) {
      values.insert(values.end(), list->begin(), list->end());
    }
    for (const Json& value : values) {
      if (value.is_null()) continue;
      if (text && value.is_string()) {
        field.allowed.push_back(value.get<std::string>());
      } else {
        Note(field.field.name, "a list of values is checked for texts only");
        field.allowed.clear();
        return;
      }
    }
  }

  // A pattern of JSON Schema may match anywhere in the text, ours matches all of it.
  static std::string WholePattern(std::string pattern) {
    const bool starts = pattern.starts_with('^');
    const bool ends = pattern.ends_with('$') && !pattern.ends_with("\\$");
    if (starts && ends && pattern.starts_with("^(?:") && pattern.ends_with(")$")) {
      return pattern.substr(4, pattern.size() - 6);
    }
    if (starts) pattern.erase(0, 1);
    if (ends) pattern.pop_back();
    if (starts && ends) return pattern;
    return (starts ? "" : "(?s:.*)") + ("(?:" + pattern + ")") + (ends ? "" : "(?s:.*)");
  }

  Status ReadBound(const Json& schema, const Json& own, const char* word, const char* name,
                   ContractField& field, std::optional<Bound>& out) {
    std::string text = TextOr(own, name, "");
    const Json* number = Member(schema, word);
    const TypeKind kind = field.field.type.kind;
    const bool own_wrote = !own.empty() && (kind == TypeKind::kDecimal || text.empty());
    if (text.empty() && number != nullptr && number->is_number()) {
      // The bounds that make an integer an int are its type.
      const auto is = [&](std::int64_t bound) { return *number == bound; };
      const bool is_width =
          number->is_number_integer() && kind == TypeKind::kInt && (is(INT32_MIN) || is(INT32_MAX));
      if (is_width || own_wrote) return Ok();
      text = number->dump();
    }
    if (text.empty()) return Ok();
    auto bound = ParseBound(text, field.field.type);
    if (!bound) {
      Note(field.field.name, fmt::format("`{}` {} does not fit {} and is left out", word,
                                         Printable(text, 40), weir::ToString(field.field.type)));
      return Ok();
    }
    out = std::move(bound).value();
    return Ok();
  }

  void ReadUnknown(const Json& object, const Json& own) {
    Contract& contract = out_.contract;
    if (Is(Member(object, "additionalProperties"), false)) {
      contract.unknown_fields = UnknownFields::kReject;
    } else if (UnknownFieldsOf(TextOr(own, "unknown_fields", "")) == UnknownFields::kKeep) {
      contract.unknown_fields = UnknownFields::kKeep;
    }
    contract.unknown_column = TextOr(own, "unknown_column", contract.unknown_column);
  }

  // The field that no event carries, back in its place.
  void AddIngestion(const Json& own) {
    const std::string name = TextOr(own, "ingestion", "");
    if (name.empty()) return;
    ContractField field;
    field.field = {.name = name,
                   .type = Type::Of(TypeKind::kTimestamp),
                   .doc = TextOr(own, "ingestion_doc", "")};
    field.from_ingestion = true;
    auto& fields = out_.contract.fields;
    std::size_t index = fields.size();
    if (const Json* order = Member(own, "order"); order != nullptr && order->is_array()) {
      const auto found = std::find(order->begin(), order->end(), Json(name));
      index = std::min(index, static_cast<std::size_t>(found - order->begin()));
    }
    fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(index), std::move(field));
  }

  std::string GuessEventTime() const {
    for (const ContractField& field : out_.contract.fields) {
      if (field.field.name == "event_time" && field.field.required && !field.from_ingestion &&
          field.field.type.kind == TypeKind::kTimestamp) {
        return field.field.name;
      }
    }
    return {};
  }

  // {"if": {"properties": {TYPE: {"const": X}}}, "then": {"required": [...]}}
  void ReadEventTypes(const Json& object, const Json& own) {
    Contract& contract = out_.contract;
    std::map<std::string, std::vector<std::string>> needs;
    std::string type_field = TextOr(own, "event_type", "");
    const Json* rules = Member(object, "allOf");
    for (const Json& rule : rules != nullptr && rules->is_array() ? *rules : Json::array()) {
      const Json* condition = Member(rule, "if");
      const Json* consequence = Member(rule, "then");
      const Json* properties = condition ? Member(*condition, "properties") : nullptr;
      if (consequence == nullptr || properties == nullptr || properties->size() != 1) {
        Note("allOf", "a rule that is no need of one event type is not checked");
        continue;
      }
      const std::string field = properties->begin().key();
      const std::string value = TextOr(properties->begin().value(), "const", "");
      if (value.empty() || (!type_field.empty() && field != type_field)) {
        Note("allOf", "a rule that is no need of one event type is not checked");
        continue;
      }
      type_field = field;
      for (const std::string& need : NeedsOf(*consequence)) needs[value].push_back(need);
    }
    contract.event_type_field = type_field;
    const auto index = contract.IndexOf(type_field);
    if (!index) return;
    std::vector<std::string> types = contract.fields[*index].allowed;
    if (const Json* listed = Member(own, "event_types")) {
      types = {};
      for (const Json& type : *listed) {
        if (type.is_string()) types.push_back(type.get<std::string>());
      }
    } else if (needs.empty()) {
      return;
    }
    for (const std::string& type : types) {
      contract.event_types.push_back({.event_type = type, .needs = needs[type]});
    }
  }

  static std::vector<std::string> NeedsOf(const Json& consequence) {
    std::vector<std::string> needs;
    const Json* required = Member(consequence, "required");
    if (required == nullptr || !required->is_array()) return needs;
    for (const Json& name : *required) {
      if (name.is_string()) needs.push_back(name.get<std::string>());
    }
    return needs;
  }

  void NoteKeywords(const Json& object) {
    for (const char* word : {"anyOf", "oneOf", "not", "dependentRequired", "dependencies",
                             "patternProperties", "propertyNames", "minProperties"}) {
      if (object.contains(word)) Note("", fmt::format("`{}` is not checked", word));
    }
  }

  const Json& root_;
  ImportedContract out_;
  int fields_ = 0;
};

}  // namespace

Result<ImportedContract> ContractFromJsonSchema(std::string_view text) {
  if (text.size() > kMaxBytes) return Bad("", "is larger than 1 MiB");
  if (!NestsAtMost(text, 2 * kMaxDepth)) return Bad("", "nests too deep");
  const Json root = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object()) return Bad("", "is no JSON object");
  return Importer(root).Run();
}

}  // namespace weir::config
