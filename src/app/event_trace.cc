#include "app/event_trace.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/cell_text.h"
#include "app/table_scan.h"

namespace weir::app {
namespace {

std::string TextOf(const Column& column, std::size_t row) {
  const Cell cell = CellOf(column, row);
  if (!cell.shown.empty()) return cell.shown;
  if (const auto* text = std::get_if<std::string>(&cell.value)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&cell.value)) return std::to_string(*number);
  if (const auto* truth = std::get_if<bool>(&cell.value)) return *truth ? "true" : "false";
  return "null";
}

bool IsAt(const Batch& batch, std::size_t row, EventTrace::Place place) {
  const Column* partition = FindColumn(batch, "partition");
  const Column* offset = FindColumn(batch, "offset");
  return partition != nullptr && offset != nullptr &&
         Partition(partition->Int(row)) == place.first && Offset(offset->Long(row)) == place.second;
}

// The column that tells one event from another: the key of dedupe, or what is usual.
std::string IdColumn(const config::PipelineSpec& spec) {
  for (const auto& table : spec.tables)
    if (table.dedupe && table.dedupe->key.size() == 1) return table.dedupe->key.front();
  return "event_id";
}

Micros FloorTo(Micros time, Micros size, Micros offset) {
  Micros rest = (time - offset) % size;
  if (rest < 0) rest += size;
  return time - rest;
}

}  // namespace

const config::TableSpec* EventTrace::TableFrom(config::TableFrom from) const {
  const auto found = std::ranges::find(spec_.tables, from, &config::TableSpec::from);
  return found == spec_.tables.end() ? nullptr : &*found;
}

// With raw records all copies are found, those too that were dropped as doubles or refused.
Result<std::vector<EventTrace::Place>> EventTrace::FindEvent(const std::string& id) {
  const config::TableSpec* bronze = TableFrom(config::TableFrom::kSource);
  const config::TableSpec* silver = TableFrom(config::TableFrom::kValid);
  const config::TableSpec* table = bronze != nullptr ? bronze : silver;
  if (table == nullptr || (bronze == nullptr && !silver->coordinates))
    return InvalidInput(spec_.file + ": no table has the records or their coordinates",
                        ErrorCode::kUsage);
  const std::string column = bronze != nullptr ? "value" : IdColumn(spec_);
  const std::string wanted = bronze != nullptr ? '"' + id + '"' : id;
  WEIR_ASSIGN_OR_RETURN(auto opened, OpenTableByName(catalog_, table->name, spec_));
  std::vector<Place> places;
  WEIR_TRY(ScanTable(opened, {"partition", "offset", column}, [&](const Batch& batch) -> Status {
    const Column* value = FindColumn(batch, column);
    for (std::size_t row = 0; value != nullptr && row < batch.rows(); ++row) {
      if (value->IsNull(row)) continue;
      const bool found = bronze != nullptr
                             ? value->String(row).find(wanted) != std::string_view::npos
                             : TextOf(*value, row) == wanted;
      if (found)
        places.emplace_back(Partition(FindColumn(batch, "partition")->Int(row)),
                            Offset(FindColumn(batch, "offset")->Long(row)));
    }
    return Ok();
  }));
  std::ranges::sort(places);
  return places;
}

Result<std::vector<EventTrace::Place>> EventTrace::FindSession(const std::string& session_id) {
  const config::TableSpec* sessions = TableFrom(config::TableFrom::kSessions);
  const config::TableSpec* silver = TableFrom(config::TableFrom::kValid);
  if (sessions == nullptr || silver == nullptr || !silver->coordinates)
    return InvalidInput(spec_.file +
                            ": a session is traced by a table of sessions and one of "
                            "valid rows with coordinates",
                        ErrorCode::kUsage);
  const std::string& by = sessions->sessions->by;
  const std::string& time = spec_.contract.event_time_field;
  std::optional<std::string> key;
  Micros start = 0;
  Micros end = 0;
  WEIR_ASSIGN_OR_RETURN(auto opened, OpenTableByName(catalog_, sessions->name, spec_));
  WEIR_TRY(ScanTable(opened, {by, "session_id", "session_start", "session_end"},
                     [&](const Batch& batch) -> Status {
                       for (std::size_t row = 0; row < batch.rows(); ++row) {
                         if (batch.columns[1].String(row) != session_id) continue;
                         key = TextOf(batch.columns[0], row);
                         start = batch.columns[2].Long(row);
                         end = batch.columns[3].Long(row);
                       }
                       return Ok();
                     }));
  std::vector<Place> places;
  if (!key) return places;
  WEIR_ASSIGN_OR_RETURN(auto rows, OpenTableByName(catalog_, silver->name, spec_));
  WEIR_TRY(ScanTable(rows, {by, time, "partition", "offset"}, [&](const Batch& batch) -> Status {
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      const Micros at = batch.columns[1].Long(row);
      if (at >= start && at <= end && TextOf(batch.columns[0], row) == *key)
        places.emplace_back(Partition(batch.columns[2].Int(row)),
                            Offset(batch.columns[3].Long(row)));
    }
    return Ok();
  }));
  std::ranges::sort(places);
  return places;
}

Result<std::vector<std::vector<std::string>>> EventTrace::Rows(
    const config::TableSpec& table, const std::vector<std::string>& columns, Place place) {
  std::vector<std::string> read = columns;
  read.insert(read.end(), {"partition", "offset"});
  std::vector<std::vector<std::string>> rows;
  WEIR_ASSIGN_OR_RETURN(auto opened, OpenTableByName(catalog_, table.name, spec_));
  WEIR_TRY(ScanTable(opened, read, [&](const Batch& batch) -> Status {
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      if (!IsAt(batch, row, place)) continue;
      std::vector<std::string>& values = rows.emplace_back();
      for (const std::string& name : columns) {
        const Column* column = FindColumn(batch, name);
        values.push_back(column == nullptr ? "" : TextOf(*column, row));
      }
    }
    return Ok();
  }));
  return rows;
}

// The greatest event time before it in its partition, less the delay, and the floors up to it.
Result<std::string> EventTrace::WatermarkMet(Place place) {
  PartitionClock clock;
  for (const auto* table :
       {TableFrom(config::TableFrom::kValid), TableFrom(config::TableFrom::kLate)}) {
    if (table == nullptr) continue;
    const std::string& time = spec_.contract.event_time_field;
    WEIR_ASSIGN_OR_RETURN(auto opened, OpenTableByName(catalog_, table->name, spec_));
    WEIR_TRY(ScanTable(opened, {time, "partition", "offset"}, [&](const Batch& batch) -> Status {
      const Column* partition = FindColumn(batch, "partition");
      const Column* offset = FindColumn(batch, "offset");
      if (partition == nullptr || offset == nullptr) return Ok();
      for (std::size_t row = 0; row < batch.rows(); ++row)
        if (Partition(partition->Int(row)) == place.first &&
            Offset(offset->Long(row)) < place.second)
          clock.max_event_time =
              std::max(clock.max_event_time.value_or(kNoWatermark), batch.columns[0].Long(row));
      return Ok();
    }));
  }
  for (const auto& epoch : decisions_)
    for (const Decision& decision : epoch.decisions)
      if (decision.kind == DecisionKind::kJoined && decision.partition == place.first &&
          decision.offset <= place.second)
        clock.floor = std::max(clock.floor.value_or(kNoWatermark), decision.value);
  const Micros met = WatermarkOf(clock, spec_.watermark->delay);
  return met == kNoWatermark ? "no watermark yet" : "the watermark was " + FormatTime(met);
}

Status EventTrace::FollowSession(const config::TableSpec& table, const std::string& key,
                                 Micros time, RecordTrace& trace) {
  WEIR_ASSIGN_OR_RETURN(auto opened, OpenTableByName(catalog_, table.name, spec_));
  return ScanTable(opened,
                   {table.sessions->by, "session_id", "session_start", "session_end", "is_open"},
                   [&](const Batch& batch) -> Status {
                     for (std::size_t row = 0; row < batch.rows(); ++row) {
                       const bool inside =
                           batch.columns[2].Long(row) <= time && time <= batch.columns[3].Long(row);
                       if (!inside || TextOf(batch.columns[0], row) != key) continue;
                       trace.steps.push_back(
                           {table.name, batch.columns[4].Boolean(row) ? "open" : "closed",
                            fmt::format("session {} from {} to {}", batch.columns[1].String(row),
                                        FormatTime(batch.columns[2].Long(row)),
                                        FormatTime(batch.columns[3].Long(row)))});
                     }
                     return Ok();
                   });
}

Status EventTrace::FollowGold(Place place, RecordTrace& trace) {
  const config::TableSpec* silver = TableFrom(config::TableFrom::kValid);
  const config::TableSpec* sessions = TableFrom(config::TableFrom::kSessions);
  const std::string by = sessions != nullptr ? sessions->sessions->by : std::string();
  std::optional<Micros> time;
  std::string key;
  WEIR_ASSIGN_OR_RETURN(auto opened, OpenTableByName(catalog_, silver->name, spec_));
  std::vector<std::string> columns{spec_.contract.event_time_field, "partition", "offset"};
  if (!by.empty()) columns.push_back(by);
  WEIR_TRY(ScanTable(opened, columns, [&](const Batch& batch) -> Status {
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      if (!IsAt(batch, row, place)) continue;
      time = batch.columns[0].Long(row);
      if (!by.empty()) key = TextOf(batch.columns[3], row);
    }
    return Ok();
  }));
  if (!time) return Ok();
  const Micros watermark = history_.shared().watermark.value_or(kNoWatermark);
  for (const auto& table : spec_.tables) {
    if (table.from == config::TableFrom::kSessions)
      WEIR_TRY(FollowSession(table, key, *time, trace));
    if (table.from != config::TableFrom::kWindows) continue;
    const Micros start = FloorTo(*time, table.windows->size, table.windows->offset);
    const Micros end = start + table.windows->size;
    trace.steps.push_back(
        {table.name, watermark >= end ? "closed" : "open",
         fmt::format("window from {} to {}", FormatTime(start), FormatTime(end))});
  }
  return Ok();
}

Status EventTrace::FollowTables(Place place, RecordTrace& trace) {
  auto& steps = trace.steps;
  if (const auto* invalid = TableFrom(config::TableFrom::kInvalid)) {
    WEIR_ASSIGN_OR_RETURN(const auto rows, Rows(*invalid, {"stage", "reason", "message"}, place));
    for (const auto& row : rows)
      steps.push_back({invalid->name, "refused", row[0] + ": " + row[1] + ": " + row[2]});
    if (!rows.empty()) return Ok();
  }
  if (const auto* late = TableFrom(config::TableFrom::kLate)) {
    WEIR_ASSIGN_OR_RETURN(
        const auto rows,
        Rows(*late, {spec_.contract.event_time_field, "watermark", "lateness_ms", "missed"},
             place));
    for (const auto& row : rows)
      steps.push_back({late->name, "late",
                       fmt::format("event time {} is {} ms behind the watermark {}; missed {}",
                                   row[0], row[2], row[1], row[3])});
    if (!rows.empty()) return Ok();
  }
  const auto* silver = TableFrom(config::TableFrom::kValid);
  if (silver == nullptr || !silver->coordinates) return Ok();
  const std::string id = IdColumn(spec_);
  WEIR_ASSIGN_OR_RETURN(const auto rows,
                        Rows(*silver, {id, spec_.contract.event_time_field}, place));
  std::string met;
  if (spec_.watermark) {
    WEIR_ASSIGN_OR_RETURN(met, WatermarkMet(place));
  }
  for (const auto& row : rows)
    steps.push_back({silver->name, spec_.watermark ? "valid, on time" : "valid",
                     fmt::format("{} {}{}{}", id, row[0], met.empty() ? "" : "; ", met)});
  if (!rows.empty()) return FollowGold(place, trace);
  if (silver->dedupe) steps.push_back({silver->name, "duplicate", "its key was held; " + met});
  return Ok();
}

Result<RecordTrace> EventTrace::Follow(Place place) {
  RecordTrace trace{.partition = place.first, .offset = place.second, .steps = {}};
  const auto standing = history_.standings.find(place.first);
  if (standing == history_.standings.end() || place.second >= standing->second.next_offset) {
    trace.steps.push_back({"log", "not read yet", ""});
    return trace;
  }
  if (const auto* bronze = TableFrom(config::TableFrom::kSource)) {
    WEIR_ASSIGN_OR_RETURN(const auto rows,
                          Rows(*bronze, {"ingestion_time", "watermark_floor", "value"}, place));
    if (rows.empty()) {
      trace.steps.push_back({bronze->name, "not there",
                             "the log has a gap here, or the record "
                             "was read before there was the table"});
      return trace;
    }
    const auto& row = rows.front();
    const bool joined = row[1] != "null";
    trace.steps.push_back({bronze->name, "read",
                           "came in at " + row[0] +
                               (joined ? "; its partition joined with the floor " + row[1] : "")});
    if (row[2] == "null") {
      trace.steps.push_back({"decode", "tombstone", "it has no value"});
      return trace;
    }
  }
  WEIR_TRY(FollowTables(place, trace));
  return trace;
}

}  // namespace weir::app
