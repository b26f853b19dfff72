#include "config/type_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "config/descriptor.h"
#include "config/quantity.h"

namespace weir::config {
namespace {

constexpr int kMaxDepth = 16;
constexpr std::size_t kMaxDecimalDigits = 38;

struct Primitive {
  std::string_view name;
  TypeKind kind;
};
constexpr std::array kPrimitives = {
    Primitive{"string", TypeKind::kString},   Primitive{"int", TypeKind::kInt},
    Primitive{"long", TypeKind::kLong},       Primitive{"double", TypeKind::kDouble},
    Primitive{"boolean", TypeKind::kBoolean}, Primitive{"timestamp", TypeKind::kTimestamp},
    Primitive{"date", TypeKind::kDate},       Primitive{"uuid", TypeKind::kUuid},
};
constexpr std::array<std::string_view, 12> kTypeNames = {
    "string",    "int",  "long", "double", "boolean", "decimal(10,2)",
    "timestamp", "date", "uuid", "struct", "list",    "map"};

Error Bad(std::string message) { return InvalidInput(std::move(message), ErrorCode::kBadValue); }

std::string Quoted(std::string_view text) { return "`" + Printable(text, 60) + "`"; }

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// The text between `open` and the last character, when text = name + open + ... + close.
std::optional<std::string_view> Argument(std::string_view text, std::string_view name, char open,
                                         char close) {
  if (!text.starts_with(name)) return std::nullopt;
  std::string_view rest = Trim(text.substr(name.size()));
  if (rest.size() < 2 || rest.front() != open || rest.back() != close) return std::nullopt;
  return Trim(rest.substr(1, rest.size() - 2));
}

// The comma that is inside no bracket.
std::size_t TopLevelComma(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<' || text[i] == '(') ++depth;
    if (text[i] == '>' || text[i] == ')') --depth;
    if (text[i] == ',' && depth == 0) return i;
  }
  return std::string_view::npos;
}

std::optional<int> SmallNumber(std::string_view text) {
  text = Trim(text);
  int number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<Type> ParseDecimal(std::string_view text, std::string_view argument) {
  const std::size_t comma = std::min(argument.find(','), argument.size());
  const auto precision = SmallNumber(argument.substr(0, comma));
  const auto scale =
      comma == argument.size() ? std::optional<int>(0) : SmallNumber(argument.substr(comma + 1));
  if (!precision || !scale || *precision < 1 || *precision > 38 || *scale < 0 ||
      *scale > *precision) {
    return Bad(fmt::format("{} is no decimal; write decimal(p,s) with 1 <= p <= 38 and 0 <= s <= p",
                           Quoted(text)));
  }
  return Type::Decimal(*precision, *scale);
}

Error UnknownType(std::string_view text) {
  const auto opened =
      std::count_if(text.begin(), text.end(), [](char c) { return c == '(' || c == '<'; });
  const auto closed =
      std::count_if(text.begin(), text.end(), [](char c) { return c == ')' || c == '>'; });
  if (opened > closed) {
    return Bad(fmt::format("{} is cut off; quote a type that holds a comma: \"decimal(10,2)\"",
                           Quoted(text)));
  }
  std::string message = fmt::format("{} is no type", Quoted(text));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kForeign = {
      {{"integer", "int"},
       {"bigint", "long"},
       {"float", "double"},
       {"bool", "boolean"},
       {"text", "string"},
       {"datetime", "timestamp"},
       {"timestamptz", "timestamp"},
       {"decimal", "decimal(10,2)"}}};
  std::string_view meant = ClosestTo(text, kTypeNames);
  for (const auto& [foreign, ours] : kForeign) {
    if (text == foreign) meant = ours;
  }
  if (!meant.empty()) message += fmt::format(" (did you mean `{}`?)", meant);
  return Bad(fmt::format("{}; there are {}", message, fmt::join(kTypeNames, ", ")));
}

Result<Type> Parse(std::string_view text, int depth) {
  text = Trim(text);
  if (depth > kMaxDepth) return Bad(fmt::format("types nest deeper than {}", kMaxDepth));
  for (const Primitive& primitive : kPrimitives) {
    if (text == primitive.name) return Type::Of(primitive.kind);
  }
  if (const auto argument = Argument(text, "decimal", '(', ')'))
    return ParseDecimal(text, *argument);
  if (const auto argument = Argument(text, "list", '<', '>')) {
    WEIR_ASSIGN_OR_RETURN(Type element, Parse(*argument, depth + 1));
    return Type::List(std::move(element));
  }
  if (const auto argument = Argument(text, "map", '<', '>')) {
    const std::size_t comma = TopLevelComma(*argument);
    if (comma == std::string_view::npos || Trim(argument->substr(0, comma)) != "string") {
      return Bad(
          fmt::format("{} is no map; write map<string, T>: JSON keys are texts", Quoted(text)));
    }
    WEIR_ASSIGN_OR_RETURN(Type value, Parse(argument->substr(comma + 1), depth + 1));
    return Type::Map(Type::Of(TypeKind::kString), std::move(value));
  }
  if (text.starts_with("struct")) {
    return Bad("a struct is written as {type: struct, fields: {name: type, ...}}");
  }
  return UnknownType(text);
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Exact: sign, digits, and at most `scale` digits after the point.
std::optional<Int128> ParseUnscaled(std::string_view text, int scale) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  const bool dangling = point < text.size() && fraction.empty();
  while (fraction.ends_with('0')) fraction.remove_suffix(1);
  if (whole.empty() || dangling || fraction.size() > static_cast<std::size_t>(scale) ||
      whole.size() + static_cast<std::size_t>(scale) > kMaxDecimalDigits) {
    return std::nullopt;
  }
  Int128 value = 0;
  const auto append = [&value](std::string_view digits) {
    for (char c : digits) {
      if (!IsDigit(c)) return false;
      value = value * 10 + (c - '0');
    }
    return true;
  };
  if (!append(whole) || !append(fraction)) return std::nullopt;
  for (std::size_t i = fraction.size(); i < static_cast<std::size_t>(scale); ++i) value *= 10;
  return negative ? -value : value;
}

Result<Bound> NumberBound(std::string_view text, const Type& type) {
  std::string digits(text);
  if (type.kind != TypeKind::kDecimal) {
    WEIR_ASSIGN_OR_RETURN(const std::int64_t whole, ParseCount(text));
    digits = std::to_string(whole);
  }
  const auto number = ParseUnscaled(digits, type.scale);
  if (!number) return Bad(fmt::format("{} is no {}", Quoted(text), ToString(type)));
  return Bound{.number = *number, .real = 0, .text = std::string(text)};
}

Result<Bound> RealBound(std::string_view text) {
  double real = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), real);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || !std::isfinite(real)) {
    return Bad(fmt::format("{} is no number", Quoted(text)));
  }
  return Bound{.number = 0, .real = real, .text = std::string(text)};
}

}  // namespace

Result<Type> ParseType(std::string_view text) { return Parse(text, 1); }

Result<Bound> ParseBound(std::string_view text, const Type& type) {
  switch (type.kind) {
    case TypeKind::kInt:
    case TypeKind::kLong:
    case TypeKind::kDecimal:
      return NumberBound(text, type);
    case TypeKind::kFloat:
    case TypeKind::kDouble:
      return RealBound(text);
    case TypeKind::kDate: {
      WEIR_ASSIGN_OR_RETURN(const std::int32_t day, ParseDate(text));
      return Bound{.number = day, .real = 0, .text = std::string(text)};
    }
    case TypeKind::kTimestamp: {
      WEIR_ASSIGN_OR_RETURN(const Micros time, ParseTime(text));
      return Bound{.number = time, .real = 0, .text = std::string(text)};
    }
    default:
      return Bad(fmt::format("a {} has no least or greatest value", ToString(type)));
  }
}

}  // namespace weir::config
