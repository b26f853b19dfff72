#pragma once
// Status: how a pipeline stands, from its state, its tables and its source, without disturbing it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/pipeline_spec.h"
#include "connect/log_source.h"
#include "connect/table.h"
#include "io/store.h"
#include "state/standing.h"

namespace weir::engine {

struct PartitionStatus {
  Partition partition;
  Offset next_offset;             // of the newest decided epoch
  std::optional<Offset> log_end;  // nullopt: the source did not answer
  state::LedgerCounts total;
};

struct TableStatus {
  std::string table;
  bool exists = false;
  std::int64_t rows = 0;
  std::int64_t files = 0;
  std::int64_t snapshots = 0;
  Micros last_commit = 0;  // 0: never
  std::string problem;     // empty: none
};

struct PipelineStatus {
  std::string pipeline;
  bool has_state = false;
  std::string writer;
  bool running = false;  // a process holds the lock
  std::int64_t pid = 0;  // of that process; 0: unknown
  std::int64_t epoch = 0;
  Micros last_epoch = 0;  // when it was cut; 0: none yet
  std::vector<PartitionStatus> partitions;
  std::vector<TableStatus> tables;
  state::LedgerCounts total;
  std::optional<Micros> watermark;                  // of the pipeline; nullopt: none
  std::map<std::string, std::int64_t> state_sizes;  // "dedupe.keys", "dedupe.bytes"
  std::string source_problem;                       // empty: it answered
  std::vector<std::string> problems;                // what makes it unhealthy; empty: healthy
};

/// Never fails for what is merely away: that is part of the answer. source may be null.
Result<PipelineStatus> ReadStatus(const config::PipelineSpec& spec, io::Store& state,
                                  connect::Catalog& catalog, connect::LogSource* source,
                                  Clock& clock);

}  // namespace weir::engine
