#pragma once
// ReplayPlan: what a replay reads, which tables it makes, and where the pipeline stood that it
// repeats. Fixed when it is planned, so that a replay that was killed goes on with the same input.
// Kept as JSON. Decode: kCorrupt WEIR0504.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/bronze_index.h"
#include "engine/event_operators.h"
#include "record/log_record.h"
#include "state/claim.h"

namespace weir::engine {

struct ReplayPlan {
  std::string id;
  std::string config_hash;  // of the pipeline file
  bool from_source = false;
  std::vector<std::string> tables;  // that are made anew, by the pipeline's names
  std::string bronze;               // table of the raw records; empty: from the source
  std::int64_t bronze_snapshot = 0;
  std::vector<BronzeFile> files;
  std::vector<RecordFloor> floors;  // from the source: bronze has them with its records
  state::Claim goal;                // where each partition stands when everything is read

  /// The table beside the live one, and the name under which a swap keeps the live one.
  std::string TableOf(const std::string& table) const { return table + "__" + id; }
  std::string KeptOf(const std::string& table) const { return table + "__before_" + id; }

  ReplayTarget target() const;
  /// Records, by partition, that will be read from bronze.
  std::map<Partition, BronzeRange> ranges() const;
  std::int64_t bytes() const;
};

std::string Encode(const ReplayPlan& plan);
Result<ReplayPlan> DecodeReplayPlan(std::string_view bytes);

/// Where the plans of a pipeline and the states of its replays are, in its state location.
std::string ReplayFolder(const std::string& id);
std::string ReplayPlanKey(const std::string& id);
/// There once the replay's tables took the place of the live ones.
std::string ReplaySwappedKey(const std::string& id);

}  // namespace weir::engine
