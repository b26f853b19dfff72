#pragma once
// One record as a log holds it. Views only: they live as long as the LogBatch that handed them out.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "record/offsets.h"

namespace weir {

enum class TimestampType : std::uint8_t { kNone = 0, kCreate = 1, kLogAppend = 2 };

struct RecordHeader {
  std::string_view name;
  std::optional<std::string_view> value;
};

struct LogRecord {
  Partition partition;
  Offset offset;
  std::int64_t timestamp_ms = -1;  // as the producer wrote it, not checked; -1 = none
  TimestampType timestamp_type = TimestampType::kNone;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;  // nullopt: a tombstone
  std::span<const RecordHeader> headers;
};

/// A floor of its partition's watermark from this record on, as decided when it was read first.
struct RecordFloor {
  Partition partition;
  Offset offset;
  Micros floor = 0;
  bool operator==(const RecordFloor&) const = default;
};

/// Records and what keeps their bytes alive. Movable; the views die with it.
struct LogBatch {
  std::vector<LogRecord> records;  // per partition in offset order
  std::shared_ptr<void> storage;   // owner of the bytes behind the views
  std::size_t bytes = 0;           // of keys and values
  // What was decided when the records were read before; a replay does not decide it anew.
  std::optional<Micros> ingestion_time;  // of all of them; nullopt: now
  std::vector<RecordFloor> floors;       // in the order of the records

  bool empty() const { return records.empty(); }
};

}  // namespace weir
