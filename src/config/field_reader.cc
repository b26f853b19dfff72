#include "config/field_reader.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "config/type_text.h"
#include "record/contract_words.h"

namespace weir::config {
namespace {

constexpr std::size_t kMaxNameBytes = 128;

std::optional<Type> ReadType(Section& section);

std::optional<Type> TypeOfText(const PlacedText& text, Diagnostics& diagnostics) {
  Result<Type> type = ParseType(text.text);
  if (type) return std::move(type).value();
  diagnostics.Error(ErrorCode::kBadValue, text.place, type.error().message);
  return std::nullopt;
}

// A field of a struct, the items of a list, the values of a map.
struct Nested {
  Type type;
  bool required = false;
  std::string doc;
};

std::optional<Nested> ReadNested(Section section) {
  auto type = ReadType(section);
  if (!type) return std::nullopt;
  return Nested{.type = std::move(*type),
                .required = section.Boolean("required").value_or(false),
                .doc = section.Text("doc").value_or("")};
}

std::optional<Type> ReadStruct(Section& section) {
  std::vector<Field> fields;
  bool complete = true;
  for (Section::Named& child : section.Children("fields")) {
    if (!CheckFieldName(child, section.context().diagnostics)) {
      complete = false;
      continue;
    }
    std::optional<Nested> nested;
    if (child.shorthand) {
      auto type = TypeOfText(*child.shorthand, section.context().diagnostics);
      if (type) nested = Nested{.type = std::move(*type), .doc = {}};
    } else {
      nested = ReadNested(std::move(*child.section));
    }
    complete = complete && nested.has_value();
    if (!nested) continue;
    fields.push_back({.name = child.name,
                      .type = std::move(nested->type),
                      .required = nested->required,
                      .doc = std::move(nested->doc)});
  }
  if (!complete) return std::nullopt;
  if (fields.empty()) {
    section.Error("fields", ErrorCode::kMissingKey, "a struct needs `fields`");
    return std::nullopt;
  }
  return Type::Struct(std::move(fields));
}

// `key`: items or value.
std::optional<Nested> ReadElement(Section& section, std::string_view key, std::string_view what) {
  if (const auto text = section.Shorthand(key)) {
    auto type = TypeOfText(*text, section.context().diagnostics);
    if (!type) return std::nullopt;
    return Nested{.type = std::move(*type), .doc = {}};
  }
  auto child = section.Child(key);
  if (!child) {
    section.Error(key, ErrorCode::kMissingKey, fmt::format("a {} needs `{}`", what, key));
    return std::nullopt;
  }
  return ReadNested(std::move(*child));
}

void RefuseNestedKeys(Section& section, std::string_view type,
                      std::initializer_list<std::string_view> keys) {
  for (std::string_view key : keys) {
    if (!section.Has(key)) continue;
    section.Error(key, ErrorCode::kContractInvalid,
                  fmt::format("`{}` does not apply to the type {}", key, Printable(type, 60)));
  }
}

std::optional<Type> ReadType(Section& section) {
  const auto text = section.Text("type");
  if (!text) return std::nullopt;
  if (*text == "struct") {
    RefuseNestedKeys(section, *text, {"items", "key", "value"});
    return ReadStruct(section);
  }
  if (*text == "list") {
    RefuseNestedKeys(section, *text, {"fields", "key", "value"});
    auto element = ReadElement(section, "items", "list");
    if (!element) return std::nullopt;
    return Type::List(std::move(element->type), element->required);
  }
  if (*text == "map") {
    RefuseNestedKeys(section, *text, {"fields", "items"});
    if (section.Text("key").value_or("string") != "string") {
      section.Error("key", ErrorCode::kContractInvalid,
                    "the keys of a map are strings, as in JSON");
    }
    auto value = ReadElement(section, "value", "map");
    if (!value) return std::nullopt;
    return Type::Map(Type::Of(TypeKind::kString), std::move(value->type), value->required);
  }
  RefuseNestedKeys(section, *text, {"fields", "items", "key", "value"});
  return TypeOfText({.text = *text, .place = section.At("type")}, section.context().diagnostics);
}

std::optional<Bound> ReadBound(Section& section, std::string_view key, const Type& type) {
  const auto text = section.Text(key);
  if (!text) return std::nullopt;
  Result<Bound> bound = ParseBound(*text, type);
  if (bound) return std::move(bound).value();
  section.Error(key, ErrorCode::kContractInvalid,
                fmt::format("`{}`: {}", key, bound.error().message));
  return std::nullopt;
}

void ReadRules(Section& section, ContractField& field) {
  field.field.required = section.Boolean("required").value_or(false);
  field.field.doc = section.Text("doc").value_or("");
  field.not_blank = section.Boolean("not_blank").value_or(false);
  for (PlacedText& value : section.Texts("allowed")) field.allowed.push_back(std::move(value.text));
  field.min = ReadBound(section, "min", field.field.type);
  field.max = ReadBound(section, "max", field.field.type);
  field.pattern = section.Text("pattern").value_or("");
  field.timestamp_format =
      TimestampFormatOf(section.Text("format").value_or("")).value_or(TimestampFormat::kIso);
  field.assume_utc = section.Boolean("assume_utc").value_or(false);
  field.from_ingestion = section.Text("from").has_value();
}

// The key that a message of Check is about, if it stands there.
std::string_view RuleOf(const Section& section, const ContractField& field,
                        const std::string& message) {
  const auto names = [&message](std::string_view word) {
    return message.find(word) != std::string::npos;
  };
  for (std::string_view rule : {"not_blank", "allowed", "pattern", "assume_utc", "format"}) {
    if (section.Has(rule) && names(rule)) return rule;
  }
  if (field.max && names("the bound " + field.max->text)) return "max";
  if (field.min) return "min";
  return field.max ? "max" : "type";
}

// The rules of record/contract.h, one field at a time so that each gets its own message.
void CheckRules(Section& section, const ContractField& field) {
  Contract alone;
  alone.fields = {field};
  if (field.from_ingestion) {
    ContractField carried;
    carried.field.name = field.field.name + "_";
    alone.fields.push_back(std::move(carried));
    if (field.field.required || field.not_blank) {
      section.Error("from", ErrorCode::kContractInvalid,
                    "a field filled by ingestion takes no other rule");
      return;
    }
  }
  const Status status = Check(alone);
  if (status) return;
  section.Error(RuleOf(section, field, status.error().message), ErrorCode::kContractInvalid,
                status.error().message);
}

}  // namespace

bool CheckFieldName(const Section::Named& named, Diagnostics& diagnostics) {
  const std::string& name = named.name;
  std::string why;
  if (name.empty()) {
    why = "a field name is empty";
  } else if (name.size() > kMaxNameBytes) {
    why = fmt::format("a field name is longer than {} bytes", kMaxNameBytes);
  } else if (name.find_first_of(".`\"\n\r\t") != std::string::npos) {
    why = fmt::format(
        "the field name `{}` holds a dot, a quote or white space that engines cannot "
        "spell",
        Printable(name, 60));
  }
  if (why.empty()) return true;
  diagnostics.Error(ErrorCode::kContractInvalid, named.place, std::move(why));
  return false;
}

std::optional<ContractField> ReadField(Section::Named& named, Diagnostics& diagnostics) {
  if (!CheckFieldName(named, diagnostics)) return std::nullopt;
  ContractField field;
  field.field.name = named.name;
  auto type =
      named.shorthand ? TypeOfText(*named.shorthand, diagnostics) : ReadType(*named.section);
  if (!type) return std::nullopt;
  field.field.type = std::move(*type);
  if (named.section) {
    ReadRules(*named.section, field);
    CheckRules(*named.section, field);
  }
  return field;
}

}  // namespace weir::config
