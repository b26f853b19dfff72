#include "app/pipeline_checks.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "app/listing.h"
#include "app/log_target.h"
#include "app/table_scan.h"
#include "app/wiring.h"
#include "base/digits.h"
#include "engine/produced_tables.h"
#include "engine/start_checks.h"
#include "engine/table_binding.h"
#include "state/state_log.h"

namespace weir::app {
namespace {

constexpr Micros kMostPatience = 60 * kMicrosPerSecond;

using Detail = Result<std::string>;

// The folder, or the nearest one above it that is there, can be written to.
Detail CheckState(const config::PipelineSpec& spec) {
  if (io::IsS3Location(spec.state)) {
    WEIR_ASSIGN_OR_RETURN(const auto store, OpenState(spec));
    WEIR_TRY(io::ProbePutIfAbsent(*store));
    return store->Describe();
  }
  std::filesystem::path folder = spec.state;
  std::error_code ignored;
  while (!std::filesystem::exists(folder, ignored) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return Refused(folder.string() + ": " + std::strerror(errno), ErrorCode::kStorageDenied);
  }
  return folder == spec.state ? spec.state : spec.state + " (will be created)";
}

Detail CheckSource(const config::PipelineSpec& spec, Clock& clock, Micros patience) {
  WEIR_ASSIGN_OR_RETURN(auto source, OpenSource(spec));
  WEIR_ASSIGN_OR_RETURN(const auto topic, DescribePatiently(*source, clock, patience, {}));
  std::int64_t records = 0;
  for (const auto& [partition, bounds] : topic.partitions) {
    records += bounds.end.value() - bounds.begin.value();
  }
  const auto partitions = static_cast<std::int64_t>(topic.partitions.size());
  return fmt::format("{}: {}, {}", DescribeSource(spec.source), CountOf(partitions, "partition"),
                     CountOf(records, "offset"));
}

Detail CheckTable(const config::PipelineSpec& spec, const config::TableSpec& table,
                  connect::Catalog& catalog) {
  auto opened = OpenTableByName(catalog, table.name, spec);
  if (!opened) {
    const bool may_be_made = opened.error().kind == ErrorKind::kNotFound &&
                             table.create == config::CreateMode::kIfMissing;
    if (!may_be_made) {
      if (opened.error().kind != ErrorKind::kNotFound) return opened.error();
      return WithRemedy(opened.error(), "make it with `weir tables create -c " + spec.file + "`");
    }
    WEIR_TRY(engine::DefinitionOf(spec, table));
    return std::string("will be created");
  }
  WEIR_TRY(engine::BindToTable(engine::ProducedSchema(spec, table), *opened->version, table.name));
  return fmt::format("{} rows at {}", GroupDigits(opened->version->total_records),
                     opened->version->location);
}

// What `weir run` would refuse: tables that show progress which the state does not know.
Status CheckHistory(const config::PipelineSpec& spec, connect::Catalog& catalog) {
  WEIR_ASSIGN_OR_RETURN(auto state, OpenStateToRead(spec));
  state::StateLog log(*state);
  WEIR_ASSIGN_OR_RETURN(const auto claim, log.NewestClaim());
  if (claim) return Ok();
  std::vector<engine::OpenTable> tables;
  for (const config::TableSpec& table : spec.tables) {
    auto opened = OpenTableByName(catalog, table.name, spec);
    if (!opened) continue;  // told by its own check
    engine::OpenTable open;
    open.spec = table;
    open.name = table.name;
    open.at_start = opened->version;
    tables.push_back(std::move(open));
  }
  return engine::CheckStatePresent(tables, spec.name, spec.state, {});
}

CheckOutcome OutcomeOf(std::string name, Detail detail) {
  if (detail) return {std::move(name), std::move(*detail), std::nullopt};
  return {std::move(name), {}, std::move(detail).error()};
}

}  // namespace

std::vector<CheckOutcome> CheckPipeline(const config::PipelineSpec& spec, Clock& clock) {
  std::vector<CheckOutcome> outcomes;
  outcomes.push_back(OutcomeOf("state", CheckState(spec)));
  auto catalog = OpenCatalogToRead(spec);
  Status reached = catalog ? (*catalog)->Check() : Status(catalog.error());
  outcomes.push_back(OutcomeOf(
      "catalog", reached ? Detail((*catalog)->Describe()) : Detail(std::move(reached).error())));
  if (catalog && !outcomes.back().error) {
    for (const config::TableSpec& table : spec.tables) {
      outcomes.push_back(OutcomeOf("table " + table.name, CheckTable(spec, table, **catalog)));
    }
    if (Status history = CheckHistory(spec, **catalog); !history) {
      outcomes.push_back(OutcomeOf("history", std::move(history).error()));
    }
  }
  // Last: it is what may take a minute.
  outcomes.push_back(OutcomeOf("source", CheckSource(spec, clock, kMostPatience)));
  return outcomes;
}

}  // namespace weir::app
