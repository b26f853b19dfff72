#include "app/answer_check.h"

#include <unordered_set>

#include "app/gold_check.h"
#include "app/table_scan.h"
#include "base/time.h"
#include "engine/history.h"
#include "state/state_log.h"

namespace weir::app {
namespace {

// Adds up one table of valid rows.
class ValidCounter {
 public:
  Status Visit(const Batch& batch) {
    const Column* id = Find(batch, "event_id", TypeKind::kString);
    const Column* type = Find(batch, "event_type", TypeKind::kString);
    const Column* time = Find(batch, "event_time", TypeKind::kTimestamp);
    const Column* price = Find(batch, "price", TypeKind::kDecimal);
    const Column* quantity = Find(batch, "quantity", TypeKind::kInt);
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      ++totals_.rows;
      if (id != nullptr && !id->IsNull(row)) AddId(id->String(row));
      if (type != nullptr && !type->IsNull(row)) {
        ++totals_.event_types[std::string(type->String(row))];
      }
      if (time != nullptr && !time->IsNull(row)) ++days_[FloorDay(time->Long(row))];
      if (price != nullptr && !price->IsNull(row)) totals_.price_cents += price->Decimal(row);
      if (quantity != nullptr && !quantity->IsNull(row)) totals_.quantity += quantity->Int(row);
    }
    return Ok();
  }

  generate::ValidTotals Totals() {
    for (const auto& [day, rows] : days_) totals_.days[FormatDay(day)] = rows;
    totals_.unique_rows = static_cast<std::int64_t>(seen_.size());
    totals_.id_checksum = ids_.value();
    totals_.unique_id_checksum = unique_ids_.value();
    return totals_;
  }

 private:
  static const Column* Find(const Batch& batch, std::string_view name, TypeKind kind) {
    const Column* column = FindColumn(batch, name);
    return column != nullptr && column->type().kind == kind ? column : nullptr;
  }

  void AddId(std::string_view event_id) {
    ids_.Add(event_id);
    if (seen_.emplace(event_id).second) unique_ids_.Add(event_id);
  }

  generate::ValidTotals totals_;
  std::map<std::int32_t, std::int64_t> days_;
  generate::IdChecksum ids_;
  generate::IdChecksum unique_ids_;
  std::unordered_set<std::string> seen_;
};

Result<generate::QuarantineTotals> CountQuarantine(OpenedTable& opened) {
  generate::QuarantineTotals totals;
  WEIR_TRY(ScanTable(opened, {"reason"}, [&](const Batch& batch) -> Status {
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      ++totals.rows;
      ++totals.reasons[std::string(batch.columns.at(0).String(row))];
    }
    return Ok();
  }));
  return totals;
}

Status CountLedger(io::Store& state, const generate::AnswerKey& expected,
                   generate::AnswerKey& found) {
  state::StateLog log(state);
  WEIR_ASSIGN_OR_RETURN(const engine::History history, engine::ReadHistory(log));
  found.records = history.total().read;
  if (expected.partitions.empty()) return Ok();
  for (const auto& [partition, standing] : history.standings) {
    const auto& total = standing.total;
    found.partitions[partition.value()] = {.read = total.read,
                                           .good = total.good,
                                           .duplicate = total.duplicate,
                                           .late = total.late,
                                           .quarantined = total.quarantined,
                                           .tombstone = total.tombstone};
    if (found.event_time) found.event_time->duplicate += total.duplicate;
  }
  if (found.event_time) found.event_time->partitions = found.partitions;
  return Ok();
}

}  // namespace

Result<generate::AnswerKey> CountTables(const config::PipelineSpec& spec,
                                        const generate::AnswerKey& expected,
                                        connect::Catalog& catalog, io::Store& state) {
  generate::AnswerKey found;
  if (expected.event_time) found.event_time.emplace();
  for (const config::TableSpec& table : spec.tables) {
    if (const auto kind = GoldKindOf(spec, table); kind && found.event_time) {
      WEIR_ASSIGN_OR_RETURN(auto gold, OpenTableByName(catalog, table.name, spec));
      WEIR_ASSIGN_OR_RETURN(found.event_time->gold[*kind], CountGold(table, gold));
    }
    const bool is_late = table.from == config::TableFrom::kLate && expected.event_time;
    if (table.from != config::TableFrom::kValid && table.from != config::TableFrom::kInvalid &&
        !is_late) {
      continue;
    }
    WEIR_ASSIGN_OR_RETURN(auto opened, OpenTableByName(catalog, table.name, spec));
    if (table.from == config::TableFrom::kInvalid) {
      WEIR_ASSIGN_OR_RETURN(found.quarantine, CountQuarantine(opened));
      continue;
    }
    ValidCounter counter;
    WEIR_TRY(ScanTable(opened, {"event_id", "event_time", "event_type", "price", "quantity"},
                       [&](const Batch& batch) { return counter.Visit(batch); }));
    if (!found.event_time) {
      found.valid = counter.Totals();
    } else if (is_late) {
      found.event_time->late = counter.Totals();
    } else {
      found.event_time->silver = counter.Totals();
    }
  }
  WEIR_TRY(CountLedger(state, expected, found));
  return found;
}

}  // namespace weir::app
