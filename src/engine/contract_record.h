#pragma once
// ContractRecord: which contract was in force last, and the record of a new one. The border is the
// start of a claim, so every offset is read by exactly one contract, whoever reads it.

#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "config/pipeline_spec.h"
#include "state/state_log.h"

namespace weir::engine {

/// The contract of the entry if it differs from the spec's. nullopt: none was recorded, or it is
/// the same. Tells what changed. kCorrupt WEIR0504.
Result<std::optional<Contract>> ContractBefore(const std::optional<state::ContractEntry>& newest,
                                               const config::PipelineSpec& spec);

/// Records the contract as in force from the claim's starts on, unless the newest record is it and
/// the claim before was by it, too.
Status RecordContract(state::StateLog& log, Clock& clock, const Contract& contract,
                      const state::Claim& claim);

}  // namespace weir::engine
