#include "app/scenario_run.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "app/scenario_log.h"
#include "app/scenario_place.h"
#include "app/scenario_topic.h"
#include "app/value_text.h"
#include "engine/history.h"
#include "engine/verify.h"
#include "io/location.h"
#include "parquet/data_file_reader.h"

namespace weir::app {
namespace {

constexpr int kMostDeaths = 6;        // of one scenario; then a process lives on
constexpr int kMostProcesses = 2000;  // of one part

// One scenario being run.
class Run {
 public:
  Run(const Scenario& scenario, const RunPlan& plan, std::int64_t calls)
      : scenario_(scenario),
        plan_(plan),
        log_(scenario),
        clock_(scenario.clock),
        random_(plan.kill_seed.value_or(plan.order_seed.value_or(0)) + 1),
        calls_of_plain_run_(calls) {
    if (plan.order_seed) log_.Shuffle(random_);
  }

  Result<RunOutcome> Go();

 private:
  enum class PartResult { kGoOn, kDone, kError };
  Result<bool> RunPart(std::size_t number);
  Result<PartResult> RunProcess(std::size_t number, const config::PipelineSpec& spec);
  PartResult EndedBy(const Error& error, const ScenarioLife& life, PartEnd end, bool reading);
  std::int64_t LengthOfLife();
  Status Settle();
  Status ReadTables();
  Result<TableContent> ReadTable(connect::Table& table, const connect::TableVersion& version);
  Status CompareSides(connect::Catalog& catalog, const connect::TableName& name,
                      const TableContent& leading);
  Status Prove();

  const Scenario& scenario_;
  const RunPlan& plan_;
  ScenarioLog log_;
  std::unique_ptr<ScenarioTopic> topic_;  // nullptr: the log is in memory
  ManualClock clock_;
  Random random_;
  std::int64_t calls_of_plain_run_;
  std::unique_ptr<ScenarioPlace> place_;
  ScenarioLife immortal_;
  RunOutcome outcome_;
};

std::int64_t Run::LengthOfLife() {
  if (!plan_.kill_seed || outcome_.deaths >= kMostDeaths) return ScenarioLife::kForEver;
  return 1 + static_cast<std::int64_t>(
                 random_.Below(static_cast<std::uint64_t>(calls_of_plain_run_ + 1)));
}

// Where the tables go.
Status Run::Settle() {
  if (plan_.lake) {
    WEIR_ASSIGN_OR_RETURN(place_, PlaceOnLake(*plan_.lake));
    return Ok();
  }
  const std::string& own = scenario_.parts.front().spec.lake.format;
  place_ = PlaceInMemory(clock_, plan_.lake_format.empty() ? own : plan_.lake_format);
  return Ok();
}

Result<RunOutcome> Run::Go() {
  WEIR_TRY(Settle());
  if (plan_.log) {
    WEIR_ASSIGN_OR_RETURN(topic_, ScenarioTopic::Create(*plan_.log, scenario_.partitions));
  }
  for (std::size_t number = 0; number < scenario_.parts.size(); ++number) {
    WEIR_ASSIGN_OR_RETURN(const bool go_on, RunPart(number));
    if (!go_on) break;
  }
  WEIR_TRY(ReadTables());
  state::StateLog log(place_->state());
  if (const auto history = engine::ReadHistory(log)) {
    outcome_.ledger = history->total();
    outcome_.watermark = history->shared().watermark;
  }
  if (!outcome_.error && plan_.prove) WEIR_TRY(Prove());
  return std::move(outcome_);
}

// Processes, one after another, until the part is read. False: an error ended it.
Result<bool> Run::RunPart(std::size_t number) {
  config::PipelineSpec spec = scenario_.parts[number].spec;
  if (plan_.epoch_rows) spec.epoch.max_rows = std::min(spec.epoch.max_rows, *plan_.epoch_rows);
  for (int process = 0; process < kMostProcesses; ++process) {
    WEIR_ASSIGN_OR_RETURN(const PartResult result, RunProcess(number, spec));
    if (result != PartResult::kGoOn) return result == PartResult::kDone;
  }
  return Internal(fmt::format("{} processes did not come to the end", kMostProcesses));
}

Result<Run::PartResult> Run::RunProcess(std::size_t number, const config::PipelineSpec& spec) {
  const PartEnd end = scenario_.parts[number].end;
  ScenarioLife life(LengthOfLife());
  auto state = StoreOf(life, place_->state(), "");
  WEIR_ASSIGN_OR_RETURN(const auto catalog, place_->OpenCatalog(life));
  ReadingPlan reading{.part = number, .stop_at_end = end == PartEnd::kStopped};
  if (plan_.restart_after_epoch) reading.stop_after_poll = true;
  if (plan_.epoch_rows) reading.records_a_poll = static_cast<std::size_t>(*plan_.epoch_rows);
  ScenarioSource schedule(log_, reading, clock_, life);
  std::unique_ptr<connect::LogSource> from_topic;
  if (topic_) from_topic = std::make_unique<ScenarioTopicSource>(schedule, *topic_);
  const engine::PipelineParts parts{.clock = clock_,
                                    .state = *state,
                                    .catalog = *catalog,
                                    .source = topic_ ? *from_topic : schedule,
                                    .open_store = place_->Opener(life),
                                    .apply_turn = [] { return true; }};
  engine::RunOptions options;
  options.once = end != PartEnd::kStopped;
  options.final_watermark = end == PartEnd::kFinished;
  options.version = "scenario";
  options.stop = schedule.stop_token();
  auto pipeline = engine::Pipeline::Start(spec, parts, std::move(options));
  auto summary = pipeline ? (*pipeline)->Run() : Result<engine::RunSummary>(pipeline.error());
  outcome_.calls += life.calls();
  ++outcome_.processes;
  if (!summary) return EndedBy(summary.error(), life, end, pipeline.has_value());
  outcome_.open = summary->open;
  const bool done = end == PartEnd::kStopped ? schedule.exhausted()
                                             : summary->reason == engine::StopReason::kCaughtUp;
  return done ? PartResult::kDone : PartResult::kGoOn;
}

Run::PartResult Run::EndedBy(const Error& error, const ScenarioLife& life, PartEnd end,
                             bool reading) {
  if (life.dead()) {
    ++outcome_.deaths;
    return PartResult::kGoOn;
  }
  // Killed after its last epoch was decided: the next process finds that all is done.
  if (outcome_.deaths > 0 && end == PartEnd::kFinished && error.code == ErrorCode::kStateFinished)
    return PartResult::kDone;
  outcome_.error = error;
  outcome_.read_before_error = reading;
  return PartResult::kError;
}

Status Run::ReadTables() {
  WEIR_ASSIGN_OR_RETURN(const auto catalog, place_->OpenCatalog(immortal_));
  WEIR_ASSIGN_OR_RETURN(const auto following, place_->OpenFollowing(immortal_));
  WEIR_ASSIGN_OR_RETURN(const auto names, catalog->List());
  for (const connect::TableName& name : names) {
    WEIR_ASSIGN_OR_RETURN(auto table, catalog->Open(name, ""));
    WEIR_ASSIGN_OR_RETURN(const auto version, table->Load());
    WEIR_ASSIGN_OR_RETURN(TableContent content, ReadTable(*table, *version));
    for (const config::TableSpec& spec : scenario_.parts.front().spec.tables)
      if (spec.name == ToString(name))
        content.by_clock = spec.from == config::TableFrom::kDecisions;
    if (following != nullptr) WEIR_TRY(CompareSides(*following, name, content));
    outcome_.tables[ToString(name)] = std::move(content);
  }
  return Ok();
}

Result<TableContent> Run::ReadTable(connect::Table& table, const connect::TableVersion& version) {
  TableContent content{.schema = version.schema, .rows = {}};
  const auto projection = std::make_shared<const Schema>(version.schema);
  WEIR_ASSIGN_OR_RETURN(const auto store, place_->Opener(immortal_)(version.location));
  WEIR_ASSIGN_OR_RETURN(const auto files, table.LiveFiles(version));
  for (const connect::DataFile& file : files) {
    const std::string key = io::Below(version.location, file.path).value_or(file.path);
    WEIR_ASSIGN_OR_RETURN(auto reader, parquet::DataFileReader::Open(*store, key));
    WEIR_TRY(reader->Select(projection));
    for (;;) {
      WEIR_ASSIGN_OR_RETURN(const auto batch, reader->Next());
      if (!batch) break;
      for (std::size_t row = 0; row < batch->rows(); ++row) {
        auto& values = content.rows.emplace_back();
        for (const Column& column : batch->columns) values.push_back(ValueText(column, row));
      }
    }
  }
  return content;
}

// Whoever asks the other format must see the same rows.
Status Run::CompareSides(connect::Catalog& catalog, const connect::TableName& name,
                         const TableContent& leading) {
  WEIR_ASSIGN_OR_RETURN(const auto table, catalog.Open(name, ""));
  WEIR_ASSIGN_OR_RETURN(const auto version, table->Load());
  WEIR_ASSIGN_OR_RETURN(TableContent following, ReadTable(*table, *version));
  auto rows = leading.rows;
  std::ranges::sort(rows);
  std::ranges::sort(following.rows);
  if (rows != following.rows)
    outcome_.unproven.push_back(ToString(name) + " is not the same in its two formats");
  return Ok();
}

Status Run::Prove() {
  WEIR_ASSIGN_OR_RETURN(const auto catalog, place_->OpenCatalog(immortal_));
  WEIR_ASSIGN_OR_RETURN(const auto report,
                        engine::Verify(scenario_.parts.back().spec, place_->state(), *catalog,
                                       place_->Opener(immortal_)));
  outcome_.unproven = report.findings;
  for (const engine::TableProof& proof : report.tables)
    if (proof.verdict == engine::Verdict::kWrong)
      for (const std::string& finding : proof.findings)
        outcome_.unproven.push_back(proof.table + ": " + finding);
  return Ok();
}

}  // namespace

Result<RunOutcome> RunScenario(const Scenario& scenario, const RunPlan& plan,
                               std::int64_t calls_of_plain_run) {
  return Run(scenario, plan, calls_of_plain_run).Go();
}

}  // namespace weir::app
