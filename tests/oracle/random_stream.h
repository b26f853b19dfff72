#pragma once
// RandomStream: a scenario made from a seed: a pipeline with all event-time tables, and a log with
// disorder, copies, late and bad records, equal times, times exactly at borders and gaps. Nothing
// in it says what the tables must hold; stream_oracle.py works that out from `rules` and the
// records.

#include <cstdint>

#include <nlohmann/json.hpp>

#include "app/scenario.h"
#include "app/scenario_run.h"

namespace weir::oracle {

struct RandomStream {
  app::Scenario scenario;
  app::RunPlan plan;     // epoch cuts, restarts, kills, order of the partitions
  nlohmann::json rules;  // of the pipeline, for the oracle
};

/// The same stream for the same seed. Ends the program when the pipeline that it makes is refused.
RandomStream MakeRandomStream(std::uint64_t seed);

}  // namespace weir::oracle
