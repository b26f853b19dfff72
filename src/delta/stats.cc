#include "delta/stats.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/json_document.h"
#include "base/time.h"

namespace weir::delta {
namespace {

enum class End { kLow, kHigh };

// Readers parse the texts of dates and times with four digits for the year.
constexpr std::int64_t kFirstDay = DayOf(1, 1, 1);
constexpr std::int64_t kLastDay = DayOf(9999, 12, 31);

template <typename T>
std::optional<T> LittleEndian(std::string_view bytes) {
  if (bytes.size() != sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::optional<Int128> BigEndian(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > sizeof(Int128)) return std::nullopt;
  UInt128 value = (static_cast<unsigned char>(bytes[0]) & 0x80U) != 0 ? ~UInt128{0} : UInt128{0};
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return static_cast<Int128>(value);
}

std::string Quoted(std::string_view text) { return DumpJson(Json(std::string(text))); }

// "2026-09-01T10:00:00.123Z": to the millisecond that is not inside of the range.
std::optional<std::string> TimeText(std::int64_t micros, bool zoned, End end) {
  std::int64_t millis = micros / kMicrosPerMilli - (micros % kMicrosPerMilli < 0 ? 1 : 0);
  if (end == End::kHigh && micros % kMicrosPerMilli != 0) ++millis;
  const std::int64_t seconds = millis / 1000 - (millis % 1000 < 0 ? 1 : 0);
  const std::int64_t day = FloorDay(seconds * kMicrosPerSecond);
  if (day < kFirstDay || day > kLastDay) return std::nullopt;
  std::string text = FormatTime(seconds * kMicrosPerSecond);
  text.pop_back();
  return fmt::format("\"{}.{:03}{}\"", text, millis - seconds * 1000, zoned ? "Z" : "");
}

template <typename T>
std::optional<std::string> RealText(std::string_view bytes) {
  const auto value = LittleEndian<T>(bytes);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return fmt::format("{}", *value);
}

// One bound as JSON; nullopt where it has no safe form.
std::optional<std::string> BoundText(const Type& type, std::string_view bytes, End end) {
  switch (type.kind) {
    case TypeKind::kInt:
      if (const auto value = LittleEndian<std::int32_t>(bytes)) return fmt::format("{}", *value);
      return std::nullopt;
    case TypeKind::kLong:
      if (const auto value = LittleEndian<std::int64_t>(bytes)) return fmt::format("{}", *value);
      return std::nullopt;
    case TypeKind::kDate: {
      const auto day = LittleEndian<std::int32_t>(bytes);
      if (!day || *day < kFirstDay || *day > kLastDay) return std::nullopt;
      return Quoted(FormatDay(*day));
    }
    case TypeKind::kTimestamp: {
      const auto micros = LittleEndian<std::int64_t>(bytes);
      return micros ? TimeText(*micros, type.zoned, end) : std::nullopt;
    }
    case TypeKind::kFloat:
      return RealText<float>(bytes);
    case TypeKind::kDouble:
      return RealText<double>(bytes);
    case TypeKind::kDecimal: {
      const auto unscaled = BigEndian(bytes);
      if (!unscaled) return std::nullopt;
      return DecimalToString(*unscaled, type.scale);
    }
    case TypeKind::kString:
      if (!IsValidUtf8(bytes)) return std::nullopt;
      return Quoted(bytes);
    default:
      return std::nullopt;  // no order in a Delta log, or none that all readers share
  }
}

// Nested objects of one leaf after the other: "a": 1, "b": {"c": 2}.
class ObjectText {
 public:
  void Add(const std::vector<std::string>& path, const std::string& value) {
    std::size_t shared = 0;
    while (shared < open_.size() && shared + 1 < path.size() && open_[shared] == path[shared]) {
      ++shared;
    }
    Close(shared);
    for (std::size_t i = shared; i + 1 < path.size(); ++i) {
      Key(path[i]);
      text_ += '{';
      open_.push_back(path[i]);
    }
    Key(path.back());
    text_ += value;
  }
  std::string Take() {
    Close(0);
    return "{" + text_ + "}";
  }

 private:
  void Key(const std::string& name) {
    if (!text_.empty() && text_.back() != '{') text_ += ',';
    text_ += Quoted(name) + ':';
  }
  void Close(std::size_t depth) {
    for (; open_.size() > depth; open_.pop_back()) text_ += '}';
  }

  std::string text_;
  std::vector<std::string> open_;
};

}  // namespace

std::string StatsText(const Layout& layout, const connect::DataFile& file) {
  ObjectText low;
  ObjectText high;
  ObjectText nulls;
  for (const StatsColumn& column : layout.stats) {
    const auto found = file.columns.find(column.id);
    if (found == file.columns.end()) continue;
    const connect::ColumnMetrics& metrics = found->second;
    nulls.Add(column.path, fmt::format("{}", metrics.null_count));
    // Readers order NaN above all else, so a maximum without it would hide its rows.
    const bool has_nan = metrics.nan_count.value_or(0) > 0;
    const auto lower =
        metrics.lower ? BoundText(column.type, *metrics.lower, End::kLow) : std::nullopt;
    const auto upper = metrics.upper && !has_nan
                           ? BoundText(column.type, *metrics.upper, End::kHigh)
                           : std::nullopt;
    if (lower) low.Add(column.path, *lower);
    if (upper) high.Add(column.path, *upper);
  }
  return fmt::format(R"({{"numRecords":{},"minValues":{},"maxValues":{},"nullCount":{}}})",
                     file.record_count, low.Take(), high.Take(), nulls.Take());
}

std::map<int, connect::ColumnMetrics> WholeBoundsIn(const Layout& layout, std::string_view stats) {
  std::map<int, connect::ColumnMetrics> out;
  const auto json = ParseJson(stats);
  if (!json) return out;
  const Json* low = Find(*json, "minValues");
  const Json* high = Find(*json, "maxValues");
  if (low == nullptr || high == nullptr) return out;
  for (const StatsColumn& column : layout.stats) {
    const bool is_long = column.type.kind == TypeKind::kLong;
    if (column.path.size() != 1 || (!is_long && column.type.kind != TypeKind::kInt)) continue;
    const auto lower = FindLong(*low, column.path[0].c_str());
    const auto upper = FindLong(*high, column.path[0].c_str());
    if (!lower || !upper) continue;
    const auto bytes = [&](std::int64_t value) {
      std::string text(is_long ? sizeof(std::int64_t) : sizeof(std::int32_t), '\0');
      std::memcpy(text.data(), &value, text.size());  // little endian
      return text;
    };
    connect::ColumnMetrics& metrics = out[column.id];
    metrics.lower = bytes(*lower);
    metrics.upper = bytes(*upper);
  }
  return out;
}

std::optional<std::int64_t> RecordsInStats(std::string_view stats) {
  const auto json = ParseJson(stats);
  return json ? FindLong(*json, "numRecords") : std::nullopt;
}

}  // namespace weir::delta
