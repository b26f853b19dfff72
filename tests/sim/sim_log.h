#pragma once
// SimLog: a log in memory whose records are known by heart, and the source that reads it: away at
// times, handing out little at times, with holes, tombstones and bad records in it.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "connect/log_source.h"
#include "sim/world.h"

namespace weir::sim {

enum class RecordKind { kGood, kBad, kTombstone };

struct SimLog {
  struct Entry {
    std::int64_t offset;
    RecordKind kind;
    std::string value;
  };
  std::map<Partition, std::vector<Entry>> partitions;
  Partition hidden_until_later{-1};  // this one appears while the pipeline runs
  bool shows_hidden = false;

  /// `records` records over `partition_count` partitions, by the seed.
  static SimLog Make(Random& random, int partition_count, int records);
  std::set<std::int64_t> Offsets(Partition partition, RecordKind kind) const;
  std::int64_t Count(RecordKind kind) const;
};

class SimSource final : public connect::LogSource {
 public:
  SimSource(World& world, int process, SimLog& log, double away)
      : world_(world), process_(process), log_(log), away_(away) {}

  Result<connect::TopicInfo> Describe() override;
  Result<OffsetMap> OffsetsAt(std::int64_t timestamp_ms) override;
  Status Assign(const OffsetMap& start) override;
  Result<LogBatch> Poll(Micros max_wait, std::size_t max_records) override;
  OffsetMap Positions() const override { return positions_; }
  std::set<Partition> AtEnd() const override;
  Status ReportProgress(const OffsetMap&) override { return Ok(); }

 private:
  World& world_;
  int process_;
  SimLog& log_;
  double away_;
  OffsetMap positions_;
};

}  // namespace weir::sim
