#pragma once
// ScenarioPlace: where a run of a scenario keeps its tables and its state: in memory, or on the
// lake and in the state that a pipeline file names, where each run gets folders of its own, which
// stay. Only what is in memory dies with a process in the middle of a call; of a real lake only the
// state does. Errors: those of the stores and the catalogs. One thread.

#include <memory>
#include <string>

#include "app/scenario_life.h"
#include "base/clock.h"
#include "config/pipeline_spec.h"
#include "connect/table.h"
#include "engine/open_table.h"
#include "io/store.h"

namespace weir::app {

class ScenarioPlace {
 public:
  virtual ~ScenarioPlace() = default;

  virtual io::Store& state() = 0;
  /// As a process sees it; `life` must outlive what is opened.
  virtual Result<std::unique_ptr<connect::Catalog>> OpenCatalog(ScenarioLife& life) = 0;
  /// Of tables in two formats the side that follows; nullptr where tables have one format.
  virtual Result<std::unique_ptr<connect::Catalog>> OpenFollowing(ScenarioLife& life) = 0;
  virtual engine::StoreOpener Opener(ScenarioLife& life) = 0;
};

/// format: iceberg, delta or both. The clock must outlive the place.
std::unique_ptr<ScenarioPlace> PlaceInMemory(Clock& clock, std::string format);

/// Below the state and the warehouse of a pipeline; an SQL catalog gets a name of its own. A REST
/// catalog cannot be divided: it must be empty.
Result<std::unique_ptr<ScenarioPlace>> PlaceOnLake(const config::PipelineSpec& pipeline);

}  // namespace weir::app
