#pragma once
// ReplayJob: a pipeline with one of its replays: finds it, plans it, runs it, swaps it in. The
// commands of `weir replay` are words over it.

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/session.h"
#include "config/pipeline_spec.h"
#include "connect/table.h"
#include "engine/pipeline.h"
#include "engine/replay_plan.h"
#include "engine/replay_planner.h"
#include "io/store.h"

namespace weir::app {

class ReplayJob {
 public:
  /// Errors: those of the adapters; kInvalidInput WEIR0701 for an id that cannot be part of a name.
  /// as: the replay's id; nullopt: the one that is under way.
  static Result<ReplayJob> Open(config::PipelineSpec spec, const std::optional<std::string>& as);

  const config::PipelineSpec& spec() const { return spec_; }
  connect::Catalog& catalog() { return *catalog_; }
  const std::string& id() const { return id_; }
  /// nullptr: not planned yet.
  const engine::ReplayPlan* plan() const { return plan_ ? &*plan_ : nullptr; }
  /// kNotFound with the way on.
  Result<const engine::ReplayPlan*> NeedPlan() const;
  /// Ids that were planned, and whether they were swapped in.
  static Result<std::vector<std::pair<std::string, bool>>> All(io::Store& state);

  /// Plans anew, or further on for a replay that is under way. kRefused WEIR0209 when the pipeline
  /// file is not the one that it was begun with.
  Status Plan(const std::vector<std::string>& tables, bool from_source);
  /// nullopt: stopped before the first record.
  Result<std::optional<engine::RunSummary>> Apply(const std::stop_token& stop, Session& session);
  /// With the pipeline stopped: catches up, then exchanges the tables.
  Status Swap(const std::stop_token& stop, Session& session);

 private:
  ReplayJob() = default;
  Status Choose(const std::optional<std::string>& as);
  Status CheckConfig() const;
  std::string StateFolder() const;
  engine::BronzeOpenerOf Opener() const;
  Result<std::unique_ptr<connect::LogSource>> OpenPlanned();

  config::PipelineSpec spec_;
  std::unique_ptr<io::Store> state_;
  std::unique_ptr<connect::Catalog> catalog_;
  std::string id_;
  std::optional<engine::ReplayPlan> plan_;
};

}  // namespace weir::app
