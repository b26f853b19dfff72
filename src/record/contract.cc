#include "record/contract.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include <re2/re2.h>

#include "base/bytes.h"
#include "base/time.h"

namespace weir {

namespace {

constexpr int kMaxTypeDepth = 32;
constexpr std::string_view kDefaultIngestionColumn = "ingestion_time";

Error Bad(std::string message) {
  return InvalidInput(std::move(message), ErrorCode::kContractInvalid);
}

// Engines that ignore case cannot open a table whose columns differ only in it.
std::string FoldCase(std::string_view name) {
  std::string folded(name);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return folded;
}

Status CheckName(const std::string& name, const std::string& where) {
  if (name.empty()) return Bad(where + ": a field has no name");
  if (!IsValidUtf8(name))
    return Bad(where + ": the field name " + Printable(name) + " is not UTF-8");
  return Ok();
}

Status CheckNames(const std::vector<Field>& fields, const std::string& where) {
  std::set<std::string> seen;
  for (const Field& field : fields) {
    WEIR_TRY(CheckName(field.name, where));
    if (!seen.insert(FoldCase(field.name)).second) {
      return Bad(where + ": " + field.name +
                 " is there twice; names that differ only in case count as one");
    }
  }
  return Ok();
}

Status CheckType(const Type& type, const std::string& where, int depth) {
  if (depth > kMaxTypeDepth) {
    return Bad(where + ": types nest deeper than " + std::to_string(kMaxTypeDepth));
  }
  switch (type.kind) {
    case TypeKind::kBinary:
      return Bad(where + ": JSON has no binary; use string");
    case TypeKind::kDecimal:
      if (type.precision < 1 || type.precision > 38) {
        return Bad(where + ": decimal precision must be 1 to 38, not " +
                   std::to_string(type.precision));
      }
      if (type.scale < 0 || type.scale > type.precision) {
        return Bad(where + ": decimal scale must be 0 to the precision " +
                   std::to_string(type.precision) + ", not " + std::to_string(type.scale));
      }
      return Ok();
    case TypeKind::kTimestamp:
      if (!type.zoned) return Bad(where + ": a timestamp of a contract has a zone");
      return Ok();
    case TypeKind::kStruct:
      if (type.children.empty()) return Bad(where + ": a struct needs at least one field");
      WEIR_TRY(CheckNames(type.children, where));
      break;
    case TypeKind::kList:
      if (type.children.size() != 1) return Bad(where + ": a list has one element type");
      break;
    case TypeKind::kMap:
      if (type.children.size() != 2 || type.children[0].type.kind != TypeKind::kString) {
        return Bad(where + ": the keys of a map are strings, as in JSON");
      }
      break;
    case TypeKind::kBoolean:
    case TypeKind::kInt:
    case TypeKind::kLong:
    case TypeKind::kFloat:
    case TypeKind::kDouble:
    case TypeKind::kDate:
    case TypeKind::kString:
    case TypeKind::kUuid:
      return Ok();
  }
  for (const Field& child : type.children) {
    WEIR_TRY(CheckType(child.type, where + "." + child.name, depth + 1));
  }
  return Ok();
}

Int128 PowerOfTen(int exponent) {
  Int128 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

bool Fits(const Type& type, const Bound& bound) {
  const Int128 number = bound.number;
  switch (type.kind) {
    case TypeKind::kInt:
    case TypeKind::kDate:
      return number >= std::numeric_limits<std::int32_t>::min() &&
             number <= std::numeric_limits<std::int32_t>::max();
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return number >= std::numeric_limits<std::int64_t>::min() &&
             number <= std::numeric_limits<std::int64_t>::max();
    case TypeKind::kDecimal: {
      const Int128 limit = PowerOfTen(type.precision);
      return number > -limit && number < limit;
    }
    case TypeKind::kFloat:
    case TypeKind::kDouble:
      return bound.real == bound.real;
    default:
      return false;
  }
}

Status CheckBounds(const ContractField& field) {
  const std::string& name = field.field.name;
  const Type& type = field.field.type;
  for (const auto* bound : {&field.min, &field.max}) {
    if (!bound->has_value()) continue;
    switch (type.kind) {
      case TypeKind::kInt:
      case TypeKind::kLong:
      case TypeKind::kFloat:
      case TypeKind::kDouble:
      case TypeKind::kDecimal:
      case TypeKind::kDate:
      case TypeKind::kTimestamp:
        break;
      default:
        return Bad(name + ": min and max do not apply to " + ToString(type));
    }
    if (!Fits(type, **bound)) {
      return Bad(name + ": the bound " + (*bound)->text + " does not fit " + ToString(type));
    }
  }
  if (!field.min || !field.max) return Ok();
  const bool real = type.kind == TypeKind::kFloat || type.kind == TypeKind::kDouble;
  const bool crossed =
      real ? field.min->real > field.max->real : field.min->number > field.max->number;
  if (crossed) {
    return Bad(name + ": min " + field.min->text + " is above max " + field.max->text);
  }
  return Ok();
}

Status CheckTextRules(const ContractField& field) {
  const std::string& name = field.field.name;
  const bool text = field.field.type.kind == TypeKind::kString;
  const std::string type = ToString(field.field.type);
  if (field.not_blank && !text) return Bad(name + ": not_blank applies to string, not " + type);
  if (!field.allowed.empty() && !text)
    return Bad(name + ": allowed applies to string, not " + type);
  if (!field.pattern.empty()) {
    if (!text) return Bad(name + ": pattern applies to string, not " + type);
    const re2::RE2 pattern(field.pattern, re2::RE2::Quiet);
    if (!pattern.ok()) {
      return Bad(name + ": the pattern is not a regular expression: " + pattern.error());
    }
  }
  std::set<std::string_view> seen;
  for (const std::string& value : field.allowed) {
    if (!IsValidUtf8(value)) {
      return Bad(name + ": the allowed value " + Printable(value) + " is not UTF-8");
    }
    if (!seen.insert(value).second) return Bad(name + ": " + value + " is allowed twice");
  }
  return Ok();
}

Status CheckTimeRules(const ContractField& field) {
  const std::string& name = field.field.name;
  const bool timestamp = field.field.type.kind == TypeKind::kTimestamp;
  if (field.timestamp_format != TimestampFormat::kIso && !timestamp) {
    return Bad(name + ": a timestamp format applies to timestamp, not " +
               ToString(field.field.type));
  }
  if (field.assume_utc && (!timestamp || field.timestamp_format != TimestampFormat::kIso)) {
    return Bad(name + ": assume_utc applies to a timestamp that is read as ISO text");
  }
  if (!field.from_ingestion) return Ok();
  if (!timestamp) return Bad(name + ": `from: ingestion` needs the type timestamp");
  if (field.min || field.max || field.assume_utc ||
      field.timestamp_format != TimestampFormat::kIso) {
    return Bad(name + ": a field filled by ingestion takes no other rule");
  }
  return Ok();
}

Status CheckEventTypes(const Contract& contract) {
  if (contract.event_type_field.empty()) {
    if (contract.event_types.empty()) return Ok();
    return Bad("there are event types, but event_type_field does not say where the type stands");
  }
  const auto index = contract.IndexOf(contract.event_type_field);
  if (!index) return Bad("event_type_field " + contract.event_type_field + " is no field");
  const ContractField& type_field = contract.fields[*index];
  if (type_field.field.type.kind != TypeKind::kString) {
    return Bad("event_type_field " + contract.event_type_field + " must be a string, not " +
               ToString(type_field.field.type));
  }
  std::set<std::string_view> seen;
  for (const EventTypeRule& rule : contract.event_types) {
    if (!seen.insert(rule.event_type).second) {
      return Bad("event type " + rule.event_type + " is there twice");
    }
    const auto& allowed = type_field.allowed;
    if (!allowed.empty() &&
        std::find(allowed.begin(), allowed.end(), rule.event_type) == allowed.end()) {
      return Bad("event type " + rule.event_type + " is not among the allowed values of " +
                 contract.event_type_field);
    }
    for (const std::string& need : rule.needs) {
      const auto needed = contract.IndexOf(need);
      if (!needed)
        return Bad("event type " + rule.event_type + " needs " + need + ", which is no field");
      if (contract.fields[*needed].from_ingestion) {
        return Bad("event type " + rule.event_type + " needs " + need + ", which no event carries");
      }
    }
  }
  return Ok();
}

Status CheckEventTime(const Contract& contract) {
  if (contract.event_time_field.empty()) return Ok();
  const auto index = contract.IndexOf(contract.event_time_field);
  if (!index) return Bad("event_time_field " + contract.event_time_field + " is no field");
  const ContractField& time = contract.fields[*index];
  if (time.field.type.kind != TypeKind::kTimestamp || time.from_ingestion) {
    return Bad("event_time_field " + contract.event_time_field +
               " must be a timestamp that the event carries");
  }
  if (!time.field.required) {
    return Bad("event_time_field " + contract.event_time_field + " must be required");
  }
  return Ok();
}

}  // namespace

std::optional<std::size_t> Contract::IndexOf(std::string_view field_name) const {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].field.name == field_name) return i;
  }
  return std::nullopt;
}

Status Check(const Contract& contract) {
  const bool carried =
      std::any_of(contract.fields.begin(), contract.fields.end(),
                  [](const ContractField& field) { return !field.from_ingestion; });
  if (!carried) return Bad("the contract has no field that an event carries");
  const auto from_ingestion =
      std::count_if(contract.fields.begin(), contract.fields.end(),
                    [](const ContractField& field) { return field.from_ingestion; });
  if (from_ingestion > 1) return Bad("two fields are filled by ingestion; one is enough");
  for (const ContractField& field : contract.fields) {
    WEIR_TRY(CheckName(field.field.name, "fields"));
    WEIR_TRY(CheckType(field.field.type, field.field.name, 1));
    WEIR_TRY(CheckTextRules(field));
    WEIR_TRY(CheckBounds(field));
    WEIR_TRY(CheckTimeRules(field));
  }
  // Also finds a field in the place of the ingestion column or of the column of unknown fields.
  WEIR_TRY(CheckNames(TableSchema(contract).fields, "fields"));
  WEIR_TRY(CheckEventTypes(contract));
  return CheckEventTime(contract);
}

Schema TableSchema(const Contract& contract) {
  Schema schema;
  bool placed = false;
  for (const ContractField& field : contract.fields) {
    schema.fields.push_back(field.field);
    placed = placed || field.from_ingestion;
  }
  if (!placed) {
    schema.fields.push_back(Field{.name = std::string(kDefaultIngestionColumn),
                                  .type = Type::Of(TypeKind::kTimestamp),
                                  .doc = {}});
  }
  if (contract.unknown_fields == UnknownFields::kKeep) {
    const Type text = Type::Of(TypeKind::kString);
    schema.fields.push_back(
        Field{.name = contract.unknown_column, .type = Type::Map(text, text, true), .doc = {}});
  }
  return schema;
}

std::string IngestionColumn(const Contract& contract) {
  for (const ContractField& field : contract.fields) {
    if (field.from_ingestion) return field.field.name;
  }
  return std::string(kDefaultIngestionColumn);
}

}  // namespace weir
