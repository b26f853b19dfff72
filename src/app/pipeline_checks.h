#pragma once
// PipelineChecks: asks everything that a pipeline needs whether it is there and fits, without
// changing anything. One outcome a check; one that fails does not hide the others.

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/pipeline_spec.h"

namespace weir::app {

struct CheckOutcome {
  std::string name;    // "source", "table retail.events"
  std::string detail;  // what was found
  std::optional<Error> error;
};

/// Waits at most a minute in all for what is away.
std::vector<CheckOutcome> CheckPipeline(const config::PipelineSpec& spec, Clock& clock);

}  // namespace weir::app
