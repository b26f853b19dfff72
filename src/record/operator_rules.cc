#include "record/operator_rules.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"

namespace weir {
namespace {

constexpr int kMaxPrecision = 38;
constexpr int kAverageDigits = 4;  // further fraction digits of an average of decimals

Error Bad(std::string message) {
  return InvalidInput(std::move(message), ErrorCode::kContractInvalid);
}

// Collects columns; names that differ only in case count as one, as in engines that ignore it.
class ColumnList {
 public:
  void Add(std::string name, Type type, bool required) {
    std::string folded;
    for (char c : name) folded += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (!seen_.insert(folded).second && clash_.empty()) clash_ = name;
    schema_.fields.push_back(
        {.name = std::move(name), .type = std::move(type), .required = required, .doc = {}});
  }
  void Required(std::string name, TypeKind kind) { Add(std::move(name), Type::Of(kind), true); }
  void Optional(std::string name, TypeKind kind) { Add(std::move(name), Type::Of(kind), false); }
  void Window() {
    Required("window_start", TypeKind::kTimestamp);
    Required("window_end", TypeKind::kTimestamp);
  }

  Schema Take() { return std::move(schema_); }
  Result<Schema> TakeDistinct() {
    if (!clash_.empty()) return Bad(fmt::format("two columns are named `{}`", Printable(clash_)));
    return std::move(schema_);
  }

 private:
  Schema schema_;
  std::set<std::string> seen_;
  std::string clash_;
};

// Looks columns of valid rows up by name.
class ContractColumns {
 public:
  explicit ContractColumns(const Contract& contract) : schema_(TableSchema(contract)) {}

  Result<Field> Find(const std::string& name) const {
    const auto index = schema_.IndexOf(name);
    if (!index) return Bad(fmt::format("`{}` is no column of the contract", Printable(name)));
    return schema_.fields[*index];
  }

 private:
  Schema schema_;
};

bool IsFloating(const Type& type) {
  return type.kind == TypeKind::kFloat || type.kind == TypeKind::kDouble;
}
bool IsInteger(const Type& type) {
  return type.kind == TypeKind::kInt || type.kind == TypeKind::kLong;
}

std::string_view NameOf(AggregateKind kind) {
  switch (kind) {
    case AggregateKind::kCount:
      return "count";
    case AggregateKind::kCountDistinct:
      return "count_distinct";
    case AggregateKind::kSum:
      return "sum";
    case AggregateKind::kMin:
      return "min";
    case AggregateKind::kMax:
      return "max";
    case AggregateKind::kAvg:
      return "avg";
  }
  return "";
}

Error NotTaken(const Aggregate& aggregate, const Field& column, std::string_view takes) {
  return Bad(fmt::format("{} takes {}; `{}` is {}", NameOf(aggregate.kind), takes,
                         Printable(column.name), ToString(column.type)));
}

Result<Type> SumType(const Aggregate& aggregate, const Field& column) {
  const Type& type = column.type;
  const bool average = aggregate.kind == AggregateKind::kAvg;
  if (IsFloating(type)) return Type::Of(TypeKind::kDouble);
  if (IsInteger(type)) {
    return average ? Type::Of(TypeKind::kDouble) : Type::Decimal(kMaxPrecision, 0);
  }
  if (type.kind != TypeKind::kDecimal) {
    return NotTaken(aggregate, column, "int, long, decimal and double");
  }
  const int scale = average ? std::min(type.scale + kAverageDigits, kMaxPrecision) : type.scale;
  return Type::Decimal(kMaxPrecision, scale);
}

Status AddAggregate(const Aggregate& aggregate, const ContractColumns& known, ColumnList& columns) {
  if (aggregate.kind == AggregateKind::kCount) {
    columns.Required(aggregate.name, TypeKind::kLong);
    return Ok();
  }
  WEIR_ASSIGN_OR_RETURN(const Field column, known.Find(aggregate.column));
  switch (aggregate.kind) {
    case AggregateKind::kCount:
    case AggregateKind::kCountDistinct:
      if (column.type.is_nested())
        return NotTaken(aggregate, column, "columns that hold one value");
      columns.Required(aggregate.name, TypeKind::kLong);
      break;
    case AggregateKind::kMin:
    case AggregateKind::kMax:
      if (column.type.is_nested())
        return NotTaken(aggregate, column, "columns that hold one value");
      columns.Add(aggregate.name, column.type, false);
      break;
    case AggregateKind::kSum:
    case AggregateKind::kAvg: {
      WEIR_ASSIGN_OR_RETURN(Type type, SumType(aggregate, column));
      columns.Add(aggregate.name, std::move(type), false);
      break;
    }
  }
  return Ok();
}

// Groups and keys are compared for equality, which is no good for floating point.
Status CheckKeyType(const Field& column) {
  if (!column.type.is_nested() && !IsFloating(column.type)) return Ok();
  return Bad(fmt::format("`{}` cannot be grouped by, because it is {}", Printable(column.name),
                         ToString(column.type)));
}

// Columns of a session that follow from its first and last rows.
Status AddFirstAndLast(const SessionRules& rules, const ContractColumns& known,
                       ColumnList& columns) {
  if (!rules.page.empty()) {
    WEIR_ASSIGN_OR_RETURN(const Field page, known.Find(rules.page));
    columns.Add("entry_page", page.type, false);
    columns.Add("exit_page", page.type, false);
  }
  for (const std::string& name : rules.first) {
    WEIR_ASSIGN_OR_RETURN(const Field column, known.Find(name));
    columns.Add("first_" + name, column.type, false);
  }
  for (const std::string& name : rules.last) {
    WEIR_ASSIGN_OR_RETURN(const Field column, known.Find(name));
    columns.Add("last_" + name, column.type, false);
  }
  return Ok();
}

Status CheckValueColumns(const SessionRules& rules, const ContractColumns& known) {
  if (rules.value_event.empty()) return Ok();
  WEIR_ASSIGN_OR_RETURN(const Field price, known.Find(rules.price));
  if (price.type.kind != TypeKind::kDecimal) {
    return Bad(fmt::format("the price `{}` must be a decimal, not {}", Printable(price.name),
                           ToString(price.type)));
  }
  if (rules.quantity.empty()) return Ok();
  WEIR_ASSIGN_OR_RETURN(const Field quantity, known.Find(rules.quantity));
  if (!IsInteger(quantity.type)) {
    return Bad(fmt::format("the quantity `{}` must be an int or long, not {}",
                           Printable(quantity.name), ToString(quantity.type)));
  }
  return Ok();
}

}  // namespace

Schema LateColumns(const Contract& contract) {
  ColumnList columns;
  for (Field& field : TableSchema(contract).fields) {
    columns.Add(std::move(field.name), std::move(field.type), field.required);
  }
  columns.Required("topic", TypeKind::kString);
  columns.Required("partition", TypeKind::kInt);
  columns.Required("offset", TypeKind::kLong);
  columns.Required("watermark", TypeKind::kTimestamp);
  columns.Required("lateness_ms", TypeKind::kLong);
  columns.Required("missed", TypeKind::kString);
  return columns.Take();
}

Result<Schema> WindowColumns(const Contract& contract, const WindowRules& rules) {
  const ContractColumns known(contract);
  ColumnList columns;
  for (const std::string& name : rules.by) {
    WEIR_ASSIGN_OR_RETURN(const Field column, known.Find(name));
    WEIR_TRY(CheckKeyType(column));
    columns.Add(name, column.type, column.required);
  }
  columns.Window();
  for (const Aggregate& aggregate : rules.aggregates) {
    WEIR_TRY(AddAggregate(aggregate, known, columns));
  }
  return columns.TakeDistinct();
}

Result<Schema> SessionColumns(const Contract& contract, const SessionRules& rules) {
  const ContractColumns known(contract);
  ColumnList columns;
  WEIR_ASSIGN_OR_RETURN(const Field key, known.Find(rules.by));
  WEIR_TRY(CheckKeyType(key));
  columns.Add(rules.by, key.type, true);
  columns.Required("session_id", TypeKind::kString);
  columns.Required("session_start", TypeKind::kTimestamp);
  columns.Required("session_end", TypeKind::kTimestamp);
  columns.Required("duration_s", TypeKind::kDouble);
  columns.Required("events", TypeKind::kLong);
  columns.Add("event_counts",
              Type::Map(Type::Of(TypeKind::kString), Type::Of(TypeKind::kLong), true), false);
  WEIR_TRY(AddFirstAndLast(rules, known, columns));
  columns.Required("is_bounce", TypeKind::kBoolean);
  WEIR_TRY(CheckValueColumns(rules, known));
  columns.Add("order_value", Type::Decimal(18, 2), false);
  columns.Required("is_open", TypeKind::kBoolean);
  columns.Required("source_partition", TypeKind::kInt);
  return columns.TakeDistinct();
}

Schema FunnelColumns() {
  ColumnList columns;
  columns.Window();
  columns.Required("step", TypeKind::kInt);
  columns.Required("event_type", TypeKind::kString);
  columns.Required("sessions", TypeKind::kLong);
  columns.Optional("from_first", TypeKind::kDouble);
  columns.Optional("from_previous", TypeKind::kDouble);
  columns.Optional("median_s", TypeKind::kDouble);
  columns.Required("is_final", TypeKind::kBoolean);
  return columns.Take();
}

Schema ActiveUserColumns() {
  ColumnList columns;
  columns.Required("minute", TypeKind::kTimestamp);
  columns.Required("users_5m", TypeKind::kLong);
  columns.Required("users_30m", TypeKind::kLong);
  return columns.Take();
}

Schema SessionStatsColumns() {
  ColumnList columns;
  columns.Window();
  columns.Required("sessions", TypeKind::kLong);
  columns.Required("median_s", TypeKind::kDouble);
  columns.Required("p90_s", TypeKind::kDouble);
  columns.Required("bounces", TypeKind::kLong);
  return columns.Take();
}

Schema DecisionColumns() {
  ColumnList columns;
  columns.Required("epoch", TypeKind::kLong);
  columns.Required("kind", TypeKind::kString);
  columns.Optional("partition", TypeKind::kInt);
  columns.Optional("offset", TypeKind::kLong);
  columns.Optional("value", TypeKind::kTimestamp);
  columns.Optional("watermark", TypeKind::kTimestamp);
  columns.Required("time", TypeKind::kTimestamp);
  return columns.Take();
}

}  // namespace weir
