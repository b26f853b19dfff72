#pragma once
// The settings that operator state depends on, and the refusal to go on when one of them changed:
// half of the state would have been made by one rule and half by another. Pure functions.

#include <map>
#include <string>

#include "base/result.h"
#include "config/pipeline_spec.h"
#include "state/claim.h"

namespace weir::engine {

/// By name: "gold.sessions.gap" -> "1800000000". Empty without a watermark.
std::map<std::string, std::string> StateRulesOf(const config::PipelineSpec& spec);

/// kRefused WEIR0209 naming the first setting that differs from those that made the claim's state;
/// WEIR0213 when an earlier run finished it.
Status CheckStateRules(const config::PipelineSpec& spec, const state::Claim& claim);

}  // namespace weir::engine
