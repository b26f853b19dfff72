#include "app/replay_diff.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/cell_text.h"
#include "app/table_scan.h"
#include "engine/applier.h"
#include "iceberg/progress.h"
#include "parquet/data_file_reader.h"

namespace weir::app {
namespace {

using config::TableFrom;

// By what a row of a table is known again; empty: by all of its values.
std::vector<std::string> KeyOf(const config::TableSpec& table) {
  switch (table.from) {
    case TableFrom::kValid:
      if (!table.coordinates) return {};
      [[fallthrough]];
    case TableFrom::kSource:
    case TableFrom::kInvalid:
    case TableFrom::kLate:
      return {"topic", "partition", "offset"};
    case TableFrom::kWindows: {
      std::vector<std::string> key = table.windows->by;
      key.emplace_back("window_start");
      return key;
    }
    case TableFrom::kSessions:
      return {"session_id"};
    case TableFrom::kFunnel:
      return {"window_start", "step"};
    case TableFrom::kActiveUsers:
      return {"minute"};
    case TableFrom::kSessionStats:
      return {"window_start"};
    case TableFrom::kDecisions:
      break;
  }
  return {};
}

bool HasCoordinates(const config::TableSpec& table) {
  const auto key = KeyOf(table);
  return key.size() == 3 && key.back() == "offset";
}

std::string Render(const Column& column, std::size_t row) {
  const Cell cell = CellOf(column, row);
  if (!cell.shown.empty()) return cell.shown;
  if (const auto* text = std::get_if<std::string>(&cell.value)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&cell.value)) return std::to_string(*number);
  if (const auto* truth = std::get_if<bool>(&cell.value)) return *truth ? "true" : "false";
  return "null";
}

engine::DiffSide SideOf(const OpenedTable& opened, std::vector<connect::DataFile> files) {
  return {.schema = opened.version->schema,
          .files = std::move(files),
          .open = [version = opened.version, stores = opened.stores](const std::string& path) {
            connect::DataFile file;
            file.path = path;
            return OpenDataFile(*version, file, stores);
          }};
}

// Whether a snapshot shows nothing from behind the goal, and all before it.
enum class Against { kBefore, kAt, kBehind };
Against Compare(const connect::SnapshotInfo& snapshot, const std::string& pipeline,
                const std::string& table, const state::Claim& goal) {
  const auto text = snapshot.summary.find(iceberg::ProgressKey(pipeline));
  if (text == snapshot.summary.end()) return Against::kBefore;  // somebody else's
  const auto progress = iceberg::ProgressFromText(text->second);
  if (!progress) return Against::kBefore;
  Against against = Against::kAt;
  for (const auto& [partition, entry] : goal.partitions) {
    const auto standing = entry.start.tables.find(table);
    const Position due =
        standing == entry.start.tables.end() ? Position() : standing->second.position;
    const auto shown = progress->partitions.find(engine::ProgressKey(goal.topic, partition));
    const Position at = shown == progress->partitions.end() ? Position() : shown->second.position;
    if (at > due) return Against::kBehind;
    if (at < due) against = Against::kBefore;
  }
  return against;
}

// The files of the live table when it stood at the goal; those of now when that is gone.
Result<std::vector<connect::DataFile>> FilesAtGoal(const OpenedTable& live,
                                                   const std::string& table, const ReplayJob& job,
                                                   std::string* note) {
  const state::Claim& goal = job.plan()->goal;
  const bool written = std::ranges::any_of(goal.partitions, [&](const auto& entry) {
    const auto standing = entry.second.start.tables.find(table);
    return standing != entry.second.start.tables.end() && standing->second.position != Position();
  });
  if (!written) return std::vector<connect::DataFile>();
  std::vector<connect::SnapshotInfo> snapshots = live.table->Snapshots(*live.version);
  std::ranges::sort(snapshots, std::greater(), &connect::SnapshotInfo::sequence);
  for (const auto& snapshot : snapshots)
    if (Compare(snapshot, job.spec().name, table, goal) == Against::kAt)
      return live.table->LiveFilesAt(*live.version, snapshot.snapshot_id);
  *note =
      "the live table as of the end of the replay is not there (expired, or not written yet); "
      "compared with it as it is now";
  return live.table->LiveFiles(*live.version);
}

Result<ReplayTableDiff> DiffTable(ReplayJob& job, const config::TableSpec& table,
                                  std::size_t samples) {
  ReplayTableDiff out{.table = table.name, .diff = {}, .note = {}};
  const engine::ReplayPlan& plan = *job.plan();
  auto made = OpenTableByName(job.catalog(), plan.TableOf(table.name), job.spec());
  if (!made && made.error().kind == ErrorKind::kNotFound)
    return WithRemedy(NotFound("replay " + plan.id + " has not made " + table.name + " yet"),
                      "run `weir replay apply` first");
  if (!made) return std::move(made).error();
  WEIR_ASSIGN_OR_RETURN(auto made_files, made->table->LiveFiles(*made->version));
  auto live = OpenTableByName(job.catalog(), table.name, job.spec());
  if (!live && live.error().kind != ErrorKind::kNotFound) return std::move(live).error();
  engine::DiffSide left{.schema = made->version->schema, .files = {}, .open = {}};
  if (live) {
    WEIR_ASSIGN_OR_RETURN(auto files, FilesAtGoal(*live, table.name, job, &out.note));
    left = SideOf(*live, std::move(files));
  } else {
    out.note = "there is no live table of this name";
  }
  engine::DiffRequest request{
      .key = KeyOf(table), .ignore = {}, .ends = {}, .samples = samples, .render = Render};
  if (HasCoordinates(table)) request.ends = plan.target().ends;
  // The log does not tell when its records came in first.
  if (plan.from_source) request.ignore = {"ingestion_time", IngestionColumn(job.spec().contract)};
  WEIR_ASSIGN_OR_RETURN(out.diff,
                        engine::CompareTables(left, SideOf(*made, std::move(made_files)), request));
  return out;
}

}  // namespace

Result<std::vector<ReplayTableDiff>> DiffReplay(ReplayJob& job,
                                                const std::vector<std::string>& tables,
                                                std::size_t samples) {
  WEIR_ASSIGN_OR_RETURN(const auto* plan, job.NeedPlan());
  for (const std::string& table : tables)
    if (std::ranges::find(plan->tables, table) == plan->tables.end())
      return InvalidInput("replay " + plan->id + " does not make " + table, ErrorCode::kUsage);
  std::vector<ReplayTableDiff> diffs;
  for (const auto& table : job.spec().tables) {
    const auto& wanted = tables.empty() ? plan->tables : tables;
    if (std::ranges::find(wanted, table.name) == wanted.end()) continue;
    WEIR_ASSIGN_OR_RETURN(auto diff, DiffTable(job, table, samples));
    diffs.push_back(std::move(diff));
  }
  return diffs;
}

}  // namespace weir::app
