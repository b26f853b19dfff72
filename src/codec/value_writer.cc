#include "codec/value_writer.h"

#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "codec/json_text.h"
#include "codec/json_walker.h"
#include "codec/number_text.h"
#include "codec/time_text.h"
#include "codec/uuid_text.h"

namespace weir::codec {

namespace {

constexpr std::size_t kShownBytes = 80;

// "an int", "a decimal(10,2)": what a sentence says of a type.
std::string WithArticle(const Type& type) {
  switch (type.kind) {
    case TypeKind::kInt:
      return "an int";
    case TypeKind::kStruct:
      return "an object";
    case TypeKind::kList:
      return "a list";
    case TypeKind::kMap:
      return "an object";
    default:
      return "a " + ToString(type);
  }
}

std::string Shown(const JsonValue& value) {
  switch (value.kind) {
    case JsonKind::kString: {
      std::string text;
      Unescape(value.text.substr(0, value.escaped ? value.text.size() : kShownBytes * 2), &text);
      return "\"" + Printable(text, kShownBytes) + "\"";
    }
    case JsonKind::kObject:
      return "an object";
    case JsonKind::kArray:
      return "a list";
    default:
      return Printable(value.text, kShownBytes);
  }
}

std::string ShownWithKind(const JsonValue& value) {
  switch (value.kind) {
    case JsonKind::kString:
      return "the text " + Shown(value);
    case JsonKind::kNumber:
      return "the number " + Shown(value);
    default:
      return Shown(value);
  }
}

constexpr const char* kTimestampExample = "a timestamp like 2026-09-01T10:00:00Z";

}  // namespace

std::string PointerStep(std::string_view name) {
  std::string step;
  for (char c : name) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

Rejection ValueWriter::TakeRejection() {
  std::string readable;
  for (auto step = path_.rbegin(); step != path_.rend(); ++step) {
    rejection_.pointer += "/" + PointerStep(*step);
    if (!readable.empty()) readable += '.';
    readable += Printable(*step, kShownBytes);
  }
  rejection_.message = readable + " " + rejection_.message;
  path_.clear();
  return std::exchange(rejection_, Rejection{});
}

bool ValueWriter::Refuse(RejectReason reason, std::string expected, const JsonValue& value,
                         std::string demand) {
  rejection_ = Rejection{};
  rejection_.reason = reason;
  rejection_.actual = Shown(value);
  rejection_.message = demand + expected + ", not " +
                       (reason == RejectReason::kWrongType ? ShownWithKind(value) : Shown(value));
  rejection_.expected = std::move(expected);
  path_.clear();
  return false;
}

bool ValueWriter::RefuseType(const JsonValue& value, const ValuePlan& plan) {
  return Refuse(RejectReason::kWrongType, WithArticle(plan.type), value);
}

std::string_view ValueWriter::TextOf(const JsonValue& value) {
  if (!value.escaped) return value.text;
  unescaped_.clear();
  Unescape(value.text, &unescaped_);
  return unescaped_;
}

bool ValueWriter::Append(const JsonValue& value, ValuePlan& plan, Column* column) {
  return AppendChild(value, plan, column, plan.name);
}

bool ValueWriter::AppendChild(const JsonValue& value, ValuePlan& plan, Column* column,
                              std::string_view step) {
  bool done = true;
  if (value.kind == JsonKind::kNull) {
    if (plan.required) {
      rejection_ = Rejection{};
      rejection_.reason = RejectReason::kMissing;
      rejection_.expected = WithArticle(plan.type);
      rejection_.actual = "nothing";
      rejection_.message = "is required";
      path_.clear();
      done = false;
    } else {
      column->AppendNull();
    }
  } else {
    switch (plan.type.kind) {
      case TypeKind::kStruct:
        done = AppendStruct(value, plan, column);
        break;
      case TypeKind::kList:
        done = AppendList(value, plan, column);
        break;
      case TypeKind::kMap:
        done = AppendMap(value, plan, column);
        break;
      default:
        done = AppendScalar(value, plan, column);
        break;
    }
  }
  if (!done) path_.emplace_back(step);
  return done;
}

bool ValueWriter::AppendScalar(const JsonValue& value, const ValuePlan& plan, Column* column) {
  switch (plan.type.kind) {
    case TypeKind::kString:
      if (value.kind != JsonKind::kString) return RefuseType(value, plan);
      column->AppendString(TextOf(value));
      return true;
    case TypeKind::kBoolean:
      if (value.kind != JsonKind::kTrue && value.kind != JsonKind::kFalse) {
        return RefuseType(value, plan);
      }
      column->AppendBoolean(value.kind == JsonKind::kTrue);
      return true;
    case TypeKind::kTimestamp:
      return AppendTimestamp(value, plan, column);
    case TypeKind::kDate: {
      if (value.kind != JsonKind::kString) return RefuseType(value, plan);
      std::int32_t day = 0;
      if (ParseDate(TextOf(value), &day) != TimeFault::kNone) {
        return Refuse(RejectReason::kBadTimestamp, "a date like 2026-09-01", value);
      }
      column->AppendInt(day);
      return true;
    }
    case TypeKind::kUuid: {
      if (value.kind != JsonKind::kString) return RefuseType(value, plan);
      Uuid uuid{};
      if (!ParseUuid(TextOf(value), &uuid)) {
        return Refuse(RejectReason::kBadUuid, "a uuid like 123e4567-e89b-12d3-a456-426614174000",
                      value);
      }
      column->AppendUuid(uuid);
      return true;
    }
    default:
      return AppendNumber(value, plan, column);
  }
}

bool ValueWriter::AppendNumber(const JsonValue& value, const ValuePlan& plan, Column* column) {
  const Type& type = plan.type;
  std::string_view text = value.text;
  if (type.kind == TypeKind::kDecimal && value.kind == JsonKind::kString) {
    text = TextOf(value);
    if (!IsNumber(text)) return RefuseType(value, plan);
  } else if (value.kind != JsonKind::kNumber) {
    return RefuseType(value, plan);
  }
  NumberFault fault = NumberFault::kNone;
  switch (type.kind) {
    case TypeKind::kInt: {
      std::int32_t number = 0;
      fault = ParseInt(text, &number);
      if (fault == NumberFault::kNone) column->AppendInt(number);
      break;
    }
    case TypeKind::kLong: {
      std::int64_t number = 0;
      fault = ParseLong(text, &number);
      if (fault == NumberFault::kNone) column->AppendLong(number);
      break;
    }
    case TypeKind::kFloat: {
      float number = 0;
      fault = ParseFloat(text, &number);
      if (fault == NumberFault::kNone) column->AppendFloat(number);
      break;
    }
    case TypeKind::kDouble: {
      double number = 0;
      fault = ParseDouble(text, &number);
      if (fault == NumberFault::kNone) column->AppendDouble(number);
      break;
    }
    case TypeKind::kDecimal: {
      Int128 number = 0;
      fault = ParseScaled(text, type.precision, type.scale, &number);
      if (fault == NumberFault::kNone) column->AppendDecimal(number);
      break;
    }
    default:
      WEIR_CHECK(false);
  }
  if (fault == NumberFault::kNone) return true;
  if (fault == NumberFault::kTooLarge) {
    return Refuse(RejectReason::kOutOfRange, WithArticle(type), value, "must fit ");
  }
  if (type.kind != TypeKind::kDecimal) return RefuseType(value, plan);
  return Refuse(RejectReason::kScaleLoss,
                "at most " + std::to_string(type.scale) + " decimal places", value, "must have ");
}

bool ValueWriter::AppendTimestamp(const JsonValue& value, const ValuePlan& plan, Column* column) {
  Micros time = 0;
  TimeFault fault = TimeFault::kNone;
  if (plan.timestamp_format == TimestampFormat::kIso) {
    if (value.kind != JsonKind::kString) {
      return Refuse(RejectReason::kWrongType, kTimestampExample, value);
    }
    fault = ParseTimestamp(TextOf(value), plan.assume_utc, &time);
    if (fault == TimeFault::kNotATime) {
      return Refuse(RejectReason::kBadTimestamp, kTimestampExample, value);
    }
    if (fault == TimeFault::kNoZone) {
      return Refuse(RejectReason::kNoZone, "a time zone, like 2026-09-01T10:00:00Z", value,
                    "must carry ");
    }
  } else {
    const bool seconds = plan.timestamp_format == TimestampFormat::kEpochSeconds;
    const bool millis = plan.timestamp_format == TimestampFormat::kEpochMillis;
    const std::string unit = seconds ? "seconds" : millis ? "milliseconds" : "microseconds";
    const bool text = value.kind == JsonKind::kString;
    if (!text && value.kind != JsonKind::kNumber) {
      return Refuse(RejectReason::kWrongType, "a number of " + unit + " since 1970", value);
    }
    const std::string_view number = TextOf(value);
    if (text && !IsNumber(number)) {
      return Refuse(RejectReason::kBadTimestamp, "a number of " + unit + " since 1970", value);
    }
    fault = ParseEpoch(number, seconds ? 6 : millis ? 3 : 0, &time);
  }
  if (fault == TimeFault::kOutOfRange) {
    return Refuse(RejectReason::kOutOfRange, "the years 0001 to 9999", value, "must lie in ");
  }
  column->AppendLong(time);
  return true;
}

bool ValueWriter::AppendStruct(const JsonValue& value, ValuePlan& plan, Column* column) {
  if (value.kind != JsonKind::kObject) return RefuseType(value, plan);
  for (JsonValue& slot : plan.scratch) slot = JsonValue{};
  JsonWalker walker(value);
  JsonMember member;
  while (walker.NextMember(&member)) {
    const std::string_view key = TextOf(member.key);
    const int child = plan.names.Find(key);
    if (child >= 0) {
      plan.scratch[static_cast<std::size_t>(child)] = member.value;
    } else if (plan.reject_unknown) {
      rejection_ = Rejection{};
      rejection_.reason = RejectReason::kUnknownField;
      rejection_.expected = "a field of the contract";
      rejection_.actual = Shown(member.value);
      rejection_.message = "is no field of the contract";
      path_.assign(1, std::string(key));
      return false;
    }
  }
  for (std::size_t i = 0; i < plan.children.size(); ++i) {
    ValuePlan& child = plan.children[i];
    if (!AppendChild(plan.scratch[i], child, &column->children()[i], child.name)) return false;
  }
  column->AppendStruct();
  return true;
}

bool ValueWriter::AppendList(const JsonValue& value, ValuePlan& plan, Column* column) {
  if (value.kind != JsonKind::kArray) return RefuseType(value, plan);
  JsonWalker walker(value);
  JsonValue item;
  std::size_t items = 0;
  for (; walker.NextItem(&item); ++items) {
    if (!AppendChild(item, plan.children[0], &column->children()[0], std::to_string(items))) {
      return false;
    }
  }
  column->AppendList(items);
  return true;
}

bool ValueWriter::AppendMap(const JsonValue& value, ValuePlan& plan, Column* column) {
  if (value.kind != JsonKind::kObject) return RefuseType(value, plan);
  JsonWalker walker(value);
  JsonMember member;
  std::size_t items = 0;
  for (; walker.NextMember(&member); ++items) {
    column->children()[0].AppendString(TextOf(member.key));
    if (!AppendChild(member.value, plan.children[0], &column->children()[1], {})) {
      path_.back() = std::string(TextOf(member.key));
      return false;
    }
  }
  column->AppendList(items);
  return true;
}

}  // namespace weir::codec
