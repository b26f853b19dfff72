#include "engine/start_checks.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"

namespace weir::engine {
namespace {

constexpr std::pair<std::string_view, Accept> kAcceptNames[] = {
    {"replay", Accept::kReplay},
    {"offset-gap", Accept::kOffsetGap},
    {"new-topic", Accept::kNewTopic},
    {"rollback", Accept::kRollback},
};

Error Refuse(std::string message, ErrorCode code, std::string remedy) {
  return WithRemedy(Refused(std::move(message), code), std::move(remedy));
}

bool Differs(const std::string& before, const std::string& now) {
  return !before.empty() && !now.empty() && before != now;
}

// Whether its rows are computed over many events, which other rows in the table would double.
bool IsComputed(const config::TableSpec& spec) {
  return spec.windows || spec.sessions || spec.funnel || spec.active_users || spec.session_stats;
}

Status CheckPartitionOffsets(Partition partition, const connect::PartitionBounds& bounds,
                             const connect::TopicInfo& topic, const AcceptSet& accepted,
                             state::PartitionStanding& standing) {
  const Offset next = standing.next_offset;
  if (next > bounds.end)
    return Refuse(
        fmt::format("partition {} of topic {} ends at offset {}, but {} was read already",
                    partition.value(), topic.topic, bounds.end.value(), next.value()),
        ErrorCode::kLogTruncated,
        "find out what happened to the topic; to read what is there now from its beginning, "
        "start with `--accept new-topic`");
  if (next >= bounds.begin) return Ok();
  if (!accepted.contains(Accept::kOffsetGap))
    return Refuse(
        fmt::format("offsets {} to {} of partition {} of topic {} expired before they were "
                    "read",
                    next.value(), bounds.begin.value() - 1, partition.value(), topic.topic),
        ErrorCode::kOffsetsExpired, "restore them, or go on without them: `--accept offset-gap`");
  log::Warn(
      "offsets are skipped as accepted",
      {{"partition", partition.value()}, {"from", next.value()}, {"to", bounds.begin.value()}});
  standing.next_offset = bounds.begin;
  return Ok();
}

Status CheckTableAgrees(const std::string& table, const connect::TableVersion& version,
                        const std::string& topic, Partition partition, Position known) {
  if (!version.progress) {
    if (known == Position()) return Ok();
    return Refused(fmt::format("table {} shows no progress, but it was written before up to {}",
                               table, ToString(known)),
                   ErrorCode::kProgressLost);
  }
  auto shown = version.progress->partitions.find(ProgressKey(topic, partition));
  if (shown == version.progress->partitions.end() || shown->second.position == known) return Ok();
  const bool ahead = shown->second.position > known;
  const std::string_view what = ahead ? "state" : "table or its catalog";
  return Refuse(
      fmt::format("table {} is at position {} of partition {}, {} the state ({}): the {} was "
                  "restored from an older copy",
                  table, ToString(shown->second.position), partition.value(),
                  ahead ? "ahead of" : "behind", ToString(known), what),
      ahead ? ErrorCode::kStateMissing : ErrorCode::kTableRolledBack,
      fmt::format("bring the newest {} back", ahead ? "state folder" : "catalog and table"));
}

}  // namespace

Result<Accept> ParseAccept(std::string_view name) {
  for (const auto& [known, accept] : kAcceptNames)
    if (known == name) return accept;
  return InvalidInput(
      fmt::format("`--accept {}` is not known; it takes replay, offset-gap, new-topic or rollback",
                  name),
      ErrorCode::kUsage);
}

Status CheckStatePresent(std::span<const OpenTable> tables, const std::string& pipeline,
                         const std::string& state_location, const AcceptSet& accepted) {
  if (accepted.contains(Accept::kReplay)) return Ok();
  for (const OpenTable& table : tables) {
    const std::int64_t rows = table.at_start->total_records;
    if (!table.at_start->progress && IsComputed(table.spec) && rows > 0)
      return Refuse(fmt::format("table {} has {} rows already, but pipeline {} starts from nothing "
                                "and would add what it counts once more",
                                table.name, rows, pipeline),
                    ErrorCode::kStateMissing,
                    "name another table, or empty this one; to add to it on purpose: "
                    "`--accept replay`");
    if (!table.at_start->progress) continue;
    return Refuse(fmt::format("{} holds no state of pipeline {}, but table {} was written by it",
                              state_location, pipeline, table.name),
                  ErrorCode::kStateMissing,
                  "bring the state folder back; or read the topic again from `start` on purpose, "
                  "so that rows "
                  "already in the tables come twice: `--accept replay`");
  }
  return Ok();
}

Status CheckIdentity(const state::Claim& claim, const ClaimIdentity& now,
                     const AcceptSet& accepted) {
  if (claim.pipeline != now.pipeline)
    return Refused(fmt::format("the state folder belongs to pipeline {}, not {}", claim.pipeline,
                               now.pipeline),
                   ErrorCode::kForeignPipeline);
  for (const auto& [table, uuid] : now.table_uuids) {
    auto before = claim.table_uuids.find(table);
    if (before != claim.table_uuids.end() && before->second != uuid)
      return Refused(fmt::format("table {} was replaced: its uuid is {}, this pipeline wrote {}",
                                 table, uuid, before->second),
                     ErrorCode::kTableReplaced);
  }
  if (accepted.contains(Accept::kNewTopic)) return Ok();
  const std::string remedy =
      "point back to the old topic, or read the new one from its beginning: `--accept new-topic`";
  if (claim.topic != now.topic)
    return Refuse(fmt::format("the state is of topic {}, not {}", claim.topic, now.topic),
                  ErrorCode::kTopicReplaced, remedy);
  if (Differs(claim.topic_id, now.topic_id))
    return Refuse(fmt::format("topic {} was deleted and created again (its id is {}, was {})",
                              now.topic, now.topic_id, claim.topic_id),
                  ErrorCode::kTopicReplaced, remedy);
  if (Differs(claim.cluster_id, now.cluster_id))
    return Refuse(fmt::format("topic {} is on another cluster ({}, was {})", now.topic,
                              now.cluster_id, claim.cluster_id),
                  ErrorCode::kTopicReplaced, remedy);
  return Ok();
}

Status CheckTablesThere(const state::Claim& claim, std::span<const config::TableSpec> tables,
                        connect::Catalog& catalog) {
  for (const config::TableSpec& spec : tables) {
    WEIR_ASSIGN_OR_RETURN(const auto name, connect::ParseTableName(spec.name));
    const std::string table = connect::ToString(name);
    const auto written = claim.table_uuids.find(table);
    if (written == claim.table_uuids.end()) continue;
    WEIR_ASSIGN_OR_RETURN(const auto handle, catalog.Open(name, claim.pipeline));
    auto version = handle->Load();
    if (version || version.error().kind != ErrorKind::kNotFound) continue;
    return Refuse(fmt::format("table {} (uuid {}) is gone from the catalog {}, but pipeline {} has "
                              "written to it",
                              table, written->second, catalog.Describe(), claim.pipeline),
                  ErrorCode::kTableReplaced,
                  "bring the table back (register its newest metadata file, or restore the "
                  "catalog); or start a new pipeline name with a fresh state folder");
  }
  return Ok();
}

Status CheckTablesAgree(std::span<OpenTable> tables, const std::string& topic,
                        const std::map<Partition, state::PartitionStanding>& standings) {
  for (OpenTable& table : tables) {
    WEIR_ASSIGN_OR_RETURN(auto version, table.table->Load());
    for (const auto& [partition, standing] : standings) {
      Position known;
      if (auto entry = standing.tables.find(table.name); entry != standing.tables.end())
        known = entry->second.position;
      WEIR_TRY(CheckTableAgrees(table.name, *version, topic, partition, known));
    }
  }
  return Ok();
}

Status CheckOffsets(const connect::TopicInfo& topic, const AcceptSet& accepted,
                    std::map<Partition, state::PartitionStanding>& standings) {
  for (auto& [partition, standing] : standings) {
    auto bounds = topic.partitions.find(partition);
    if (bounds == topic.partitions.end())
      return Refused(
          fmt::format("partition {} of topic {} is gone", partition.value(), topic.topic),
          ErrorCode::kTopicReplaced);
    WEIR_TRY(CheckPartitionOffsets(partition, bounds->second, topic, accepted, standing));
  }
  return Ok();
}

}  // namespace weir::engine
