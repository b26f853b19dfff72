#pragma once
// JsonOutput: pieces of JSON text as transcoders write them. Texts are escaped but not checked: the
// JSON reader behind refuses what is no UTF-8.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"
#include "record/contract.h"
#include "record/type.h"

namespace weir::codec {

/// Whether the contract wants a whole number here, of a time or date as of any other value.
bool TakesWhole(const Type* target);

void WriteText(std::string_view text, std::string* out);
void WriteLong(std::int64_t value, std::string* out);
/// The shortest text that is the same number; NaN and infinities as texts, which no number takes.
void WriteDouble(double value, std::string* out);
/// Where the contract wants a text, the number in quotes.
void WriteDecimal(Int128 unscaled, int scale, const Type* target, std::string* out);
/// An instant as the place of the contract reads it: ISO text, or a number of its unit.
void WriteInstant(Micros instant, const Type* target, TimestampFormat format, std::string* out);
/// A wall-clock time, which has no zone.
void WriteLocal(Micros time, std::string* out);
/// Days since 1970 where a date is read, else the number.
void WriteDate(std::int64_t days, const Type* target, std::string* out);
void WriteUuid(std::string_view bytes16, std::string* out);

/// Unscaled two's complement, big endian; false when it has more than 16 significant bytes.
bool ReadUnscaled(std::string_view bytes, Int128* out);

/// The top-level field, or the child of a struct, by name; for times also how it is read.
struct Target {
  const Type* type = nullptr;  // nullptr: the contract does not know the place
  TimestampFormat format = TimestampFormat::kIso;
};
Target TargetOf(const Contract& contract, std::string_view name);
Target TargetOf(const Type* type, std::string_view name);
/// Of the items of a list, the values of a map; none for any other type.
Target ItemOf(const Type* type);

}  // namespace weir::codec
