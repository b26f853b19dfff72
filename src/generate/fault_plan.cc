#include "generate/fault_plan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"

namespace weir::generate {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"late", "dup", "bad", "tombstone"};
constexpr std::uint32_t kWhole = 1'000'000;
constexpr Micros kShortestDelay = 30 * kMicrosPerSecond;  // less is ordinary disorder
constexpr Micros kLongestDelay = 30 * kMicrosPerDay;

Error Wrong(std::string message) {
  return WithRemedy(InvalidInput("--faults: " + std::move(message), ErrorCode::kUsage),
                    "write it like late=2%:20m,dup=5%,bad=0.5%,tombstone=0.1%");
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<std::uint32_t> ParseDigits(std::string_view text) {
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

Result<std::uint32_t> ParseShare(std::string_view name, std::string_view text) {
  const Error wrong = Wrong(
      fmt::format("{} must be a percentage from 0% to 100% with at most four decimals, not '{}'",
                  name, Printable(text)));
  if (!text.ends_with('%')) return wrong;
  const std::vector<std::string_view> parts = Split(text.substr(0, text.size() - 1), '.');
  if (parts.size() > 2) return wrong;
  const std::optional<std::uint32_t> whole = ParseDigits(parts[0]);
  if (!whole || *whole > 100) return wrong;
  std::uint32_t ppm = *whole * (kWhole / 100);
  if (parts.size() == 2) {
    if (parts[1].size() > 4) return wrong;
    const std::optional<std::uint32_t> decimals = ParseDigits(parts[1]);
    if (!decimals) return wrong;
    std::uint32_t scaled = *decimals;
    for (std::size_t i = parts[1].size(); i < 4; ++i) scaled *= 10;
    ppm += scaled;
  }
  if (ppm > kWhole) return wrong;
  return ppm;
}

Result<Micros> ParseDelay(std::string_view text) {
  const Error wrong = Wrong(
      fmt::format("the delay of late must be a whole number with s, m, h or d, from 30s to 30d, "
                  "like 20m, not '{}'",
                  Printable(text)));
  if (text.empty()) return wrong;
  Micros unit = 0;
  switch (text.back()) {
    case 's':
      unit = kMicrosPerSecond;
      break;
    case 'm':
      unit = 60 * kMicrosPerSecond;
      break;
    case 'h':
      unit = 3'600 * kMicrosPerSecond;
      break;
    case 'd':
      unit = kMicrosPerDay;
      break;
    default:
      return wrong;
  }
  const std::optional<std::uint32_t> number = ParseDigits(text.substr(0, text.size() - 1));
  if (!number || *number > kLongestDelay / kMicrosPerSecond) return wrong;
  const Micros delay = *number * unit;
  if (delay < kShortestDelay || delay > kLongestDelay) return wrong;
  return delay;
}

Error UnknownName(std::string_view name) {
  std::string_view nearest = kNames[0];
  for (const std::string_view known : kNames) {
    if (EditDistance(known, name) < EditDistance(nearest, name)) nearest = known;
  }
  const std::string hint =
      EditDistance(nearest, name) <= 2 ? fmt::format("; did you mean '{}'?", nearest) : "";
  return Wrong(fmt::format("'{}' is none of {}{}", Printable(name), fmt::join(kNames, ", "), hint));
}

Status ParseOne(std::string_view item, std::set<std::string_view>& seen, FaultPlan& plan) {
  const std::size_t equals = item.find('=');
  const std::string_view name = item.substr(0, equals);
  if (std::ranges::find(kNames, name) == kNames.end()) return UnknownName(name);
  if (equals == std::string_view::npos) return Wrong(fmt::format("{} needs a share", name));
  if (!seen.insert(name).second) return Wrong(fmt::format("{} is there twice", name));
  std::string_view share = item.substr(equals + 1);
  if (const std::size_t colon = share.find(':'); colon != std::string_view::npos) {
    if (name != "late") return Wrong(fmt::format("{} takes no delay, only late does", name));
    WEIR_ASSIGN_OR_RETURN(plan.late_by, ParseDelay(share.substr(colon + 1)));
    share = share.substr(0, colon);
  }
  std::uint32_t& ppm = name == "late"  ? plan.late_ppm
                       : name == "dup" ? plan.duplicate_ppm
                       : name == "bad" ? plan.bad_ppm
                                       : plan.tombstone_ppm;
  WEIR_ASSIGN_OR_RETURN(ppm, ParseShare(name, share));
  return Ok();
}

std::string ShareText(std::uint32_t ppm) {
  std::string text = fmt::format("{}.{:04}", ppm / 10'000, ppm % 10'000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + "%";
}

std::string DelayText(Micros delay) {
  const std::int64_t seconds = delay / kMicrosPerSecond;
  if (seconds % 86'400 == 0) return fmt::format("{}d", seconds / 86'400);
  if (seconds % 3'600 == 0) return fmt::format("{}h", seconds / 3'600);
  if (seconds % 60 == 0) return fmt::format("{}m", seconds / 60);
  return fmt::format("{}s", seconds);
}

}  // namespace

Result<FaultPlan> ParseFaults(std::string_view text) {
  FaultPlan plan;
  if (text.empty()) return plan;
  std::set<std::string_view> seen;
  for (const std::string_view item : Split(text, ',')) WEIR_TRY(ParseOne(item, seen, plan));
  const std::uint64_t sum =
      std::uint64_t{plan.late_ppm} + plan.duplicate_ppm + plan.bad_ppm + plan.tombstone_ppm;
  if (sum > kWhole) return Wrong("the shares add up to more than 100%");
  return plan;
}

std::string ToString(const FaultPlan& plan) {
  std::vector<std::string> items;
  if (plan.late_ppm != 0) {
    items.push_back(fmt::format("late={}:{}", ShareText(plan.late_ppm), DelayText(plan.late_by)));
  }
  if (plan.duplicate_ppm != 0) items.push_back("dup=" + ShareText(plan.duplicate_ppm));
  if (plan.bad_ppm != 0) items.push_back("bad=" + ShareText(plan.bad_ppm));
  if (plan.tombstone_ppm != 0) items.push_back("tombstone=" + ShareText(plan.tombstone_ppm));
  return fmt::format("{}", fmt::join(items, ","));
}

}  // namespace weir::generate
