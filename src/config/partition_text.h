#pragma once
// Partition transforms as a pipeline spells them: "day(event_time)", "bucket(16, user_id)",
// "country". Pure functions; errors are kInvalidInput WEIR0104, without a place.

#include <string>
#include <string_view>

#include "base/result.h"
#include "config/pipeline_spec.h"
#include "record/type.h"

namespace weir::config {

Result<PartitionBy> ParsePartition(std::string_view text);

/// The same text again.
std::string ToString(const PartitionBy& partition);

/// Whether the transform is defined for the type. kInvalidInput WEIR0107 says which types it takes.
Status CheckTransform(const PartitionBy& partition, const Type& type);

}  // namespace weir::config
