#pragma once
// What a JSON value is worth in a type of the contract: the one definition that the strict and the
// fast reader share. Strings come unescaped. Nulls never come here.

#include <cstdint>

#include "base/time.h"
#include "codec/json_value.h"
#include "codec/uuid_text.h"
#include "codec/value_plan.h"
#include "record/type.h"

namespace weir::codec {

enum class ScalarFault : std::uint8_t {
  kNone,
  kWrongType,  // another kind of value, or a number with a fraction in an int
  kTooLarge,   // for the type, or for the years 0001 to 9999
  kScaleLoss,  // a decimal with more digits than its scale
  kNotATime,   // no date or timestamp
  kNoZone,
  kNotAUuid,
};

ScalarFault ReadBoolean(const JsonValue& value, std::uint8_t* out);
ScalarFault ReadInt(const JsonValue& value, std::int32_t* out);
ScalarFault ReadLong(const JsonValue& value, std::int64_t* out);
ScalarFault ReadFloat(const JsonValue& value, float* out);
ScalarFault ReadDouble(const JsonValue& value, double* out);
ScalarFault ReadDecimal(const JsonValue& value, const Type& type, Int128* out);
ScalarFault ReadDate(const JsonValue& value, std::int32_t* out);
ScalarFault ReadTimestamp(const JsonValue& value, const ValuePlan& plan, Micros* out);
ScalarFault ReadUuid(const JsonValue& value, Uuid* out);

}  // namespace weir::codec
