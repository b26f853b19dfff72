#pragma once
// What a pipeline says of event time: watermark, dedupe, windows, sessions, funnel, active users,
// session statistics. config/ fills these from the pipeline file, stream/ works by them. Also the
// columns that each operator's table has. Plain values; meanings in docs/SEMANTICS.md.

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "record/contract.h"
#include "record/type.h"

namespace weir {

struct WatermarkRules {
  Micros delay = 0;
  std::optional<Micros> idle_after;  // nullopt: a silent partition holds the watermark for ever
  std::optional<Micros> max_future;  // an event further ahead of its ingestion is quarantined
  bool advance_on_silence = false;
  bool operator==(const WatermarkRules&) const = default;
};

struct DedupeRules {
  std::vector<std::string> key;  // columns; required by the contract, so never null
  Micros horizon = 0;
  bool compact = false;  // 64-bit fingerprints: half the memory, a stated rate of false drops
  bool operator==(const DedupeRules&) const = default;
};

enum class AggregateKind { kCount, kCountDistinct, kSum, kMin, kMax, kAvg };

struct Aggregate {
  AggregateKind kind = AggregateKind::kCount;
  std::string column;  // empty for kCount
  std::string name;    // of the output column
  bool operator==(const Aggregate&) const = default;
};

/// Tumbling windows [offset + k*size, offset + (k+1)*size).
struct WindowRules {
  Micros size = 0;
  Micros offset = 0;
  std::vector<std::string> by;        // group columns; may be empty
  std::vector<Aggregate> aggregates;  // at least one
  bool operator==(const WindowRules&) const = default;
};

enum class SessionSplit { kNone, kHour, kDay };

struct SessionRules {
  std::string by;  // column of the session key; required by the contract
  Micros gap = 0;
  SessionSplit split = SessionSplit::kNone;
  std::string page;                // column of entry_page and exit_page; empty: no such columns
  std::vector<std::string> first;  // further columns: first_<column> ...
  std::vector<std::string> last;   // ... and last_<column>
  std::string value_event;         // event type whose rows count into order_value; empty: none
  std::string price;               // decimal column
  std::string quantity;            // int or long column; empty or null: 1
  bool operator==(const SessionRules&) const = default;
};

struct FunnelRules {
  std::vector<std::string> steps;  // event types in order
  Micros size = kMicrosPerDay;     // of the window of session_start
  bool operator==(const FunnelRules&) const = default;
};

struct ActiveUserRules {
  std::string user;  // column
  bool operator==(const ActiveUserRules&) const = default;
};

struct SessionStatsRules {
  Micros size = kMicrosPerDay;  // of the window of session_end
  bool operator==(const SessionStatsRules&) const = default;
};

/// Late rows: the contract's columns (with coordinates), then watermark, lateness_ms, missed.
Schema LateColumns(const Contract& contract);
/// Group columns, window_start, window_end, aggregates. kInvalidInput WEIR0106 for a column that is
/// not there, or that the aggregate can't take (sum and avg: int, long, decimal, float, double; min
/// and max: any that has an order; count distinct: any scalar).
Result<Schema> WindowColumns(const Contract& contract, const WindowRules& rules);
/// The key, session_id, session_start, session_end, duration_s, events, event_counts, entry_page,
/// exit_page, first_*, last_*, is_bounce, order_value, is_open, source_partition.
Result<Schema> SessionColumns(const Contract& contract, const SessionRules& rules);
/// window_start, window_end, step, event_type, sessions, from_first, from_previous, median_s,
/// is_final.
Schema FunnelColumns();
/// minute, users_5m, users_30m.
Schema ActiveUserColumns();
/// window_start, window_end, sessions, median_s, p90_s, bounces.
Schema SessionStatsColumns();
/// epoch, kind, partition, offset, value, watermark, time.
Schema DecisionColumns();

}  // namespace weir
