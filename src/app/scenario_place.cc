#include "app/scenario_place.h"

#include <utility>

#include <fmt/format.h>

#include "app/wiring.h"
#include "base/random.h"
#include "delta/catalog.h"
#include "delta/maintenance.h"
#include "engine/twin_catalog.h"
#include "iceberg/catalog.h"
#include "io/location.h"

namespace weir::app {
namespace {

constexpr const char* kLake = "file:///lake";

class MemoryPlace final : public ScenarioPlace {
 public:
  MemoryPlace(Clock& clock, std::string format)
      : clock_(clock),
        format_(std::move(format)),
        state_(io::NewMemoryStore(clock)),
        lake_(io::NewMemoryStore(clock)) {}

  io::Store& state() override { return *state_; }

  Result<std::unique_ptr<connect::Catalog>> OpenCatalog(ScenarioLife& life) override {
    if (format_ == "delta") return Delta(life);
    auto iceberg = iceberg::NewStoreCatalog(
        {.store = StoreOf(life, *lake_, ""), .location = kLake, .parallel = false}, clock_);
    if (format_ == "iceberg") return iceberg;
    return engine::NewTwinCatalog(
        std::move(iceberg), Delta(life),
        {.metadata_root = {}, .following = {{delta::kFilesProperty, "shared"}}});
  }
  Result<std::unique_ptr<connect::Catalog>> OpenFollowing(ScenarioLife& life) override {
    return format_ == "both" ? Delta(life) : nullptr;
  }
  engine::StoreOpener Opener(ScenarioLife& life) override {
    return [this, &life](const std::string& location) -> Result<std::unique_ptr<io::Store>> {
      return StoreOf(life, *lake_, io::Below(kLake, location).value_or("elsewhere"));
    };
  }

 private:
  std::unique_ptr<connect::Catalog> Delta(ScenarioLife& life) {
    return delta::NewCatalog(StoreOf(life, *lake_, ""), kLake, clock_);
  }

  Clock& clock_;
  std::string format_;
  std::unique_ptr<io::Store> state_;
  std::unique_ptr<io::Store> lake_;
};

class LakePlace final : public ScenarioPlace {
 public:
  LakePlace(config::PipelineSpec spec, std::unique_ptr<io::Store> state)
      : spec_(std::move(spec)), state_(std::move(state)) {}

  io::Store& state() override { return *state_; }
  Result<std::unique_ptr<connect::Catalog>> OpenCatalog(ScenarioLife& /*life*/) override {
    return app::OpenCatalog(spec_);
  }
  Result<std::unique_ptr<connect::Catalog>> OpenFollowing(ScenarioLife& /*life*/) override {
    if (spec_.lake.format != "both") return std::unique_ptr<connect::Catalog>();
    return delta::OpenCatalog(spec_.lake.warehouse, StoresOf(spec_), SystemClock());
  }
  engine::StoreOpener Opener(ScenarioLife& /*life*/) override { return TableStores(spec_); }

 private:
  config::PipelineSpec spec_;
  std::unique_ptr<io::Store> state_;
};

}  // namespace

std::unique_ptr<ScenarioPlace> PlaceInMemory(Clock& clock, std::string format) {
  return std::make_unique<MemoryPlace>(clock, std::move(format));
}

Result<std::unique_ptr<ScenarioPlace>> PlaceOnLake(const config::PipelineSpec& pipeline) {
  config::PipelineSpec own = pipeline;
  const std::string name = fmt::format("weir-test-{:016x}", EntropyU64());
  own.state += "/" + name;
  if (!own.lake.warehouse.empty()) own.lake.warehouse += "/" + name;
  own.lake.name = name;
  WEIR_ASSIGN_OR_RETURN(auto state, OpenState(own));
  return std::unique_ptr<ScenarioPlace>(
      std::make_unique<LakePlace>(std::move(own), std::move(state)));
}

}  // namespace weir::app
