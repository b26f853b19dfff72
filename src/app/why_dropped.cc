#include "app/why_dropped.h"

#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/listing.h"
#include "app/pipeline_file.h"
#include "app/session.h"
#include "app/table_scan.h"
#include "app/wiring.h"
#include "base/digits.h"
#include "engine/dropped_rows.h"
#include "engine/history.h"

namespace weir::app {
namespace {

struct WhyOptions {
  std::optional<std::int64_t> count;
};

// A row that stays in a table, as far as it is known.
struct Kept {
  Offset offset;
  std::optional<Micros> event_time;
};

// Keys are held by partitions.
using Place = std::pair<Partition, std::vector<std::string>>;
using KeptRows = std::map<Place, std::vector<Kept>>;

std::vector<state::DroppedRow> Samples(const engine::History& history) {
  std::vector<state::DroppedRow> samples;
  for (const auto& retained : history.records)
    samples.insert(samples.end(), retained.record.dropped.begin(), retained.record.dropped.end());
  std::ranges::stable_sort(samples, [](const auto& a, const auto& b) {
    return std::pair(a.partition, a.offset) < std::pair(b.partition, b.offset);
  });
  return samples;
}

// Fills in the rows of a table that have one of these keys.
Status FindKept(OpenedTable& opened, const config::TableSpec& table, const std::string& time_name,
                KeptRows& kept) {
  std::vector<std::string> columns = table.dedupe->key;
  for (const char* name : {"partition", "offset"}) columns.emplace_back(name);
  columns.push_back(time_name);
  return ScanTable(opened, columns, [&](const Batch& batch) -> Status {
    const Column* time = FindColumn(batch, time_name);
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      Place place{Partition(ColumnOf(batch, "partition").Int(row)), {}};
      for (const std::string& name : table.dedupe->key)
        place.second.push_back(engine::KeyText(ColumnOf(batch, name), row));
      const auto found = kept.find(place);
      if (found == kept.end()) continue;
      Kept one{.offset = Offset(ColumnOf(batch, "offset").Long(row)), .event_time = {}};
      if (time != nullptr && !time->IsNull(row)) one.event_time = time->Long(row);
      found->second.push_back(one);
    }
    return Ok();
  });
}

// The newest row before it: that one held the key.
const Kept* HolderOf(const state::DroppedRow& dropped, const KeptRows& kept) {
  const auto found = kept.find({dropped.partition, dropped.key});
  const Kept* holder = nullptr;
  if (found == kept.end()) return holder;
  for (const Kept& one : found->second)
    if (one.offset < dropped.offset && (holder == nullptr || holder->offset < one.offset))
      holder = &one;
  return holder;
}

void Write(const std::vector<state::DroppedRow>& samples, const KeptRows& kept, Session& session) {
  Listing listing{.columns = {"partition", "dropped_offset", "event_time", "key", "kept_offset",
                              "kept_event_time"},
                  .rows = {}};
  for (const state::DroppedRow& dropped : samples) {
    const Kept* holder = HolderOf(dropped, kept);
    const bool timed = holder != nullptr && holder->event_time;
    listing.Add({std::int64_t{dropped.partition.value()}, dropped.offset.value(),
                 FormatTime(dropped.event_time), fmt::format("{}", fmt::join(dropped.key, ", ")),
                 holder == nullptr ? Cell() : Cell(holder->offset.value()),
                 timed ? Cell(FormatTime(*holder->event_time)) : Cell()});
  }
  WriteListing(listing, session);
}

Result<int> RunWhyDropped(const WhyOptions& options, Session& session) {
  const std::int64_t count = options.count.value_or(20);
  if (count < 1) return InvalidInput("-n takes a number from 1", ErrorCode::kUsage);
  const LoadedPipeline loaded = LoadPipelineFile(session);
  if (!loaded.spec) return loaded.exit_code;
  const auto& tables = loaded.spec->tables;
  const auto table = std::ranges::find_if(
      tables, [](const config::TableSpec& one) { return one.dedupe && one.coordinates; });
  if (table == tables.end())
    return InvalidInput(loaded.spec->file +
                            ": no table of the pipeline is deduplicated and has the columns "
                            "partition and offset",
                        ErrorCode::kPipelineInvalid);
  WEIR_ASSIGN_OR_RETURN(auto state, OpenStateToRead(*loaded.spec));
  state::StateLog log(*state);
  WEIR_ASSIGN_OR_RETURN(const engine::History history, engine::ReadHistory(log));
  std::vector<state::DroppedRow> samples = Samples(history);
  const std::size_t all = samples.size();
  if (std::cmp_greater(samples.size(), count))
    samples.erase(samples.begin(), samples.end() - static_cast<std::ptrdiff_t>(count));
  KeptRows kept;
  for (const state::DroppedRow& row : samples) kept[{row.partition, row.key}];
  if (!samples.empty()) {
    WEIR_ASSIGN_OR_RETURN(auto catalog, OpenCatalogToRead(*loaded.spec));
    WEIR_ASSIGN_OR_RETURN(auto opened, OpenTableByName(*catalog, table->name, *loaded.spec));
    WEIR_TRY(FindKept(opened, *table, loaded.spec->contract.event_time_field, kept));
  }
  Write(samples, kept, session);
  session.Note(fmt::format("{} of {} duplicates: at most {} of an epoch, of the {} that are kept{}",
                           samples.size(), GroupDigits(history.total().duplicate),
                           engine::DroppedRows::kMostRows,
                           CountOf(static_cast<std::int64_t>(history.records.size()), "epoch"),
                           all > samples.size() ? "; -n shows more" : ""));
  return exit_code::kOk;
}

}  // namespace

Command MakeWhyDroppedCommand() {
  auto options = std::make_shared<WhyOptions>();
  Command command;
  command.name = "why-dropped";
  command.summary = "Shows duplicates that were dropped, and the row that each repeats";
  command.examples = {{"weir quarantine why-dropped -c pipeline.yaml", "the newest ones"},
                      {"weir quarantine why-dropped -n 100 --format json", "more, for scripts"}};
  command.details =
      "Duplicates are counted, and each epoch keeps a few of them as examples in its record; old "
      "records are removed. The row that was kept is looked for in the deduplicated table. "
      "`weir trace` tells of any record.";
  command.options = {{.names = "-n",
                      .value = "N",
                      .help = "at most so many; 20 unless given",
                      .target = &options->count}};
  command.run = [options](Session& session) { return RunWhyDropped(*options, session); };
  return command;
}

}  // namespace weir::app
