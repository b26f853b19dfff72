#include "app/scenario_plans.h"

#include <algorithm>

#include <fmt/format.h>

namespace weir::app {
namespace {

constexpr std::uint64_t kOrders = 3;
constexpr std::uint64_t kKills = 4;
constexpr const char* kFormats[] = {"iceberg", "delta", "both"};

// Which records a partition joins behind is decided by what is cut before: where a pause or the end
// of a bounded run has made partitions idle, the order of arrival matters by definition.
bool OrderIsFree(const Scenario& scenario) {
  if (scenario.has_pauses() || scenario.partitions < 2) return false;
  return std::ranges::all_of(scenario.parts.begin(), scenario.parts.end() - 1,
                             [](const auto& part) { return part.end == PartEnd::kStopped; });
}

}  // namespace

RunPlan PlainPlan() {
  return {.name = "straight", .epoch_rows = {}, .kill_seed = {}, .order_seed = {}, .log = {}};
}

std::vector<RunPlan> VariantPlans(const Scenario& scenario) {
  std::vector<RunPlan> plans;
  plans.push_back(PlainPlan());
  plans.back().name = "in epochs of 1 record";
  plans.back().epoch_rows = 1;
  plans.push_back(plans.back());
  plans.back().name = "a new process after each record";
  plans.back().restart_after_epoch = true;
  for (std::uint64_t seed = 1; OrderIsFree(scenario) && seed <= kOrders; ++seed) {
    plans.push_back(PlainPlan());
    plans.back().name = fmt::format("other order of the partitions, seed {}", seed);
    plans.back().order_seed = seed;
    plans.back().epoch_rows = static_cast<std::int64_t>(seed);
  }
  for (std::uint64_t seed = 1; seed <= kKills; ++seed) {
    plans.push_back(PlainPlan());
    plans.back().name = fmt::format("killed at random, seed {}", seed);
    plans.back().kill_seed = seed;
    if (seed > 1) plans.back().epoch_rows = static_cast<std::int64_t>(seed) - 1;
  }
  for (const char* format : kFormats) {
    if (format == scenario.parts.front().spec.lake.format) continue;
    plans.push_back(PlainPlan());
    plans.back().name = fmt::format("with lake format {}", format);
    plans.back().lake_format = format;
    plans.push_back(plans.back());
    plans.back().name += ", killed at random";
    plans.back().kill_seed = kKills + 1;
    plans.back().epoch_rows = 1;
  }
  return plans;
}

}  // namespace weir::app
