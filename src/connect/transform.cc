#include "connect/transform.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstring>

#include "base/check.h"
#include "base/time.h"

namespace weir::connect {

namespace {

constexpr Micros kMicrosPerHour = 3600 * kMicrosPerSecond;

// The C++ division truncates; every transform of the spec floors.
Int128 FloorDivide(Int128 value, Int128 by) {
  const Int128 quotient = value / by;
  return value % by < 0 ? quotient - 1 : quotient;
}

// Years or months since 1970 of a day number.
std::int64_t CalendarPart(Transform transform, Int128 day) {
  using namespace std::chrono;
  // chrono's years end at 32767, Iceberg's timestamps at 294247: shift by whole cycles of 400
  // years.
  constexpr std::int64_t kCycleDays = 146'097;
  const auto number = static_cast<std::int64_t>(day);
  const auto cycle = static_cast<std::int64_t>(FloorDivide(number, kCycleDays));
  const year_month_day date(sys_days(days(number - cycle * kCycleDays)));
  const std::int64_t years = static_cast<int>(date.year()) - 1970 + cycle * 400;
  if (transform == Transform::kYear) return years;
  return years * 12 + static_cast<unsigned>(date.month()) - 1;
}

std::uint32_t HashNumber(const Type& source, Int128 value) {
  if (source.kind == TypeKind::kDecimal) return Murmur3(DecimalBytes(value));
  const auto number = static_cast<std::int64_t>(value);
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);  // little endian, as the spec asks
  return Murmur3({bytes, sizeof bytes});
}

Int128 Bucket(std::uint32_t hash, int width) {
  return static_cast<Int128>((hash & 0x7fffffffU) % static_cast<std::uint32_t>(width));
}

bool IsOneOf(TypeKind kind, std::initializer_list<TypeKind> kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

bool Accepts(Transform transform, TypeKind kind) {
  switch (transform) {
    case Transform::kVoid:
      return true;
    case Transform::kIdentity:
      return kind < TypeKind::kStruct && kind != TypeKind::kFloat && kind != TypeKind::kDouble;
    case Transform::kYear:
    case Transform::kMonth:
    case Transform::kDay:
      return IsOneOf(kind, {TypeKind::kDate, TypeKind::kTimestamp});
    case Transform::kHour:
      return kind == TypeKind::kTimestamp;
    case Transform::kBucket:
      return IsOneOf(kind,
                     {TypeKind::kInt, TypeKind::kLong, TypeKind::kDecimal, TypeKind::kDate,
                      TypeKind::kTimestamp, TypeKind::kString, TypeKind::kUuid, TypeKind::kBinary});
    case Transform::kTruncate:
      return IsOneOf(kind, {TypeKind::kInt, TypeKind::kLong, TypeKind::kDecimal, TypeKind::kString,
                            TypeKind::kBinary});
  }
  return false;
}

PartitionValue Number(Int128 number) { return {.number = number, .text = std::nullopt}; }

}  // namespace

std::uint32_t Murmur3(std::string_view bytes, std::uint32_t seed) {
  constexpr std::uint32_t kC1 = 0xcc9e2d51;
  constexpr std::uint32_t kC2 = 0x1b873593;
  std::uint32_t hash = seed;
  std::size_t at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    std::uint32_t block = 0;
    std::memcpy(&block, bytes.data() + at, sizeof block);
    hash ^= std::rotl(block * kC1, 15) * kC2;
    hash = std::rotl(hash, 13) * 5 + 0xe6546b64;
  }
  if (at < bytes.size()) {
    std::uint32_t tail = 0;
    std::memcpy(&tail, bytes.data() + at, bytes.size() - at);
    hash ^= std::rotl(tail * kC1, 15) * kC2;
  }
  hash ^= static_cast<std::uint32_t>(bytes.size());
  hash = (hash ^ (hash >> 16)) * 0x85ebca6b;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35;
  return hash ^ (hash >> 16);
}

Result<Type> TransformedType(Transform transform, int width, const Type& source) {
  if (!Accepts(transform, source.kind)) {
    return Unsupported("partition transform " + ToString(transform, width) +
                           " does not take a column of type " + weir::ToString(source),
                       ErrorCode::kTableUnsupported);
  }
  switch (transform) {
    case Transform::kBucket:
    case Transform::kTruncate:
      if (width <= 0) {
        return Unsupported(
            "partition transform " + ToString(transform, width) + " needs a positive number",
            ErrorCode::kTableUnsupported);
      }
      return transform == Transform::kBucket ? Type::Of(TypeKind::kInt) : source;
    case Transform::kYear:
    case Transform::kMonth:
    case Transform::kHour:
      return Type::Of(TypeKind::kInt);
    case Transform::kDay:
      return Type::Of(TypeKind::kDate);
    case Transform::kIdentity:
    case Transform::kVoid:
      return source;
  }
  return source;
}

Int128 TransformNumber(Transform transform, int width, const Type& source, Int128 value) {
  switch (transform) {
    case Transform::kIdentity:
    case Transform::kVoid:
      return value;
    case Transform::kBucket:
      return Bucket(HashNumber(source, value), width);
    case Transform::kTruncate: {
      const Int128 rest = value % width;
      const Int128 cut = value - (rest < 0 ? rest + width : rest);
      // Next to the smallest value the other writers wrap around; the same row, the same partition.
      if (source.kind == TypeKind::kInt) return static_cast<std::int32_t>(cut);
      if (source.kind == TypeKind::kLong) return static_cast<std::int64_t>(cut);
      return cut;
    }
    case Transform::kHour:
      return FloorDivide(value, kMicrosPerHour);
    case Transform::kYear:
    case Transform::kMonth:
    case Transform::kDay:
      break;
  }
  const Int128 day =
      source.kind == TypeKind::kTimestamp ? FloorDivide(value, kMicrosPerDay) : value;
  return transform == Transform::kDay ? day : CalendarPart(transform, day);
}

PartitionValue TransformText(Transform transform, int width, const Type& source,
                             std::string_view value) {
  switch (transform) {
    case Transform::kBucket:
      return Number(Bucket(Murmur3(value), width));
    case Transform::kTruncate:
      value = source.kind == TypeKind::kString
                  ? FirstCodePoints(value, static_cast<std::size_t>(width))
                  : value.substr(0, static_cast<std::size_t>(width));
      break;
    default:
      break;
  }
  return {.number = std::nullopt, .text = std::string(value)};
}

PartitionValue TransformRow(Transform transform, int width, const Column& column, std::size_t row) {
  if (transform == Transform::kVoid || column.IsNull(row)) return {};
  const Type& type = column.type();
  const auto number = [&](Int128 value) {
    return Number(TransformNumber(transform, width, type, value));
  };
  switch (type.kind) {
    case TypeKind::kBoolean:
      return number(column.Boolean(row) ? 1 : 0);
    case TypeKind::kInt:
    case TypeKind::kDate:
      return number(column.Int(row));
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return number(column.Long(row));
    case TypeKind::kDecimal:
      return number(column.Decimal(row));
    case TypeKind::kString:
    case TypeKind::kBinary:
      return TransformText(transform, width, type, column.String(row));
    case TypeKind::kUuid: {
      const auto uuid = column.Uuid(row);
      return TransformText(transform, width, type,
                           {reinterpret_cast<const char*>(uuid.data()), uuid.size()});
    }
    default:
      WEIR_CHECK(false);
      return {};
  }
}

std::string_view FirstCodePoints(std::string_view text, std::size_t count) {
  if (text.size() <= count) return text;  // each code point has a byte at least
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text.size(); ++at) {
    const bool starts = (static_cast<unsigned char>(text[at]) & 0xc0U) != 0x80U;
    if (starts && seen++ == count) break;
  }
  return text.substr(0, at);
}

std::string ToString(Transform transform, int width) {
  switch (transform) {
    case Transform::kIdentity:
      return "identity";
    case Transform::kYear:
      return "year";
    case Transform::kMonth:
      return "month";
    case Transform::kDay:
      return "day";
    case Transform::kHour:
      return "hour";
    case Transform::kBucket:
      return "bucket[" + std::to_string(width) + "]";
    case Transform::kTruncate:
      return "truncate[" + std::to_string(width) + "]";
    case Transform::kVoid:
      return "void";
  }
  return {};
}

std::optional<TransformAndWidth> ParseTransform(std::string_view name) {
  for (const Transform plain : {Transform::kIdentity, Transform::kYear, Transform::kMonth,
                                Transform::kDay, Transform::kHour, Transform::kVoid}) {
    if (name == ToString(plain, 0)) return TransformAndWidth{.transform = plain};
  }
  for (const auto& [transform, prefix] :
       {std::pair<Transform, std::string_view>{Transform::kBucket, "bucket["},
        std::pair<Transform, std::string_view>{Transform::kTruncate, "truncate["}}) {
    if (!name.starts_with(prefix) || !name.ends_with("]")) continue;
    int width = 0;
    const char* end = name.data() + name.size() - 1;
    const auto [rest, error] = std::from_chars(name.data() + prefix.size(), end, width);
    if (error == std::errc() && rest == end && width > 0) {
      return TransformAndWidth{.transform = transform, .width = width};
    }
  }
  return std::nullopt;
}

std::string DecimalBytes(Int128 unscaled) {
  char bytes[16];
  for (int i = 15; i >= 0; --i) {
    bytes[i] = static_cast<char>(unscaled & 0xff);
    unscaled >>= 8;
  }
  int first = 0;
  // A leading byte goes while it only repeats the sign of the next one.
  while (first < 15) {
    const bool negative = (static_cast<unsigned char>(bytes[first + 1]) & 0x80U) != 0;
    if (bytes[first] != (negative ? '\xff' : '\0')) break;
    ++first;
  }
  return {bytes + first, static_cast<std::size_t>(16 - first)};
}

}  // namespace weir::connect
