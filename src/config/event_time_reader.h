#pragma once
// Reads the watermark, and checks across tables what event time needs: a watermark and a contract
// with `event_time`, a place for late events, a sessions table under funnel and statistics.

#include <optional>
#include <vector>

#include "config/pipeline_spec.h"
#include "config/section.h"
#include "config/table_reader.h"

namespace weir::config {

std::optional<WatermarkRules> ReadWatermark(Section& pipeline);

/// Fills `count_late` and the horizons that were left to the delay. spec: complete but for these.
/// contract: nullptr when it could not be read.
void CheckEventTime(Section& pipeline, const Contract* contract, const std::vector<TableRows>& rows,
                    PipelineSpec& spec);

}  // namespace weir::config
