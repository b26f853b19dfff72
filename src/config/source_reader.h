#pragma once
// Reads the `source` mapping: a Kafka topic with its security settings and client options, or a
// topic of an embedded log.

#include "config/pipeline_spec.h"
#include "config/section.h"

namespace weir::config {

/// What is wrong is reported; the rest is filled in. `pipeline`: for the default group.
SourceSpec ReadSource(Section section, const std::string& pipeline);

}  // namespace weir::config
