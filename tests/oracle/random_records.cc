#include "random_records.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace weir::oracle {
namespace {

constexpr Micros kBases[] = {
    1'788'256'800'000'000,   // 2026-09-01T10:00:00Z
    1'709'162'700'000'000,   // 2024-02-28T23:25:00Z, before a leap day
    -20 * kMinute,           // 1969-12-31T23:40:00Z
    -1'830'000'000'000'000,  // in 1912
};
constexpr Micros kDelays[] = {0, kMicrosPerSecond, 10 * kMinute, kHour};
constexpr Micros kGaps[] = {kMicrosPerSecond, 30 * kMicrosPerSecond, 5 * kMinute, 30 * kMinute};
constexpr Micros kSizes[] = {20 * kMicrosPerSecond, 5 * kMinute, 7 * kMinute, kHour};

template <typename T, std::size_t N>
T Pick(Random& random, const T (&values)[N]) {
  return values[random.Below(N)];
}

Micros StartOf(Micros time, Micros size) {
  const Micros in = time % size;
  return time - (in < 0 ? in + size : in);
}

}  // namespace

StreamShape PickShape(Random& random) {
  StreamShape shape;
  shape.base = Pick(random, kBases);
  shape.delay = Pick(random, kDelays);
  shape.gap = Pick(random, kGaps);
  shape.size = Pick(random, kSizes);
  shape.unit = shape.gap / (1 + static_cast<Micros>(random.Below(8)));
  return shape;
}

Micros RandomRecords::Within(Micros span) {
  return static_cast<Micros>(random_.Below(static_cast<std::uint64_t>(span) + 1));
}

Micros RandomRecords::NextTime(int partition) {
  const Micros newest =
      newest_.try_emplace(partition, shape_.base + Within(shape_.unit)).first->second;
  const Micros watermark = newest - shape_.delay;
  switch (random_.Below(20)) {
    case 0:
      return newest;
    case 1:
      return newest + shape_.gap;
    case 2:
      return newest + shape_.gap + 1;
    case 3:
      return StartOf(newest, shape_.size) + shape_.size;
    case 4:
      return StartOf(newest, shape_.size) + shape_.size - 1;
    case 5:
      return StartOf(newest, shape_.size);
    case 6:
      return watermark;
    case 7:
      return watermark - 1;
    case 8:
      return watermark - Within(3 * shape_.unit);
    case 9:
      return StartOf(watermark, shape_.size);
    case 10:
      return newest - shape_.gap;
    case 11:
      return shape_.latest.value_or(newest) + (random_.Chance(0.5) ? 1 : 0);
    case 12:
      return newest + (random_.Chance(0.2) ? kMicrosPerDay + shape_.delay : shape_.delay);
    case 13:
    case 14:
    case 15:
      return newest - Within(shape_.delay);
    default:
      return newest + Within(2 * shape_.unit) / kMicrosPerSecond * kMicrosPerSecond;
  }
}

std::string RandomRecords::Field(const char* name, double chance, std::vector<std::string> values) {
  if (!random_.Chance(chance)) return "";
  return fmt::format(R"(,"{}":{})", name, values[random_.Below(values.size())]);
}

std::string RandomRecords::Value(const std::string& id, const std::string& time) {
  return fmt::format(R"({{"id":"{}","user":"u{}","time":"{}")", id, random_.Below(3), time) +
         Field("type", 0.95, {R"("view")", R"("view")", R"("cart")", R"("buy")", R"("buy")"}) +
         Field("page", 0.8, {R"("/")", R"("/p")", R"("")", "null", R"("/\u00e9")"}) +
         Field("country", 0.7, {R"("CH")", R"("DE")", R"("")"}) +
         Field("who", 0.8, {R"("a")", R"("b")", R"("c")"}) +
         Field("n", 0.8, {"0", "1", "2", "-3", "2147483647"}) +
         Field("big", 0.6, {"1", "9223372036854775807", "-9223372036854775808", "42"}) +
         Field("qty", 0.5, {"1", "2", "7", "0", "2000000000"}) +
         Field("price", 0.7, {"1.0050", "0.3333", R"("19.99")", "99999999.9999", "5", "0.0001"}) +
         Field("ratio", 0.7, {"0.1", "0.2", "1e300", "-1e300", "3", "5e-324", "-0.7"}) + "}";
}

std::string RandomRecords::BadValue(const std::string& time) {
  const std::string good = fmt::format(R"("id":"bad{}","time":"{}")", ids_, time);
  const std::array bad = {
      std::string(R"({"id":"x","user":)"),
      std::string(""),
      fmt::format("{{{}}}", good),
      fmt::format(R"({{{},"user":" "}})", good),
      fmt::format(R"({{{},"user":"u1","n":"7"}})", good),
      fmt::format(R"({{{},"user":"u1","price":1.00005}})", good),
      fmt::format(R"({{"id":"x","user":"u1","time":"{}"}})", time.substr(0, time.size() - 1)),
  };
  return bad[random_.Below(bad.size())];
}

std::optional<std::string> RandomRecords::Next(int partition) {
  const Micros time = NextTime(partition);
  const std::string text = FormatTime(time);
  if (random_.Chance(0.03)) return std::nullopt;
  if (random_.Chance(0.08)) return BadValue(text);
  if (!sent_.empty() && random_.Chance(0.12)) {
    // The copy of anything that any partition has had, mostly of late.
    const std::uint64_t back = random_.Below(std::min<std::uint64_t>(sent_.size(), 12));
    return sent_[sent_.size() - 1 - back];
  }
  // An id may come again with another time and other values.
  const int id = ids_ > 0 && random_.Chance(0.08) ? ids_ - 1 : ids_++;
  if (!shape_.latest || time <= *shape_.latest)
    newest_[partition] = std::max(newest_[partition], time);
  sent_.push_back(Value(fmt::format("e{}", id), text));
  return sent_.back();
}

}  // namespace weir::oracle
