#pragma once
// PlannedSource: a log as far as a replay reads it, with the watermark floors that were decided
// when it was read first. Tells the log nothing of its progress. One thread.

#include <memory>

#include "connect/log_source.h"
#include "engine/replay_plan.h"

namespace weir::engine {

std::unique_ptr<connect::LogSource> LimitToPlan(std::unique_ptr<connect::LogSource> source,
                                                const ReplayPlan& plan);

}  // namespace weir::engine
