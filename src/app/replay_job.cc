#include "app/replay_job.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "app/build_info.h"
#include "app/metered_source.h"
#include "app/run_progress.h"
#include "app/state_lock.h"
#include "app/table_scan.h"
#include "app/wiring.h"
#include "engine/planned_source.h"
#include "engine/renamed_catalog.h"
#include "engine/replay_swap.h"

namespace weir::app {
namespace {

constexpr std::string_view kPlansUnder = "replay/";
constexpr Micros kEpochEvery = 10 * kMicrosPerSecond;  // nobody waits for single rows

Status CheckId(const std::string& id) {
  const bool fits =
      !id.empty() && id.size() <= 40 &&
      id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
  if (fits) return Ok();
  return InvalidInput("`--as " + id +
                          "`: a replay is named by small letters, digits and _, as it "
                          "becomes a part of table names",
                      ErrorCode::kUsage);
}

}  // namespace

Result<ReplayJob> ReplayJob::Open(config::PipelineSpec spec, const std::optional<std::string>& as) {
  ReplayJob job;
  job.spec_ = std::move(spec);
  WEIR_ASSIGN_OR_RETURN(job.state_, OpenStateToRead(job.spec_));
  WEIR_ASSIGN_OR_RETURN(job.catalog_, OpenCatalogToRead(job.spec_));
  WEIR_TRY(job.Choose(as));
  auto bytes = job.state_->Get(engine::ReplayPlanKey(job.id_));
  if (!bytes && bytes.error().kind != ErrorKind::kNotFound) return std::move(bytes).error();
  if (bytes) {
    WEIR_ASSIGN_OR_RETURN(job.plan_, engine::DecodeReplayPlan(*bytes));
  }
  return job;
}

Result<std::vector<std::pair<std::string, bool>>> ReplayJob::All(io::Store& state) {
  WEIR_ASSIGN_OR_RETURN(const auto objects, state.List(kPlansUnder));
  std::set<std::string> keys;
  for (const auto& object : objects) keys.insert(object.key);
  std::vector<std::pair<std::string, bool>> all;
  for (const std::string& key : keys) {
    const std::string id =
        key.substr(kPlansUnder.size(), key.find('/', kPlansUnder.size()) - kPlansUnder.size());
    if (key == engine::ReplayPlanKey(id))
      all.emplace_back(id, keys.contains(engine::ReplaySwappedKey(id)));
  }
  return all;
}

// The one that is under way; with none, the next free name.
Status ReplayJob::Choose(const std::optional<std::string>& as) {
  WEIR_ASSIGN_OR_RETURN(const auto all, All(*state_));
  if (as) {
    WEIR_TRY(CheckId(*as));
    id_ = *as;
    const auto found = std::ranges::find(all, id_, &std::pair<std::string, bool>::first);
    if (found == all.end() || !found->second) return Ok();
    return InvalidInput("replay " + id_ + " was swapped in already; give a new one another name",
                        ErrorCode::kUsage);
  }
  std::vector<std::string> under_way;
  for (const auto& [id, swapped] : all)
    if (!swapped) under_way.push_back(id);
  if (under_way.size() > 1)
    return InvalidInput(fmt::format("replays {} and {} are under way; say which by --as",
                                    under_way[0], under_way[1]),
                        ErrorCode::kUsage);
  if (under_way.size() == 1) {
    id_ = under_way.front();
    return Ok();
  }
  id_ = "replay";
  auto is_used = [&](const std::string& id) {
    return std::ranges::find(all, id, &std::pair<std::string, bool>::first) != all.end();
  };
  for (int number = 2; is_used(id_); ++number) id_ = fmt::format("replay{}", number);
  return Ok();
}

std::string ReplayJob::StateFolder() const {
  return spec_.state + "/" + engine::ReplayFolder(id_) + "/state";
}

Result<const engine::ReplayPlan*> ReplayJob::NeedPlan() const {
  if (plan_) return &*plan_;
  return WithRemedy(NotFound("replay " + id_ + " is not planned"),
                    "run `weir replay plan -c " + spec_.file + "` first");
}

Status ReplayJob::CheckConfig() const {
  if (plan_->config_hash == spec_.text_hash) return Ok();
  return WithRemedy(
      Refused("the pipeline file is not the one that replay " + id_ + " was planned with",
              ErrorCode::kSpecChanged),
      "set it back, or plan another replay: `weir replay plan --as NAME`");
}

engine::BronzeOpenerOf ReplayJob::Opener() const {
  return [stores = StoresOf(spec_)](const connect::TableVersion& version) -> engine::BronzeOpener {
    return [location = version.location, stores](const std::string& path) {
      connect::TableVersion place;
      place.location = location;
      connect::DataFile file;
      file.path = path;
      return OpenDataFile(place, file, stores);
    };
  };
}

Status ReplayJob::Plan(const std::vector<std::string>& tables, bool from_source) {
  engine::ReplayRequest request{.id = id_, .tables = tables, .from_source = from_source};
  if (plan_) {
    WEIR_TRY(CheckConfig());
    const bool same =
        (tables.empty() || tables == plan_->tables) && (!from_source || plan_->from_source);
    if (!same)
      return InvalidInput("replay " + id_ +
                              " is under way with other tables or another source; "
                              "name a new one by --as",
                          ErrorCode::kUsage);
    request.tables = plan_->tables;
    request.from_source = plan_->from_source;
  }
  state::StateLog log(*state_);
  WEIR_ASSIGN_OR_RETURN(auto plan, engine::PlanReplay(spec_, request, plan_ ? &*plan_ : nullptr,
                                                      log, *catalog_, Opener()));
  WEIR_TRY(state_->Put(engine::ReplayPlanKey(id_), engine::Encode(plan)));
  plan_ = std::move(plan);
  return Ok();
}

Result<std::unique_ptr<connect::LogSource>> ReplayJob::OpenPlanned() {
  if (!plan_->from_source) return engine::OpenPlannedBronze(spec_, *plan_, *catalog_, Opener());
  WEIR_ASSIGN_OR_RETURN(auto source, OpenSource(spec_));
  return engine::LimitToPlan(std::move(source), *plan_);
}

Result<std::optional<engine::RunSummary>> ReplayJob::Apply(const std::stop_token& stop,
                                                           Session& session) {
  WEIR_ASSIGN_OR_RETURN(const auto* plan, NeedPlan());
  WEIR_TRY(CheckConfig());
  config::PipelineSpec spec = spec_;
  spec.state = StateFolder();
  spec.epoch.every = std::max(spec.epoch.every, kEpochEvery);
  spec.source.start = config::StartKind::kEarliest;
  for (auto& table : spec.tables) table.create = config::CreateMode::kIfMissing;
  WEIR_ASSIGN_OR_RETURN(auto state, OpenState(spec));
  WEIR_ASSIGN_OR_RETURN(const auto lock, LockState(spec.state, session.clock));
  WEIR_ASSIGN_OR_RETURN(auto source, OpenPlanned());
  MeteredSource metered(*source, session.clock);
  RunProgress progress(
      session, metered,
      {.pipeline = spec.name + " replay " + id_, .to_the_end = true, .run_for = {}});
  engine::RenamedCatalog catalog(*catalog_, [plan](const std::string& table) {
    const bool made = std::ranges::find(plan->tables, table) != plan->tables.end();
    return made ? plan->TableOf(table) : table;
  });
  engine::RunOptions run;
  run.once = true;
  run.final_watermark = plan->goal.shared.finished;
  run.version = ProgramVersion();
  run.stop = stop;
  run.on_epoch = [&progress](const engine::EpochReport& report) { progress.OnEpoch(report); };
  run.replay = plan->target();
  run.only_tables = {plan->tables.begin(), plan->tables.end()};
  const engine::PipelineParts parts{.clock = session.clock,
                                    .state = *state,
                                    .catalog = catalog,
                                    .source = metered,
                                    .open_store = TableStores(spec),
                                    .apply_turn = {}};
  WEIR_ASSIGN_OR_RETURN(auto pipeline, engine::Pipeline::Start(spec, parts, std::move(run)));
  WEIR_ASSIGN_OR_RETURN(auto summary, pipeline->Run());
  return std::optional(std::move(summary));
}

Status ReplayJob::Swap(const std::stop_token& stop, Session& session) {
  WEIR_ASSIGN_OR_RETURN(const auto* plan, NeedPlan());
  WEIR_TRY(CheckConfig());
  WEIR_ASSIGN_OR_RETURN(const auto lock, LockState(spec_.state, session.clock));
  WEIR_ASSIGN_OR_RETURN(auto replay_state, io::OpenLocation(StateFolder(), StoresOf(spec_),
                                                            io::FolderAccess::kPrivate));
  const engine::SwapParts parts{.clock = session.clock,
                                .state = *state_,
                                .replay_state = *replay_state,
                                .catalog = *catalog_,
                                .open_store = TableStores(spec_)};
  WEIR_ASSIGN_OR_RETURN(const bool swapped, engine::TablesAreSwapped(*plan, parts));
  if (!swapped) {
    WEIR_TRY(engine::SettleLive(spec_, parts));
    WEIR_TRY(Plan({}, false));
    WEIR_ASSIGN_OR_RETURN(const auto summary, Apply(stop, session));
    if (!summary || summary->reason != engine::StopReason::kCaughtUp)
      return Cancelled("stopped before the tables were swapped; nothing changed");
  }
  return engine::SwapTables(spec_, *plan_, parts);
}

}  // namespace weir::app
