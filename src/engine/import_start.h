#pragma once
// ImportStart: a pipeline begins where another program stopped: the first claim of its state holds
// the offsets, and the watermark, that were taken from there. Everything behind it is a start like
// any other.

#include <optional>

#include "config/pipeline_spec.h"
#include "engine/pipeline.h"

namespace weir::engine {

/// Where the other program stopped.
struct ImportedStart {
  OffsetMap offsets;                // partitions that are missing begin at their first record
  std::optional<Micros> watermark;  // of the pipeline: what lies behind it is late
};

/// Puts the claim. Nothing is read and no table changes, though those that are missing are made.
/// kRefused WEIR0201 when the state folder holds a pipeline already; kInvalidInput for partitions
/// that the topic does not have; those of a start.
Status ImportStart(const config::PipelineSpec& spec, const PipelineParts& parts,
                   const ImportedStart& start);

}  // namespace weir::engine
