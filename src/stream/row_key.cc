#include "stream/row_key.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "base/check.h"

namespace weir::stream {

namespace {

constexpr char kNull = 0;
constexpr char kValue = 1;
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

// Most significant byte first.
template <typename T>
void AppendBig(T value, std::string* out) {
  for (int shift = static_cast<int>(sizeof(T)) * 8 - 8; shift >= 0; shift -= 8) {
    out->push_back(static_cast<char>(static_cast<std::uint8_t>(value >> shift)));
  }
}

template <typename T>
std::optional<T> TakeBig(std::string_view* in) {
  if (in->size() < sizeof(T)) return std::nullopt;
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>((value << 8) | static_cast<std::uint8_t>((*in)[i]));
  }
  in->remove_prefix(sizeof(T));
  return value;
}

// A zero byte is followed by 0xFF, the end is two of them: so "a" sorts before "a\0" and "ab".
void AppendText(std::string_view text, std::string* out) {
  for (;;) {
    const std::size_t zero = text.find('\0');
    if (zero == std::string_view::npos) break;
    out->append(text.substr(0, zero + 1));
    out->push_back(static_cast<char>(0xFF));
    text.remove_prefix(zero + 1);
  }
  out->append(text);
  out->append(2, '\0');
}

std::optional<std::string> TakeText(std::string_view* in) {
  std::string text;
  for (std::size_t at = 0; at + 1 < in->size(); ++at) {
    const char c = (*in)[at];
    if (c != 0) {
      text.push_back(c);
      continue;
    }
    const char next = (*in)[++at];
    if (next == 0) {
      in->remove_prefix(at + 1);
      return text;
    }
    if (next != static_cast<char>(0xFF)) return std::nullopt;
    text.push_back(c);
  }
  return std::nullopt;
}

constexpr std::uint32_t kSign32 = std::uint32_t{1} << 31;
constexpr UInt128 kSign128 = static_cast<UInt128>(1) << 127;

bool TakeValue(std::string_view* key, Column* out) {
  const auto give = [](const auto& value, const auto& append) {
    if (value) append(*value);
    return value.has_value();
  };
  switch (out->type().kind) {
    case TypeKind::kBoolean: {
      const auto value = TakeBig<std::uint8_t>(key);
      if (!value || *value > 1) return false;
      out->AppendBoolean(*value != 0);
      return true;
    }
    case TypeKind::kInt:
    case TypeKind::kDate:
      return give(TakeBig<std::uint32_t>(key), [&](std::uint32_t bits) {
        out->AppendInt(static_cast<std::int32_t>(bits ^ kSign32));
      });
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return give(TakeBig<std::uint64_t>(key), [&](std::uint64_t bits) {
        out->AppendLong(static_cast<std::int64_t>(bits ^ kSign));
      });
    case TypeKind::kFloat:
      return give(TakeBig<std::uint64_t>(key), [&](std::uint64_t bits) {
        out->AppendFloat(static_cast<float>(DoubleOf(bits)));
      });
    case TypeKind::kDouble:
      return give(TakeBig<std::uint64_t>(key),
                  [&](std::uint64_t bits) { out->AppendDouble(DoubleOf(bits)); });
    case TypeKind::kDecimal:
      return give(TakeBig<UInt128>(key),
                  [&](UInt128 bits) { out->AppendDecimal(static_cast<Int128>(bits ^ kSign128)); });
    case TypeKind::kUuid: {
      if (key->size() < 16) return false;
      std::array<std::uint8_t, 16> uuid;
      std::memcpy(uuid.data(), key->data(), uuid.size());
      key->remove_prefix(uuid.size());
      out->AppendUuid(uuid);
      return true;
    }
    case TypeKind::kString:
    case TypeKind::kBinary:
      return give(TakeText(key), [&](const std::string& text) { out->AppendString(text); });
    case TypeKind::kStruct:
    case TypeKind::kList:
    case TypeKind::kMap:
      break;
  }
  WEIR_CHECK(false);
  return false;
}

}  // namespace

std::uint64_t OrderOf(double value) {
  if (std::isnan(value)) return ~std::uint64_t{0};
  const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

double DoubleOf(std::uint64_t order) {
  if (order == ~std::uint64_t{0}) return std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<double>((order & kSign) != 0 ? order & ~kSign : ~order);
}

void AppendKeyPart(const Column& column, std::size_t row, std::string* key) {
  if (column.IsNull(row)) {
    key->push_back(kNull);
    return;
  }
  key->push_back(kValue);
  switch (column.type().kind) {
    case TypeKind::kBoolean:
      return key->push_back(column.Boolean(row) ? 1 : 0);
    case TypeKind::kInt:
    case TypeKind::kDate:
      return AppendBig(static_cast<std::uint32_t>(column.Int(row)) ^ kSign32, key);
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return AppendBig(static_cast<std::uint64_t>(column.Long(row)) ^ kSign, key);
    case TypeKind::kFloat:
      return AppendBig(OrderOf(static_cast<double>(column.Float(row))), key);
    case TypeKind::kDouble:
      return AppendBig(OrderOf(column.Double(row)), key);
    case TypeKind::kDecimal:
      return AppendBig(static_cast<UInt128>(column.Decimal(row)) ^ kSign128, key);
    case TypeKind::kUuid: {
      const auto uuid = column.Uuid(row);
      key->append(reinterpret_cast<const char*>(uuid.data()), uuid.size());
      return;
    }
    case TypeKind::kString:
    case TypeKind::kBinary:
      return AppendText(column.String(row), key);
    case TypeKind::kStruct:
    case TypeKind::kList:
    case TypeKind::kMap:
      break;
  }
  WEIR_CHECK(false);
}

std::string_view ValueKey::Of(const Column& column, std::size_t row) {
  const TypeKind kind = column.type().kind;
  constexpr std::size_t kAround = 3;  // the mark, and the two zeros of the end
  if ((kind == TypeKind::kString || kind == TypeKind::kBinary) && !column.IsNull(row)) {
    const std::string_view text = column.String(row);
    if (text.size() <= short_.size() - kAround && text.find('\0') == std::string_view::npos) {
      short_[0] = kValue;
      text.copy(short_.data() + 1, text.size());
      short_[text.size() + 1] = short_[text.size() + 2] = '\0';
      return {short_.data(), text.size() + kAround};
    }
  }
  long_.clear();
  AppendKeyPart(column, row, &long_);
  return long_;
}

bool TakeKeyPart(std::string_view* key, Column* out) {
  if (key->empty()) return false;
  const char mark = key->front();
  key->remove_prefix(1);
  if (mark == kNull) {
    out->AppendNull();
    return true;
  }
  return mark == kValue && TakeValue(key, out);
}

}  // namespace weir::stream
