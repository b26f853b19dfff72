#include "connect/partition_path.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/time.h"
#include "connect/transform.h"

namespace weir::connect {

namespace {

// Form encoding as the JVM writers do it: letters, digits and *-._ stay, a space becomes a plus.
std::string UrlEncode(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '*' || c == '-' || c == '.' || c == '_';
    if (plain) {
      encoded += c;
    } else if (c == ' ') {
      encoded += '+';
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

// File systems end a name at 255 bytes. The hash keeps shortened values apart.
std::string Shortened(std::string segment) {
  constexpr std::size_t kLongest = 200;
  if (segment.size() <= kLongest) return segment;
  const std::uint32_t hash = Murmur3(segment);
  segment.resize(kLongest - 9);
  // Not in the middle of an escape, whose first of three characters is the percent sign.
  if (const std::size_t escape = segment.rfind('%'); escape + 3 > segment.size()) {
    segment.resize(escape);
  }
  return segment + fmt::format("-{:08x}", hash);
}

std::string YearText(std::int64_t years) { return fmt::format("{:04}", 1970 + years); }

std::string MonthText(std::int64_t months) {
  const std::int64_t year = months >= 0 ? months / 12 : (months - 11) / 12;
  return fmt::format("{}-{:02}", YearText(year), months - year * 12 + 1);
}

std::string HourText(std::int64_t hours) {
  const std::int64_t day = hours >= 0 ? hours / 24 : (hours - 23) / 24;
  return fmt::format("{}-{:02}", FormatDay(static_cast<std::int32_t>(day)), hours - day * 24);
}

std::string UuidText(std::string_view bytes) {
  std::string text = HexEncode(bytes);
  for (const std::size_t at : {8, 13, 18, 23}) {
    if (at <= text.size()) text.insert(at, "-");
  }
  return text;
}

std::string IdentityText(const Type& source, const PartitionValue& value) {
  if (value.text) {
    if (source.kind == TypeKind::kUuid) return UuidText(*value.text);
    if (source.kind == TypeKind::kBinary) return Base64Encode(*value.text);
    return *value.text;
  }
  switch (source.kind) {
    case TypeKind::kBoolean:
      return *value.number != 0 ? "true" : "false";
    case TypeKind::kDate:
      return FormatDay(static_cast<std::int32_t>(*value.number));
    case TypeKind::kTimestamp: {
      std::string text = FormatTime(static_cast<Micros>(*value.number));
      if (!source.zoned && text.ends_with('Z')) text.pop_back();
      return text;
    }
    default:
      return DecimalToString(*value.number, source.kind == TypeKind::kDecimal ? source.scale : 0);
  }
}

}  // namespace

std::string PartitionText(const Type& source, Transform transform, const PartitionValue& value) {
  if (value.is_null()) return "null";
  switch (transform) {
    case Transform::kYear:
      return YearText(static_cast<std::int64_t>(*value.number));
    case Transform::kMonth:
      return MonthText(static_cast<std::int64_t>(*value.number));
    case Transform::kDay:
      return FormatDay(static_cast<std::int32_t>(*value.number));
    case Transform::kHour:
      return HourText(static_cast<std::int64_t>(*value.number));
    case Transform::kBucket:
      return DecimalToString(*value.number, 0);
    case Transform::kIdentity:
    case Transform::kTruncate:
    case Transform::kVoid:
      break;
  }
  return IdentityText(source, value);
}

const Field* FindField(const std::vector<Field>& fields, int id) {
  for (const Field& field : fields) {
    if (field.id == id) return &field;
    if (const Field* inside = FindField(field.type.children, id); inside != nullptr) return inside;
  }
  return nullptr;
}

std::string PartitionPath(const Schema& schema, const PartitionSpec& spec,
                          const PartitionTuple& partition) {
  WEIR_CHECK(partition.size() == spec.fields.size());
  std::string path;
  for (std::size_t i = 0; i < spec.fields.size(); ++i) {
    const PartitionField& field = spec.fields[i];
    const Field* source = FindField(schema.fields, field.source_id);
    // A source column that was dropped since has no type any more; its value is still a text.
    const Type type = source != nullptr ? source->type : Type::Of(TypeKind::kString);
    if (!path.empty()) path += '/';
    path += Shortened(UrlEncode(field.name) + "=" +
                      UrlEncode(PartitionText(type, field.transform, partition[i])));
  }
  return path;
}

}  // namespace weir::connect
