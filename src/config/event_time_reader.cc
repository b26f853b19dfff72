#include "config/event_time_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace weir::config {
namespace {

bool NeedsEventTime(TableFrom from) { return IsOperator(from) || from == TableFrom::kLate; }

// Tables that miss a late row.
bool CanMissRows(TableFrom from) { return from == TableFrom::kValid || IsOperator(from); }

class EventTimeCheck {
 public:
  EventTimeCheck(Section& pipeline, const Contract* contract, const std::vector<TableRows>& rows,
                 PipelineSpec& spec)
      : pipeline_(pipeline),
        diagnostics_(pipeline.context().diagnostics),
        contract_(contract),
        rows_(rows),
        spec_(spec) {}

  void Run() {
    if (!pipeline_.Has("watermark")) {
      CheckNothingNeedsIt();
    } else if (contract_ != nullptr && contract_->event_time_field.empty()) {
      pipeline_.Error("watermark", ErrorCode::kPipelineInvalid,
                      "`watermark` needs a contract with `event_time`",
                      "name the field that holds the event's time, a required timestamp");
    }
    CheckLate();
    CheckDedupe();
    CheckSessions();
  }

 private:
  bool Has(TableFrom from) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].known && spec_.tables[i].from == from) return true;
    }
    return false;
  }

  void ReportNeed(const Place& place, std::string_view what) {
    diagnostics_.Error(ErrorCode::kPipelineInvalid, place,
                       fmt::format("`{}` needs event time, and there is no `watermark`", what),
                       "add `watermark: {delay: 10m}` to the pipeline");
  }

  void CheckNothingNeedsIt() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const TableSpec& table = spec_.tables[i];
      if (rows_[i].known && NeedsEventTime(table.from)) {
        ReportNeed(rows_[i].place,
                   IsOperator(table.from) ? NameOf(table.from) : std::string_view("from: late"));
      }
      if (table.dedupe) ReportNeed(rows_[i].dedupe, "dedupe");
    }
    if (pipeline_.Has("late")) ReportNeed(pipeline_.At("late"), "late");
  }

  void CheckLate() {
    spec_.count_late = pipeline_.Text("late") == "count";
    if (!pipeline_.Has("watermark")) return;
    const bool has_table = Has(TableFrom::kLate);
    if (has_table && spec_.count_late) {
      pipeline_.Error("late", ErrorCode::kPipelineInvalid,
                      "`late: count` beside a table `from: late`", "keep one of them");
      return;
    }
    const bool missed = std::ranges::any_of(
        spec_.tables, [](const TableSpec& table) { return CanMissRows(table.from); });
    if (has_table || pipeline_.Has("late") || !missed) return;
    pipeline_.Error("watermark", ErrorCode::kPipelineInvalid,
                    "with a `watermark` late events need a table",
                    "add a table such as `late.events: {from: late}`, or set `late: count` to only "
                    "count them");
  }

  void CheckDedupe() {
    const TableSpec* first = nullptr;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      TableSpec& table = spec_.tables[i];
      if (!table.dedupe) continue;
      if (!rows_[i].own_horizon && spec_.watermark) table.dedupe->horizon = spec_.watermark->delay;
      if (first == nullptr) {
        first = &table;
      } else if (*first->dedupe != *table.dedupe) {
        diagnostics_.Error(
            ErrorCode::kPipelineInvalid, rows_[i].dedupe,
            fmt::format("`dedupe` differs from that of {}", first->name),
            "a pipeline has one rule of what a duplicate is; use it for both, or make "
            "another pipeline");
      }
    }
  }

  void CheckSessions() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!rows_[i].known) continue;
      const TableFrom from = spec_.tables[i].from;
      const bool follows = from == TableFrom::kFunnel || from == TableFrom::kSessionStats;
      if (follows && !Has(TableFrom::kSessions)) {
        diagnostics_.Error(
            ErrorCode::kPipelineInvalid, rows_[i].place,
            fmt::format("`{}` is over sessions, and there is no table of them", NameOf(from)),
            "add one such as `gold.sessions: {sessions: {by: user_id, gap: 30m}}`");
      }
      if (from == TableFrom::kSessions || from == TableFrom::kFunnel) CheckOnlyOne(i);
    }
  }

  void CheckOnlyOne(std::size_t index) {
    for (std::size_t i = 0; i < index; ++i) {
      const TableSpec& other = spec_.tables[i];
      if (!rows_[i].known || other.from != spec_.tables[index].from) continue;
      diagnostics_.Error(
          ErrorCode::kPipelineInvalid, rows_[index].place,
          fmt::format("`{}` is there twice: {} has it already", NameOf(other.from), other.name),
          "a pipeline has at most one such table; make another pipeline");
      return;
    }
  }

  Section& pipeline_;
  Diagnostics& diagnostics_;
  const Contract* contract_;
  const std::vector<TableRows>& rows_;
  PipelineSpec& spec_;
};

}  // namespace

std::optional<WatermarkRules> ReadWatermark(Section& pipeline) {
  auto section = pipeline.Child("watermark");
  if (!section) return std::nullopt;
  WatermarkRules rules;
  rules.delay = section->Duration("delay").value_or(0);
  rules.idle_after = section->Duration("idle_after");
  rules.max_future = section->Duration("max_future");
  rules.advance_on_silence = section->Text("on_silence") == "advance";
  if (rules.advance_on_silence && !section->Has("idle_after")) {
    section->Error("on_silence", ErrorCode::kPipelineInvalid,
                   "`on_silence: advance` needs `idle_after`",
                   "say after how long without events a partition is idle: `idle_after: 60s`");
  }
  return rules;
}

void CheckEventTime(Section& pipeline, const Contract* contract, const std::vector<TableRows>& rows,
                    PipelineSpec& spec) {
  EventTimeCheck(pipeline, contract, rows, spec).Run();
}

}  // namespace weir::config
