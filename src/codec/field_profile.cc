#include "codec/field_profile.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/bytes.h"
#include "codec/scalar_value.h"

namespace weir::codec {
namespace {

constexpr std::size_t kMaxExample = 40;
constexpr std::size_t kMaxName = 200;
constexpr int kMaxDepth = 64;

ValueKind KindOfNumber(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    const bool whole = text.find_first_of(".eE") == std::string_view::npos;
    return whole ? ValueKind::kInteger : ValueKind::kNumber;
  }
  constexpr std::int64_t kFirst = 1'000'000'000;  // 2001-09-09 in seconds
  constexpr std::int64_t kLast = 9'999'999'999;   // 2286-11-20
  if (number >= kFirst && number <= kLast) return ValueKind::kSeconds;
  if (number >= kFirst * 1'000 && number <= kLast * 1'000) return ValueKind::kMillis;
  if (number >= kFirst * 1'000'000 && number <= kLast * 1'000'000) return ValueKind::kMicros;
  return ValueKind::kInteger;
}

ValueKind KindOfText(const JsonValue& value) {
  if (value.escaped || value.text.empty() || value.text.size() > 64) return ValueKind::kText;
  Micros time = 0;
  std::int32_t day = 0;
  Uuid uuid{};
  Int128 decimal = 0;
  static const Type kDecimal = Type::Decimal(38, 18);
  if (ReadTimestamp(value, ValuePlan(), &time) == ScalarFault::kNone) return ValueKind::kTimeText;
  if (ReadDate(value, &day) == ScalarFault::kNone) return ValueKind::kDateText;
  if (ReadUuid(value, &uuid) == ScalarFault::kNone) return ValueKind::kUuidText;
  if (ReadDecimal(value, kDecimal, &decimal) == ScalarFault::kNone) return ValueKind::kNumberText;
  return ValueKind::kText;
}

bool IsWhole(ValueKind kind) { return kind >= ValueKind::kInteger && kind <= ValueKind::kMicros; }
bool IsTime(ValueKind kind) { return kind >= ValueKind::kSeconds && kind <= ValueKind::kMicros; }
bool IsText(ValueKind kind) { return kind >= ValueKind::kText && kind <= ValueKind::kUuidText; }

bool FitsTime(ValueKind kind, const ContractField& field) {
  switch (field.timestamp_format) {
    case TimestampFormat::kEpochSeconds:
      return kind == ValueKind::kSeconds || kind == ValueKind::kNumber ||
             kind == ValueKind::kNumberText;
    case TimestampFormat::kEpochMillis:
      return kind == ValueKind::kMillis || kind == ValueKind::kNumber ||
             kind == ValueKind::kNumberText;
    case TimestampFormat::kEpochMicros:
      return kind == ValueKind::kMicros || kind == ValueKind::kNumberText;
    case TimestampFormat::kIso:
      break;
  }
  return kind == ValueKind::kTimeText || (field.assume_utc && kind == ValueKind::kText);
}

// The one type of values of these kinds, null left out.
std::optional<Type> TypeOf(const std::set<ValueKind>& kinds) {
  const auto all = [&](auto test) { return std::all_of(kinds.begin(), kinds.end(), test); };
  const auto only = [&](ValueKind kind) { return kinds.size() == 1 && *kinds.begin() == kind; };
  if (only(ValueKind::kBoolean)) return Type::Of(TypeKind::kBoolean);
  if (all(IsWhole)) return Type::Of(TypeKind::kLong);
  if (all([](ValueKind kind) { return IsWhole(kind) || kind == ValueKind::kNumber; }))
    return Type::Of(TypeKind::kDouble);
  if (only(ValueKind::kTimeText)) return Type::Of(TypeKind::kTimestamp);
  if (only(ValueKind::kDateText)) return Type::Of(TypeKind::kDate);
  if (only(ValueKind::kUuidText)) return Type::Of(TypeKind::kUuid);
  if (all(IsText)) return Type::Of(TypeKind::kString);
  return std::nullopt;
}

}  // namespace

std::string_view ToString(ValueKind kind) {
  switch (kind) {
    case ValueKind::kNull:
      return "null";
    case ValueKind::kBoolean:
      return "boolean";
    case ValueKind::kInteger:
      return "integer";
    case ValueKind::kSeconds:
      return "integer (seconds)";
    case ValueKind::kMillis:
      return "integer (milliseconds)";
    case ValueKind::kMicros:
      return "integer (microseconds)";
    case ValueKind::kNumber:
      return "number";
    case ValueKind::kText:
      return "text";
    case ValueKind::kNumberText:
      return "text (number)";
    case ValueKind::kTimeText:
      return "text (time)";
    case ValueKind::kDateText:
      return "text (date)";
    case ValueKind::kUuidText:
      return "text (uuid)";
    case ValueKind::kObject:
      return "object";
    case ValueKind::kList:
      return "list";
  }
  return "";
}

ValueKind KindOf(const JsonValue& value) {
  switch (value.kind) {
    case JsonKind::kNull:
      return ValueKind::kNull;
    case JsonKind::kTrue:
    case JsonKind::kFalse:
      return ValueKind::kBoolean;
    case JsonKind::kNumber:
      return KindOfNumber(value.text);
    case JsonKind::kString:
      return KindOfText(value);
    case JsonKind::kObject:
      return ValueKind::kObject;
    case JsonKind::kArray:
      return ValueKind::kList;
  }
  return ValueKind::kNull;
}

FieldProfile::FieldProfile() : scanner_(kMaxDepth) {}

void FieldProfile::Observe(std::string_view json, const LogRecord& record,
                           std::string_view producer) {
  ++records_;
  if (scanner_.Scan(json)) {
    ++unreadable_;
    return;
  }
  auto known = producers_.find(producer);
  if (known == producers_.end() && producers_.size() < kMaxProducers) {
    known = producers_.emplace(std::string(producer.substr(0, kMaxName)), 0).first;
  }
  const std::string name(known == producers_.end() ? kOthers : std::string_view(known->first));
  for (const JsonMember& member : scanner_.members()) {
    std::string field(scanner_.TextOf(member.key).substr(0, kMaxName));
    auto found = fields_.find(field);
    if (found == fields_.end() && fields_.size() >= kMaxFields) {
      ++beyond_;
      continue;
    }
    if (found == fields_.end()) found = fields_.try_emplace(std::move(field)).first;
    KindCount& count = found->second[name].kinds[KindOf(member.value)];
    if (count.count++ > 0) continue;
    count.partition = record.partition;
    count.offset = record.offset;
    count.example = Printable(member.value.text, kMaxExample);
  }
}

bool Fits(ValueKind kind, const ContractField& field) {
  if (kind == ValueKind::kNull) return true;
  switch (field.field.type.kind) {
    case TypeKind::kBoolean:
      return kind == ValueKind::kBoolean;
    case TypeKind::kInt:
    case TypeKind::kLong:
    case TypeKind::kFloat:
    case TypeKind::kDouble:
      return IsWhole(kind) || kind == ValueKind::kNumber;
    case TypeKind::kDecimal:
      return IsWhole(kind) || kind == ValueKind::kNumber || kind == ValueKind::kNumberText;
    case TypeKind::kDate:
      return kind == ValueKind::kDateText;
    case TypeKind::kTimestamp:
      return FitsTime(kind, field);
    case TypeKind::kUuid:
      return kind == ValueKind::kUuidText;
    case TypeKind::kString:
    case TypeKind::kBinary:
      return IsText(kind);
    case TypeKind::kStruct:
    case TypeKind::kMap:
      return kind == ValueKind::kObject;
    case TypeKind::kList:
      return kind == ValueKind::kList;
  }
  return false;
}

bool AreDrift(ValueKind a, ValueKind b, bool may_be_time) {
  if (a == b || a == ValueKind::kNull || b == ValueKind::kNull) return false;
  const bool numbers =
      (IsWhole(a) || a == ValueKind::kNumber) && (IsWhole(b) || b == ValueKind::kNumber);
  if (numbers) return may_be_time && IsTime(a) && IsTime(b);
  // Any text may look like a number or a date by chance.
  if (IsText(a) && IsText(b)) return may_be_time;
  return true;
}

bool SoundsLikeTime(std::string_view name) {
  std::string folded(name);
  std::transform(folded.begin(), folded.end(), folded.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (const std::string_view end : {"time", "timestamp", "date", "_at", "_ts", "_ms", "millis"}) {
    if (folded.ends_with(end)) return true;
  }
  return folded == "ts" || folded == "at" || folded == "when";
}

Result<ContractField> ProposeField(const std::string& name,
                                   const std::map<ValueKind, KindCount>& kinds) {
  std::set<ValueKind> seen;
  std::string all;
  for (const auto& [kind, count] : kinds) {
    if (kind == ValueKind::kNull) continue;
    seen.insert(kind);
    all += (all.empty() ? "" : ", ") + std::string(ToString(kind));
  }
  ContractField field;
  field.field.name = name;
  if (seen.empty()) return InvalidInput("`" + Printable(name, 60) + "` was never more than null");
  const auto type = TypeOf(seen);
  if (!type) {
    return WithRemedy(InvalidInput("`" + Printable(name, 60) + "` has no one type: " + all),
                      "write a struct, list or map by hand; or let the producers agree first");
  }
  field.field.type = *type;
  if (type->kind != TypeKind::kLong || seen.size() != 1 || !SoundsLikeTime(name)) return field;
  if (IsTime(*seen.begin())) field.field.type = Type::Of(TypeKind::kTimestamp);
  if (seen.contains(ValueKind::kSeconds)) field.timestamp_format = TimestampFormat::kEpochSeconds;
  if (seen.contains(ValueKind::kMillis)) field.timestamp_format = TimestampFormat::kEpochMillis;
  if (seen.contains(ValueKind::kMicros)) field.timestamp_format = TimestampFormat::kEpochMicros;
  return field;
}

}  // namespace weir::codec
