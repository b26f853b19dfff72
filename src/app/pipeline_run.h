#pragma once
// PipelineRun: a spec is opened, locked, run to its end and told about. `weir run` and `weir demo`
// do it; only what surrounds it differs.

#include <functional>
#include <optional>
#include <stop_token>

#include "app/session.h"
#include "config/pipeline_spec.h"
#include "engine/pipeline.h"

namespace weir::app {

struct PipelineRunOptions {
  bool once = false;
  std::optional<Micros> run_for;
  bool final_watermark = false;
  engine::AcceptSet accepted;
  Micros log_every = 10 * kMicrosPerSecond;
  std::function<void(const engine::EpochReport&)> on_epoch;  // called on the apply thread
  std::function<bool()> read_again;  // whether somebody asked to look at the contract now
};

/// The line that comes before anything that takes time.
void AnnouncePipeline(const config::PipelineSpec& spec);

/// An unbounded run that has begun and loses its object store for longer than a minute starts anew
/// by itself, as often as it takes; the summary is then of the last start. nullopt: a stop was
/// asked for before the first record was read. Errors: those of the engine, and kRefused WEIR0211
/// when another process works on the state folder.
Result<std::optional<engine::RunSummary>> RunPipeline(const config::PipelineSpec& spec,
                                                      const PipelineRunOptions& options,
                                                      const std::stop_token& stop,
                                                      Session& session);

/// One line for people, or a log line with fields.
void PrintSummary(const config::PipelineSpec& spec, const engine::RunSummary& summary,
                  Session& session);

}  // namespace weir::app
