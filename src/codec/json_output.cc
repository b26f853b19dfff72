#include "codec/json_output.h"

#include <cmath>

#include <fmt/format.h>

#include "base/time.h"

namespace weir::codec {

bool TakesWhole(const Type* target) {
  return target != nullptr && (target->kind == TypeKind::kLong || target->kind == TypeKind::kInt);
}

void WriteText(std::string_view text, std::string* out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out->push_back('"');
  std::size_t done = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    out->append(text, done, i - done);
    done = i + 1;
    if (byte < 0x20) {
      out->append("\\u00");
      out->push_back(kHex[byte >> 4U]);
      out->push_back(kHex[byte & 15U]);
    } else {
      out->push_back('\\');
      out->push_back(text[i]);
    }
  }
  out->append(text, done, text.size() - done);
  out->push_back('"');
}

void WriteLong(std::int64_t value, std::string* out) {
  const fmt::format_int text(value);
  out->append(text.data(), text.size());
}

void WriteDouble(double value, std::string* out) {
  if (std::isnan(value)) {
    out->append("\"NaN\"");
  } else if (std::isinf(value)) {
    out->append(value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
  } else {
    fmt::format_to(std::back_inserter(*out), "{}", value);
  }
}

void WriteDecimal(Int128 unscaled, int scale, const Type* target, std::string* out) {
  const bool text = target != nullptr && target->kind == TypeKind::kString;
  if (text) out->push_back('"');
  out->append(DecimalToString(unscaled, scale));
  if (text) out->push_back('"');
}

void WriteInstant(Micros instant, const Type* target, TimestampFormat format, std::string* out) {
  if (TakesWhole(target) || format == TimestampFormat::kEpochMicros) return WriteLong(instant, out);
  switch (format) {
    case TimestampFormat::kEpochMillis:
      return WriteDecimal(instant, 3, nullptr, out);
    case TimestampFormat::kEpochSeconds:
      return WriteDecimal(instant, 6, nullptr, out);
    default:
      break;
  }
  WriteText(FormatTime(instant), out);
}

void WriteLocal(Micros time, std::string* out) {
  std::string text = FormatTime(time);
  if (text.ends_with('Z')) text.pop_back();
  WriteText(text, out);
}

void WriteDate(std::int64_t days, const Type* target, std::string* out) {
  constexpr std::int64_t kMostDays = 10'000'000;
  if (TakesWhole(target) || days > kMostDays || days < -kMostDays) return WriteLong(days, out);
  const std::string text = FormatTime(days * kMicrosPerDay);
  WriteText(std::string_view(text).substr(0, text.find('T')), out);
}

void WriteUuid(std::string_view bytes16, std::string* out) {
  out->push_back('"');
  for (std::size_t i = 0; i < bytes16.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out->push_back('-');
    fmt::format_to(std::back_inserter(*out), "{:02x}", static_cast<unsigned char>(bytes16[i]));
  }
  out->push_back('"');
}

bool ReadUnscaled(std::string_view bytes, Int128* out) {
  const bool negative = !bytes.empty() && (static_cast<unsigned char>(bytes[0]) & 0x80U) != 0;
  const char fill = negative ? '\xff' : '\0';
  while (bytes.size() > 16 && bytes[0] == fill) bytes.remove_prefix(1);
  if (bytes.size() > 16) return false;
  UInt128 value = negative ? ~UInt128{0} : 0;
  for (const char byte : bytes) value = value << 8U | static_cast<unsigned char>(byte);
  *out = static_cast<Int128>(value);
  return negative == (*out < 0);
}

Target TargetOf(const Contract& contract, std::string_view name) {
  const auto index = contract.IndexOf(name);
  if (!index || contract.fields[*index].from_ingestion) return {};
  const ContractField& field = contract.fields[*index];
  return {.type = &field.field.type, .format = field.timestamp_format};
}

Target TargetOf(const Type* type, std::string_view name) {
  if (type == nullptr || type->kind != TypeKind::kStruct) return {};
  for (const Field& child : type->children) {
    if (child.name == name) return {.type = &child.type};
  }
  return {};
}

Target ItemOf(const Type* type) {
  const bool has_items =
      type != nullptr && (type->kind == TypeKind::kList || type->kind == TypeKind::kMap);
  return has_items ? Target{.type = &type->children.back().type} : Target{};
}

}  // namespace weir::codec
