#pragma once
// Startup: from a spec to the moment when the first record may be read: the source is described,
// the tables are open, every refusal was considered, the dead log is applied and the partitions are
// ours.

#include <memory>
#include <string>
#include <vector>

#include "engine/ownership.h"
#include "engine/pipeline.h"

namespace weir::engine {

/// What a pipeline starts from.
struct Started {
  std::string writer;                     // fresh for every process start
  std::vector<OpenTable> tables;          // in apply order
  state::Claim claim;                     // in force
  connect::TopicInfo topic;               // as it was then; bounded runs end there
  std::vector<std::string> predecessors;  // owners in the claim before
};

/// kUnavailable when the source stays away longer than the patience, and every refusal of
/// start_checks.h.
Result<Started> StartUp(const config::PipelineSpec& spec, const PipelineParts& parts,
                        state::StateLog& log, const RunOptions& options,
                        const PatienceRules& patience);

}  // namespace weir::engine
