#include "codec/scalar_value.h"

#include "codec/json_text.h"
#include "codec/number_text.h"
#include "codec/time_text.h"

namespace weir::codec {

namespace {

ScalarFault FaultOf(NumberFault fault) {
  switch (fault) {
    case NumberFault::kNone:
      return ScalarFault::kNone;
    case NumberFault::kLoss:
      return ScalarFault::kScaleLoss;
    case NumberFault::kTooLarge:
      return ScalarFault::kTooLarge;
  }
  return ScalarFault::kNone;
}

// A fraction in an int is another kind of number, not a loss of scale.
ScalarFault WholeFaultOf(NumberFault fault) {
  return fault == NumberFault::kLoss ? ScalarFault::kWrongType : FaultOf(fault);
}

ScalarFault FaultOf(TimeFault fault) {
  switch (fault) {
    case TimeFault::kNone:
      return ScalarFault::kNone;
    case TimeFault::kNotATime:
      return ScalarFault::kNotATime;
    case TimeFault::kNoZone:
      return ScalarFault::kNoZone;
    case TimeFault::kOutOfRange:
      return ScalarFault::kTooLarge;
  }
  return ScalarFault::kNone;
}

}  // namespace

ScalarFault ReadBoolean(const JsonValue& value, std::uint8_t* out) {
  if (value.kind != JsonKind::kTrue && value.kind != JsonKind::kFalse) {
    return ScalarFault::kWrongType;
  }
  *out = value.kind == JsonKind::kTrue ? 1 : 0;
  return ScalarFault::kNone;
}

ScalarFault ReadInt(const JsonValue& value, std::int32_t* out) {
  if (value.kind != JsonKind::kNumber) return ScalarFault::kWrongType;
  return WholeFaultOf(ParseInt(value.text, out));
}

ScalarFault ReadLong(const JsonValue& value, std::int64_t* out) {
  if (value.kind != JsonKind::kNumber) return ScalarFault::kWrongType;
  return WholeFaultOf(ParseLong(value.text, out));
}

ScalarFault ReadFloat(const JsonValue& value, float* out) {
  if (value.kind != JsonKind::kNumber) return ScalarFault::kWrongType;
  return FaultOf(ParseFloat(value.text, out));
}

ScalarFault ReadDouble(const JsonValue& value, double* out) {
  if (value.kind != JsonKind::kNumber) return ScalarFault::kWrongType;
  return FaultOf(ParseDouble(value.text, out));
}

ScalarFault ReadDecimal(const JsonValue& value, const Type& type, Int128* out) {
  const bool spelled = value.kind == JsonKind::kString && IsNumber(value.text);
  if (value.kind != JsonKind::kNumber && !spelled) return ScalarFault::kWrongType;
  return FaultOf(ParseScaled(value.text, type.precision, type.scale, out));
}

ScalarFault ReadDate(const JsonValue& value, std::int32_t* out) {
  if (value.kind != JsonKind::kString) return ScalarFault::kWrongType;
  return FaultOf(ParseDate(value.text, out));
}

ScalarFault ReadTimestamp(const JsonValue& value, const ValuePlan& plan, Micros* out) {
  if (plan.timestamp_format == TimestampFormat::kIso) {
    if (value.kind != JsonKind::kString) return ScalarFault::kWrongType;
    return FaultOf(ParseTimestamp(value.text, plan.assume_utc, out));
  }
  if (value.kind == JsonKind::kString) {
    if (!IsNumber(value.text)) return ScalarFault::kNotATime;
  } else if (value.kind != JsonKind::kNumber) {
    return ScalarFault::kWrongType;
  }
  const int digits = plan.timestamp_format == TimestampFormat::kEpochSeconds  ? 6
                     : plan.timestamp_format == TimestampFormat::kEpochMillis ? 3
                                                                              : 0;
  return FaultOf(ParseEpoch(value.text, digits, out));
}

ScalarFault ReadUuid(const JsonValue& value, Uuid* out) {
  if (value.kind != JsonKind::kString) return ScalarFault::kWrongType;
  return ParseUuid(value.text, out) ? ScalarFault::kNone : ScalarFault::kNotAUuid;
}

}  // namespace weir::codec
