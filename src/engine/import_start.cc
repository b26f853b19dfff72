#include "engine/import_start.h"

#include <fmt/format.h>

#include "base/random.h"
#include "engine/open_table.h"
#include "engine/ownership.h"
#include "engine/start_checks.h"
#include "state/state_log.h"

namespace weir::engine {
namespace {

Result<std::map<Partition, state::PartitionStanding>> StandingsOf(const connect::TopicInfo& topic,
                                                                  const ImportedStart& start,
                                                                  bool event_time) {
  std::map<Partition, state::PartitionStanding> standings;
  for (const auto& [partition, bounds] : topic.partitions) {
    state::PartitionStanding& standing = standings[partition];
    const auto given = start.offsets.find(partition);
    standing.next_offset = given == start.offsets.end() ? bounds.begin : given->second;
    if (event_time) standing.clock.floor = start.watermark;
  }
  for (const auto& [partition, offset] : start.offsets) {
    if (standings.contains(partition)) continue;
    return InvalidInput(fmt::format("topic {} has no partition {}, of which offset {} is known: it "
                                    "is another topic, or it was made anew",
                                    topic.topic, partition.value(), offset.value()),
                        ErrorCode::kTopicReplaced);
  }
  AcceptSet none;
  WEIR_TRY(CheckOffsets(topic, none, standings));
  return standings;
}

}  // namespace

Status ImportStart(const config::PipelineSpec& spec, const PipelineParts& parts,
                   const ImportedStart& start) {
  state::StateLog log(parts.state);
  WEIR_TRY(io::ProbePutIfAbsent(parts.state));
  WEIR_ASSIGN_OR_RETURN(const auto newest, log.NewestClaim());
  if (newest)
    return WithRemedy(Refused(fmt::format("{} holds the state of pipeline {} already",
                                          parts.state.Describe(), newest->pipeline),
                              ErrorCode::kForeignPipeline),
                      "import into a state folder that is not there yet");
  WEIR_ASSIGN_OR_RETURN(
      auto tables, OpenTables(spec, parts.catalog, parts.open_store, MissingTable::kAsConfigured));
  WEIR_TRY(CheckStatePresent(tables, spec.name, parts.state.Describe(), {}));
  WEIR_ASSIGN_OR_RETURN(const auto topic, parts.source.Describe());
  WEIR_ASSIGN_OR_RETURN(const auto standings,
                        StandingsOf(topic, start, spec.watermark.has_value()));
  ClaimIdentity identity{.pipeline = spec.name,
                         .writer = NewUuid(),
                         .topic = topic.topic,
                         .topic_id = topic.topic_id,
                         .cluster_id = topic.cluster_id,
                         .config_hash = spec.text_hash,
                         .contract = {},
                         .table_uuids = {}};
  for (const OpenTable& table : tables) identity.table_uuids[table.name] = table.at_start->uuid;
  return PutFirstClaim(log, parts.clock, /*number=*/0, identity, standings);
}

}  // namespace weir::engine
