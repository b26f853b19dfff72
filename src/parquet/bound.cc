#include "parquet/bound.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "connect/transform.h"
#include "parquet/decimal_storage.h"

namespace weir::parquet {

namespace {

template <typename T>
std::string LittleEndian(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string RealBound(const Type& type, double value) {
  if (type.kind == TypeKind::kFloat) return LittleEndian(static_cast<float>(value));
  return LittleEndian(value);
}

std::string NumberBound(const Type& type, Int128 value) {
  switch (type.kind) {
    case TypeKind::kBoolean:
      return std::string(1, value != 0 ? '\1' : '\0');
    case TypeKind::kInt:
    case TypeKind::kDate:
      return LittleEndian(static_cast<std::int32_t>(value));
    case TypeKind::kDecimal:
      return connect::DecimalBytes(value);
    default:
      return LittleEndian(static_cast<std::int64_t>(value));
  }
}

bool IsReal(const Type& type) {
  return type.kind == TypeKind::kFloat || type.kind == TypeKind::kDouble;
}
bool IsText(const Type& type) {
  return type.kind == TypeKind::kString || type.kind == TypeKind::kBinary ||
         type.kind == TypeKind::kUuid;
}
bool KeepsBounds(const ValueRange& range, MetricsMode mode) {
  return !range.empty && mode.kind >= MetricsMode::Kind::kTruncate;
}

std::string PlainNumber(const Type& type, Int128 value) {
  if (type.kind != TypeKind::kDecimal) return NumberBound(type, value);
  switch (DecimalStorageOf(type.precision)) {
    case DecimalStorage::kInt32:
      return LittleEndian(static_cast<std::int32_t>(value));
    case DecimalStorage::kInt64:
      return LittleEndian(static_cast<std::int64_t>(value));
    case DecimalStorage::kFixedBytes:
      break;
  }
  std::string bytes(DecimalWidth(type.precision), '\0');
  StoreDecimal(value, bytes.size(), reinterpret_cast<std::uint8_t*>(bytes.data()));
  return bytes;
}

// A code point of valid UTF-8 that ends before `end`; moves `end` to its first byte.
std::uint32_t TakeLastCodePoint(std::string_view text, std::size_t& end) {
  std::uint32_t value = 0;
  int shift = 0;
  while (end > 0) {
    const auto byte = static_cast<unsigned char>(text[--end]);
    if ((byte & 0xc0U) == 0x80U) {
      value |= static_cast<std::uint32_t>(byte & 0x3fU) << shift;
      shift += 6;
      continue;
    }
    // The lead byte has shift/6 followers and keeps the bits that their count leaves it.
    const std::uint32_t mask = shift == 0 ? 0x7fU : (0x3fU >> (shift / 6));
    return value | (byte & mask) << shift;
  }
  return value;
}

void AppendCodePoint(std::uint32_t point, std::string& text) {
  const auto follower = [&](int shift) {
    text += static_cast<char>(0x80U | ((point >> shift) & 0x3fU));
  };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xc0U | point >> 6);
    follower(0);
  } else if (point < 0x10000) {
    text += static_cast<char>(0xe0U | point >> 12);
    follower(6);
    follower(0);
  } else {
    text += static_cast<char>(0xf0U | point >> 18);
    follower(12);
    follower(6);
    follower(0);
  }
}

}  // namespace

std::optional<MetricsMode> ParseMetricsMode(std::string_view text) {
  using Kind = MetricsMode::Kind;
  if (text == "none") return MetricsMode{.kind = Kind::kNone};
  if (text == "counts") return MetricsMode{.kind = Kind::kCounts};
  if (text == "full") return MetricsMode{.kind = Kind::kFull};
  constexpr std::string_view kPrefix = "truncate(";
  if (!text.starts_with(kPrefix) || !text.ends_with(')')) return std::nullopt;
  std::size_t length = 0;
  const char* end = text.data() + text.size() - 1;
  const auto [rest, error] = std::from_chars(text.data() + kPrefix.size(), end, length);
  if (error != std::errc() || rest != end || length == 0) return std::nullopt;
  return MetricsMode{.kind = Kind::kTruncate, .length = length};
}

MetricsMode ModeOf(const connect::FileSettings& settings, const LeafPath& leaf, std::size_t index) {
  if (const auto named = settings.metrics_modes.find(leaf.name);
      named != settings.metrics_modes.end()) {
    if (const auto mode = ParseMetricsMode(named->second)) return *mode;
  }
  if (index >= static_cast<std::size_t>(std::max(0, settings.max_default_metrics))) {
    return {.kind = MetricsMode::Kind::kNone};
  }
  return ParseMetricsMode(settings.default_metrics_mode).value_or(MetricsMode{});
}

std::optional<std::string> LowerBound(const Type& type, const ValueRange& range, MetricsMode mode) {
  if (!KeepsBounds(range, mode)) return std::nullopt;
  if (IsReal(type)) return RealBound(type, range.low_real);
  if (!IsText(type)) return NumberBound(type, range.low);
  if (mode.kind == MetricsMode::Kind::kFull || type.kind == TypeKind::kUuid) {
    return range.low_text;
  }
  if (type.kind == TypeKind::kBinary) return range.low_text.substr(0, mode.length);
  return std::string(connect::FirstCodePoints(range.low_text, mode.length));
}

std::optional<std::string> UpperBound(const Type& type, const ValueRange& range, MetricsMode mode) {
  if (!KeepsBounds(range, mode)) return std::nullopt;
  if (IsReal(type)) return RealBound(type, range.high_real);
  if (!IsText(type)) return NumberBound(type, range.high);
  if (mode.kind == MetricsMode::Kind::kFull || type.kind == TypeKind::kUuid) {
    return range.high_text;
  }
  if (type.kind == TypeKind::kBinary) return RoundedUpBytes(range.high_text, mode.length);
  return RoundedUpText(range.high_text, mode.length);
}

std::string PlainLow(const Type& type, const ValueRange& range) {
  if (IsReal(type)) return RealBound(type, range.low_real);
  return IsText(type) ? range.low_text : PlainNumber(type, range.low);
}

std::string PlainHigh(const Type& type, const ValueRange& range) {
  if (IsReal(type)) return RealBound(type, range.high_real);
  return IsText(type) ? range.high_text : PlainNumber(type, range.high);
}

std::optional<std::string> RoundedUpText(std::string_view text, std::size_t length) {
  const std::string_view cut = connect::FirstCodePoints(text, length);
  if (cut.size() == text.size()) return std::string(text);
  for (std::size_t end = cut.size(); end > 0;) {
    const std::uint32_t point = TakeLastCodePoint(cut, end);
    if (point == 0x10ffff) continue;  // nothing above it: raise the one before
    std::string bound(cut.substr(0, end));
    AppendCodePoint(point == 0xd7ff ? 0xe000 : point + 1, bound);  // over the surrogates
    return bound;
  }
  return std::nullopt;
}

std::optional<std::string> RoundedUpBytes(std::string_view bytes, std::size_t length) {
  if (bytes.size() <= length) return std::string(bytes);
  for (std::size_t end = length; end > 0; --end) {
    if (bytes[end - 1] == '\xff') continue;
    std::string bound(bytes.substr(0, end));
    bound.back() = static_cast<char>(bound.back() + 1);
    return bound;
  }
  return std::nullopt;
}

}  // namespace weir::parquet
