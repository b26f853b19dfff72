#include "engine/gold_table.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/wire.h"
#include "stream/active_users.h"
#include "stream/funnel.h"
#include "stream/session_stats.h"
#include "stream/windows.h"

namespace weir::engine {
namespace {

using config::TableFrom;
using stream::EventRow;
using Scope = StateKeeper::Scope;
using Parts = StateKeeper::Parts;

connect::PartitionValue Number(std::int64_t value) { return {.number = Int128(value), .text = {}}; }

void AppendTo(Batch& to, const Batch& from) {
  for (std::size_t i = 0; i < to.columns.size(); ++i) to.columns[i].AppendAll(from.columns[i]);
  to.records.insert(to.records.end(), from.records.begin(), from.records.end());
}

std::int64_t Rows(const Batch& batch) { return static_cast<std::int64_t>(batch.rows()); }

// State of one operator as one part; an empty delta leaves none.
template <typename Write>
void PutPart(Parts& parts, const std::string& name, const Write& write) {
  WireWriter out;
  write(out);
  if (out.size() > 0) parts[name] = out.Take();
}

template <typename Read>
Status ReadPart(const Parts& parts, const std::string& name, const Read& read) {
  auto part = parts.find(name);
  if (part == parts.end()) return Ok();
  WireReader in(part->second);
  return read(in);
}

// A table whose state combines partitions.
template <typename Operator>
class SharedTable : public GoldTable {
 public:
  SharedTable(std::string name, Operator op) : name_(std::move(name)), operator_(std::move(op)) {}

  void Write(const Scope& scope, bool base, Parts& parts) override {
    if (scope) return;
    PutPart(parts, name_,
            [&](WireWriter& out) { base ? operator_.WriteBase(out) : operator_.WriteDelta(out); });
  }
  Status Read(const Scope& scope, const Parts& parts) override {
    if (scope) return Ok();
    return ReadPart(parts, name_, [&](WireReader& in) { return operator_.Read(in); });
  }
  std::size_t bytes() const override { return operator_.bytes(); }

  // Final rows of several partitions are on one of them, which only the cut names.
  void CloseEarly(GoldCut& cut, OperatorOutput& out) final {
    const std::int64_t before = Rows(out.rows);
    CloseRows(cut, out.rows);
    final_rows_ += Rows(out.rows) - before;
  }
  void Close(GoldCut& cut, OperatorOutput& out) override {
    if (final_rows_ > 0) out.final_rows[cut.home] = std::exchange(final_rows_, 0);
  }

 protected:
  virtual void CloseRows(const GoldCut& cut, Batch& rows) = 0;

  std::string name_;
  Operator operator_;

 private:
  std::int64_t final_rows_ = 0;  // since the last cut
};

class WindowTable final : public SharedTable<stream::Windows> {
 public:
  using SharedTable::SharedTable;
  void Add(const Batch& batch, std::span<const EventRow> rows,
           std::vector<EventRow>* late) override {
    late != nullptr ? operator_.AddOnTime(batch, rows, late) : operator_.Add(batch, rows);
  }
  std::map<std::string, std::int64_t> Sizes() const override {
    return {{"bytes", static_cast<std::int64_t>(bytes())},
            {"keys", static_cast<std::int64_t>(operator_.open_groups())}};
  }
  std::string DescribeOpen() const override {
    const std::size_t open = operator_.open_windows();
    return open == 0 ? "" : fmt::format("{} window{} open", open, open == 1 ? "" : "s");
  }

 private:
  void CloseRows(const GoldCut& cut, Batch& rows) override {
    operator_.Close(cut.watermark, &rows);
  }
};

class ActiveUserTable final : public SharedTable<stream::ActiveUsers> {
 public:
  using SharedTable::SharedTable;
  void Add(const Batch& batch, std::span<const EventRow> rows, std::vector<EventRow>*) override {
    operator_.Add(batch, rows);
  }

 private:
  void CloseRows(const GoldCut& cut, Batch& rows) override {
    operator_.Close(cut.watermark, &rows);
  }
};

class SessionStatsTable final : public SharedTable<stream::SessionStats> {
 public:
  using SharedTable::SharedTable;

 private:
  void CloseRows(const GoldCut& cut, Batch& rows) override {
    operator_.AddClosed(cut.closed);
    operator_.Close(cut.watermark, &rows);
  }
};

class FunnelTable final : public SharedTable<stream::Funnel> {
 public:
  FunnelTable(std::string name, const FunnelRules& rules, std::shared_ptr<const Schema> columns)
      : SharedTable(std::move(name), stream::Funnel(rules)), open_rows_(std::move(columns)) {}
  void Close(GoldCut& cut, OperatorOutput& out) override {
    open_rows_.Clear();
    const std::int64_t before = Rows(out.rows);
    const bool changed = operator_.Cut(cut.watermark, cut.open, &out.rows, &open_rows_);
    if (Rows(out.rows) > before) out.final_rows[cut.home] = Rows(out.rows) - before;
    if (!changed) return;
    AppendTo(out.rows, open_rows_);
    out.open_rows[cut.home] = Rows(open_rows_);
    out.replaced.push_back({.columns = {{"is_final", Number(0)}}});
  }

 private:
  void CloseRows(const GoldCut& cut, Batch&) override { operator_.AddClosed(cut.closed); }

  Batch open_rows_;
};

class SessionTable final : public GoldTable {
 public:
  /// with_funnel: a table counts open sessions, too.
  SessionTable(std::string name, stream::Sessions sessions, const Schema& columns, bool with_funnel)
      : name_(std::move(name)),
        sessions_(std::move(sessions)),
        with_funnel_(with_funnel),
        partition_column_(*columns.IndexOf("source_partition")) {}

  void Add(const Batch& batch, std::span<const EventRow> rows, std::vector<EventRow>*) override {
    sessions_.Add(batch, rows);
  }

  void CloseEarly(GoldCut& cut, OperatorOutput& out) override {
    std::size_t row = out.rows.rows();
    sessions_.Close(cut.watermark, &out.rows, &cut.closed);
    const Column& partitions = out.rows.columns[partition_column_];
    for (; row < out.rows.rows(); ++row) ++out.final_rows[Partition(partitions.Int(row))];
  }

  void Close(GoldCut& cut, OperatorOutput& out) override {
    for (Partition partition : sessions_.TakeTouched()) {
      const std::size_t before = out.rows.rows();
      sessions_.AppendOpen(partition, &out.rows);
      out.open_rows[partition] = static_cast<std::int64_t>(out.rows.rows() - before);
      out.replaced.push_back(
          {.columns = {{"is_open", Number(1)}, {"source_partition", Number(partition.value())}}});
    }
    if (with_funnel_) cut.open = sessions_.OpenFacts();
  }

  void Write(const Scope& scope, bool base, Parts& parts) override {
    if (!scope) return;
    PutPart(parts, name_, [&](WireWriter& out) {
      base ? sessions_.WriteBase(*scope, out) : sessions_.WriteDelta(*scope, out);
    });
  }
  Status Read(const Scope& scope, const Parts& parts) override {
    if (!scope) return Ok();
    return ReadPart(parts, name_, [&](WireReader& in) { return sessions_.Read(*scope, in); });
  }
  std::size_t bytes() const override { return sessions_.bytes(); }
  std::map<std::string, std::int64_t> Sizes() const override {
    return {{"bytes", static_cast<std::int64_t>(bytes())},
            {"keys", static_cast<std::int64_t>(sessions_.open_sessions())},
            {kKeysInSeveral, sessions_.keys_in_several_partitions()}};
  }
  std::string DescribeOpen() const override {
    const std::size_t open = sessions_.open_sessions();
    return open == 0 ? "" : fmt::format("{} session{} open", open, open == 1 ? "" : "s");
  }

 private:
  std::string name_;
  stream::Sessions sessions_;
  bool with_funnel_;
  std::size_t partition_column_;
};

std::vector<std::string> FunnelSteps(const config::PipelineSpec& spec) {
  for (const auto& table : spec.tables)
    if (table.funnel) return table.funnel->steps;
  return {};
}

Micros SessionGap(const config::PipelineSpec& spec) {
  for (const auto& table : spec.tables)
    if (table.sessions) return table.sessions->gap;
  return 0;
}

// Sessions before what counts them; otherwise as in the file.
int CloseOrder(TableFrom from) {
  switch (from) {
    case TableFrom::kWindows:
      return 1;
    case TableFrom::kSessions:
      return 2;
    case TableFrom::kFunnel:
    case TableFrom::kSessionStats:
    case TableFrom::kActiveUsers:
      return 3;
    default:
      return 0;
  }
}

}  // namespace

void GoldTable::Add(const Batch&, std::span<const EventRow>, std::vector<EventRow>*) {}

std::vector<const config::TableSpec*> GoldTablesOf(const config::PipelineSpec& spec) {
  std::vector<const config::TableSpec*> tables;
  for (const auto& table : spec.tables)
    if (CloseOrder(table.from) > 0) tables.push_back(&table);
  std::ranges::stable_sort(tables, {}, [](const auto* table) { return CloseOrder(table->from); });
  return tables;
}

Result<std::unique_ptr<GoldTable>> MakeGoldTable(const config::PipelineSpec& spec,
                                                 const config::TableSpec& table, const Schema& rows,
                                                 std::shared_ptr<const Schema> columns) {
  std::unique_ptr<GoldTable> made;
  switch (table.from) {
    case TableFrom::kWindows:
      made = std::make_unique<WindowTable>(table.name,
                                           stream::Windows(rows, *table.windows, *columns));
      break;
    case TableFrom::kSessions: {
      made = std::make_unique<SessionTable>(
          table.name,
          stream::Sessions(rows, spec.contract.event_type_field, *table.sessions, FunnelSteps(spec),
                           *columns),
          *columns, !FunnelSteps(spec).empty());
      break;
    }
    case TableFrom::kFunnel:
      made = std::make_unique<FunnelTable>(table.name, *table.funnel, std::move(columns));
      break;
    case TableFrom::kActiveUsers:
      made = std::make_unique<ActiveUserTable>(table.name,
                                               stream::ActiveUsers(rows, *table.active_users));
      break;
    case TableFrom::kSessionStats:
      made = std::make_unique<SessionStatsTable>(
          table.name, stream::SessionStats(*table.session_stats, SessionGap(spec)));
      break;
    default:
      return Internal("table " + table.name + " has no operator");
  }
  return made;
}

}  // namespace weir::engine
