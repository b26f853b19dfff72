#include "iceberg/partition_type.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "connect/transform.h"

namespace weir::iceberg {
namespace {

using connect::PartitionValue;

std::string LittleEndian(std::int64_t number, std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(number >> (8 * i));
  return out;
}

// Bytes that any unscaled value of this precision fits into.
std::size_t DecimalWidth(int precision) {
  UInt128 largest = 1;
  for (int i = 0; i < precision; ++i) largest *= 10;
  std::size_t bytes = 1;
  while (bytes < 16 && (UInt128{1} << (8 * bytes - 1)) < largest) ++bytes;
  return bytes;
}

std::string BigEndian(Int128 number, std::size_t bytes) {
  std::string out;
  for (std::size_t i = bytes; i > 0; --i) out += static_cast<char>(number >> (8 * (i - 1)));
  return out;
}

Int128 FromBigEndian(std::string_view bytes) {
  Int128 number = !bytes.empty() && (static_cast<unsigned char>(bytes[0]) & 0x80U) != 0 ? -1 : 0;
  for (char c : bytes)
    number = static_cast<Int128>(static_cast<UInt128>(number) << 8) | static_cast<unsigned char>(c);
  return number;
}

bool IsText(TypeKind kind) {
  return kind == TypeKind::kString || kind == TypeKind::kBinary || kind == TypeKind::kUuid;
}

}  // namespace

Result<PartitionType> PartitionTypeOf(const TableMetadata& metadata,
                                      const connect::PartitionSpec& spec) {
  PartitionType out;
  for (const connect::PartitionField& field : spec.fields) {
    const std::optional<Field> source = FindFieldInAnySchema(metadata, field.source_id);
    if (!source && field.transform == connect::Transform::kVoid) {
      out.push_back({field.field_id, field.name, Type::Of(TypeKind::kInt)});
      continue;
    }
    if (!source) {
      return Unsupported(fmt::format("partition field {} has no source column", field.name),
                         ErrorCode::kTableUnsupported);
    }
    auto type = connect::TransformedType(field.transform, field.width, source->type);
    if (!type) return WithContext(std::move(type).error(), "partition field " + field.name);
    out.push_back({field.field_id, field.name, std::move(type).value()});
  }
  return out;
}

std::optional<std::string> SingleValue(const Type& type, const PartitionValue& value) {
  if (value.text) return value.text;
  if (!value.number) return std::nullopt;
  switch (type.kind) {
    case TypeKind::kBoolean:
      return std::string(1, *value.number != 0 ? '\1' : '\0');
    case TypeKind::kInt:
    case TypeKind::kDate:
      return LittleEndian(static_cast<std::int64_t>(*value.number), 4);
    case TypeKind::kDecimal:
      return connect::DecimalBytes(*value.number);
    default:
      return LittleEndian(static_cast<std::int64_t>(*value.number), 8);
  }
}

Json AvroTypeOf(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBoolean:
      return "boolean";
    case TypeKind::kInt:
      return "int";
    case TypeKind::kLong:
      return "long";
    case TypeKind::kDate:
      return {{"type", "int"}, {"logicalType", "date"}};
    case TypeKind::kTimestamp:
      return {{"type", "long"}, {"logicalType", "timestamp-micros"}, {"adjust-to-utc", type.zoned}};
    case TypeKind::kDecimal:
      return {{"type", "fixed"},
              {"name", fmt::format("decimal_{}_{}", type.precision, type.scale)},
              {"size", DecimalWidth(type.precision)},
              {"logicalType", "decimal"},
              {"precision", type.precision},
              {"scale", type.scale}};
    case TypeKind::kUuid:
      return {{"type", "fixed"}, {"name", "uuid_fixed"}, {"size", 16}, {"logicalType", "uuid"}};
    case TypeKind::kBinary:
      return "bytes";
    default:
      return "string";
  }
}

void EncodeValue(const Type& type, const PartitionValue& value, avro::Encoder& encoder) {
  const Int128 number = value.number.value_or(0);
  switch (type.kind) {
    case TypeKind::kBoolean:
      return encoder.Boolean(number != 0);
    case TypeKind::kDecimal:
      return encoder.Fixed(BigEndian(number, DecimalWidth(type.precision)));
    case TypeKind::kString:
    case TypeKind::kBinary:
      return encoder.Bytes(value.text.value_or(""));
    case TypeKind::kUuid: {
      std::string bytes = value.text.value_or("");
      bytes.resize(16);
      return encoder.Fixed(bytes);
    }
    default:
      return encoder.Long(static_cast<std::int64_t>(number));
  }
}

PartitionValue DecodeValue(const Type& type, const avro::Node& node, avro::Decoder& decoder) {
  PartitionValue value;
  const avro::Node& resolved = decoder.Resolve(node);
  switch (resolved.kind) {
    case avro::Kind::kNull:
      return value;
    case avro::Kind::kBoolean:
      value.number = decoder.Boolean() ? 1 : 0;
      return value;
    case avro::Kind::kInt:
    case avro::Kind::kLong:
      value.number = decoder.Long();
      return value;
    case avro::Kind::kString:
    case avro::Kind::kBytes:
    case avro::Kind::kFixed: {
      const std::string_view bytes =
          resolved.kind == avro::Kind::kFixed ? decoder.Fixed(resolved.size) : decoder.Bytes();
      if (type.kind == TypeKind::kDecimal && bytes.size() <= 16) {
        value.number = FromBigEndian(bytes);
      } else if (IsText(type.kind)) {
        value.text = std::string(bytes);
      } else {
        decoder.Fail();
      }
      return value;
    }
    default:
      decoder.Fail();
      return value;
  }
}

PartitionRanges::PartitionRanges(const PartitionType& type) : type_(type), ranges_(type.size()) {}

void PartitionRanges::Add(const connect::PartitionTuple& tuple) {
  for (std::size_t i = 0; i < ranges_.size() && i < tuple.size(); ++i) {
    Range& range = ranges_[i];
    const PartitionValue& value = tuple[i];
    if (value.is_null()) {
      range.contains_null = true;
      continue;
    }
    if (range.lower.is_null() || value < range.lower) range.lower = value;
    if (range.upper.is_null() || range.upper < value) range.upper = value;
  }
}

std::vector<FieldSummary> PartitionRanges::Summaries() const {
  std::vector<FieldSummary> out;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    out.push_back({.contains_null = ranges_[i].contains_null,
                   .contains_nan = false,
                   .lower = SingleValue(type_[i].type, ranges_[i].lower),
                   .upper = SingleValue(type_[i].type, ranges_[i].upper)});
  }
  return out;
}

std::string AvroName(const std::string& name) {
  std::string out;
  for (std::size_t i = 0; i < name.size();) {
    const char c = name[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (letter || (digit && !out.empty())) {
      out += c;
      ++i;
    } else if (digit) {
      out += '_';
      out += c;
      ++i;
    } else {
      // A whole code point, so that the name stays readable where the character is not.
      const auto lead = static_cast<unsigned char>(c);
      std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
      length = std::min(length, name.size() - i);
      std::uint32_t point = length == 1 ? lead : lead & (0xFFU >> (length + 1));
      for (std::size_t k = 1; k < length; ++k) {
        point = (point << 6) | (static_cast<unsigned char>(name[i + k]) & 0x3FU);
      }
      out += fmt::format("_x{:X}", point);
      i += length;
    }
  }
  return out.empty() ? "_" : out;
}

}  // namespace weir::iceberg
