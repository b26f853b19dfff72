#include "sim/sim_log.h"

#include <algorithm>

#include <fmt/format.h>

namespace weir::sim {
namespace {

Offset EndOf(const std::vector<SimLog::Entry>& entries) {
  return Offset(entries.empty() ? 0 : entries.back().offset + 1);
}

}  // namespace

SimLog SimLog::Make(Random& random, int partition_count, int records) {
  SimLog log;
  for (int i = 0; i < partition_count; ++i) log.partitions[Partition(i)];
  for (int i = 0; i < records; ++i) {
    const Partition partition(
        static_cast<int>(random.Below(static_cast<std::uint64_t>(partition_count))));
    auto& entries = log.partitions[partition];
    const std::int64_t hole = random.Chance(0.1) ? static_cast<std::int64_t>(random.Below(5)) : 0;
    const std::int64_t offset = EndOf(entries).value() + hole;
    const std::uint64_t dice = random.Below(20);
    if (dice == 0)
      entries.push_back({offset, RecordKind::kTombstone, ""});
    else if (dice <= 2)
      entries.push_back({offset, RecordKind::kBad, "{\"id\": "});
    else
      entries.push_back({offset, RecordKind::kGood,
                         fmt::format(R"({{"id":"{0}-{1}","n":{2},"coupon":"{1}"}})",
                                     partition.value(), offset, i)});
  }
  if (random.Chance(0.3)) log.hidden_until_later = Partition(partition_count - 1);
  return log;
}

std::set<std::int64_t> SimLog::Offsets(Partition partition, RecordKind kind) const {
  std::set<std::int64_t> offsets;
  for (const Entry& entry : partitions.at(partition))
    if (entry.kind == kind) offsets.insert(entry.offset);
  return offsets;
}

std::int64_t SimLog::Count(RecordKind kind) const {
  std::int64_t count = 0;
  for (const auto& [partition, entries] : partitions)
    count += std::ranges::count(entries, kind, &Entry::kind);
  return count;
}

Result<connect::TopicInfo> SimSource::Describe() {
  if (!world_.Step(process_)) return World::Death();
  connect::TopicInfo info{.topic = "sim", .cluster_id = "c", .topic_id = "t", .partitions = {}};
  for (const auto& [partition, entries] : log_.partitions)
    if (partition != log_.hidden_until_later || log_.shows_hidden)
      info.partitions[partition] = {Offset(0), EndOf(entries)};
  return info;
}

Result<OffsetMap> SimSource::OffsetsAt(std::int64_t) { return OffsetMap(); }

Status SimSource::Assign(const OffsetMap& start) {
  positions_ = start;
  return Ok();
}

Result<LogBatch> SimSource::Poll(Micros max_wait, std::size_t max_records) {
  if (!world_.Step(process_)) return World::Death();
  if (world_.random().Chance(away_)) {
    world_.faults().Count(Fault::kSourceAway);
    return Unavailable("simulated source is away", ErrorCode::kSourceUnavailable);
  }
  std::size_t limit = std::min<std::size_t>(max_records, 1 + world_.random().Below(12));
  if (limit <= 3) world_.faults().Count(Fault::kSmallBatch);
  LogBatch batch;
  for (auto& [partition, position] : positions_) {
    for (const auto& entry : log_.partitions.at(partition)) {
      if (entry.offset < position.value()) continue;
      if (batch.records.size() >= limit) break;
      LogRecord record;
      record.partition = partition;
      record.offset = Offset(entry.offset);
      if (entry.kind != RecordKind::kTombstone) record.value = entry.value;
      batch.bytes += entry.value.size();
      batch.records.push_back(record);
      position = Offset(entry.offset + 1);
    }
  }
  if (batch.empty()) world_.clock().Advance(max_wait);
  return batch;
}

std::set<Partition> SimSource::AtEnd() const {
  std::set<Partition> at_end;
  for (const auto& [partition, position] : positions_) {
    const auto& entries = log_.partitions.at(partition);
    if (entries.empty() || entries.back().offset < position.value()) at_end.insert(partition);
  }
  return at_end;
}

}  // namespace weir::sim
