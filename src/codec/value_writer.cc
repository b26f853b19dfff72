#include "codec/value_writer.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "codec/json_text.h"
#include "codec/json_walker.h"
#include "codec/scalar_value.h"

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

// What a place wants to see, and the words that ask for it.
struct Demand {
  RejectReason reason;
  std::string verb;
  std::string expected;
};

std::string TimeWanted(const ValuePlan& plan) {
  if (plan.type.kind == TypeKind::kDate) return "a date like 2026-09-01";
  switch (plan.timestamp_format) {
    case TimestampFormat::kIso:
      return "a timestamp like 2026-09-01T10:00:00Z";
    case TimestampFormat::kEpochSeconds:
      return "a number of seconds since 1970";
    case TimestampFormat::kEpochMillis:
      return "a number of milliseconds since 1970";
    case TimestampFormat::kEpochMicros:
      return "a number of microseconds since 1970";
  }
  return {};
}

Demand DemandOf(ScalarFault fault, const ValuePlan& plan) {
  const TypeKind kind = plan.type.kind;
  const bool time = kind == TypeKind::kTimestamp || kind == TypeKind::kDate;
  switch (fault) {
    case ScalarFault::kTooLarge:
      if (time) return {RejectReason::kOutOfRange, "must lie in ", "the years 0001 to 9999"};
      return {RejectReason::kOutOfRange, "must fit ", WithArticle(plan.type)};
    case ScalarFault::kScaleLoss:
      return {RejectReason::kScaleLoss, "must have ",
              "at most " + std::to_string(plan.type.scale) + " decimal places"};
    case ScalarFault::kNotATime:
      return {RejectReason::kBadTimestamp, "must be ", TimeWanted(plan)};
    case ScalarFault::kNoZone:
      return {RejectReason::kNoZone, "must carry ", "a time zone, like 2026-09-01T10:00:00Z"};
    case ScalarFault::kNotAUuid:
      return {RejectReason::kBadUuid, "must be ",
              "a uuid like 123e4567-e89b-12d3-a456-426614174000"};
    default:
      return {RejectReason::kWrongType, "must be ",
              time ? TimeWanted(plan) : WithArticle(plan.type)};
  }
}

}  // namespace

Rejection ValueWriter::TakeRejection() {
  std::string readable;
  std::reverse(path_.begin(), path_.end());
  for (const std::string& step : path_) {
    rejection_.pointer += "/" + PointerStep(step);
    if (!readable.empty()) readable += '.';
    readable += Printable(step, kShownBytes);
  }
  rejection_.message = readable + " " + rejection_.message;
  path_.clear();
  return std::exchange(rejection_, Rejection{});
}

bool ValueWriter::Refuse(ScalarFault fault, const JsonValue& value, const ValuePlan& plan) {
  const Demand demand = DemandOf(fault, plan);
  rejection_ = Rejection{};
  rejection_.reason = demand.reason;
  rejection_.actual = Shown(value);
  rejection_.message = demand.verb + demand.expected + ", not " +
                       (fault == ScalarFault::kWrongType ? ShownWithKind(value) : Shown(value));
  rejection_.expected = demand.expected;
  path_.clear();
  return false;
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

bool ValueWriter::AppendScalar(const JsonValue& raw, const ValuePlan& plan, Column* column) {
  const JsonValue value{TextOf(raw), raw.kind, false};
  const auto append = [&](auto read, auto write, auto out) {
    const ScalarFault fault = read(&out);
    if (fault != ScalarFault::kNone) return Refuse(fault, raw, plan);
    write(out);
    return true;
  };
  switch (plan.type.kind) {
    case TypeKind::kString:
      if (value.kind != JsonKind::kString) return Refuse(ScalarFault::kWrongType, raw, plan);
      column->AppendString(value.text);
      return true;
    case TypeKind::kBoolean:
      return append([&](std::uint8_t* out) { return ReadBoolean(value, out); },
                    [&](std::uint8_t flag) { column->AppendBoolean(flag != 0); }, std::uint8_t{});
    case TypeKind::kInt:
      return append([&](std::int32_t* out) { return ReadInt(value, out); },
                    [&](std::int32_t number) { column->AppendInt(number); }, std::int32_t{});
    case TypeKind::kLong:
      return append([&](std::int64_t* out) { return ReadLong(value, out); },
                    [&](std::int64_t number) { column->AppendLong(number); }, std::int64_t{});
    case TypeKind::kFloat:
      return append([&](float* out) { return ReadFloat(value, out); },
                    [&](float number) { column->AppendFloat(number); }, float{});
    case TypeKind::kDouble:
      return append([&](double* out) { return ReadDouble(value, out); },
                    [&](double number) { column->AppendDouble(number); }, double{});
    case TypeKind::kDecimal:
      return append([&](Int128* out) { return ReadDecimal(value, plan.type, out); },
                    [&](Int128 number) { column->AppendDecimal(number); }, Int128{});
    case TypeKind::kDate:
      return append([&](std::int32_t* out) { return ReadDate(value, out); },
                    [&](std::int32_t day) { column->AppendInt(day); }, std::int32_t{});
    case TypeKind::kTimestamp:
      return append([&](Micros* out) { return ReadTimestamp(value, plan, out); },
                    [&](Micros time) { column->AppendLong(time); }, Micros{});
    case TypeKind::kUuid:
      return append([&](Uuid* out) { return ReadUuid(value, out); },
                    [&](const Uuid& uuid) { column->AppendUuid(uuid); }, Uuid{});
    default:
      WEIR_CHECK(false);
      return false;
  }
}

bool ValueWriter::AppendStruct(const JsonValue& value, ValuePlan& plan, Column* column) {
  if (value.kind != JsonKind::kObject) return Refuse(ScalarFault::kWrongType, value, plan);
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
  if (value.kind != JsonKind::kArray) return Refuse(ScalarFault::kWrongType, value, plan);
  JsonWalker walker(value);
  JsonValue item;
  std::size_t items = 0;
  for (; walker.NextItem(&item); ++items) {
    if (!AppendChild(item, plan.children[0], column->children().data(), std::to_string(items))) {
      return false;
    }
  }
  column->AppendList(items);
  return true;
}

bool ValueWriter::AppendMap(const JsonValue& value, ValuePlan& plan, Column* column) {
  if (value.kind != JsonKind::kObject) return Refuse(ScalarFault::kWrongType, value, plan);
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
