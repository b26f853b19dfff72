// Runs random streams through the engine, in memory, and prints for each one JSON line with the
// rules, the records and all rows of all tables at the end, for stream_oracle.py to work out anew.
//
//     stream_run FIRST LAST        the streams of these seeds

#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/scenario_run.h"
#include "base/log.h"
#include "random_stream.h"

namespace weir::oracle {
namespace {

using nlohmann::json;

constexpr std::int64_t kCallsOfARun = 600;  // roughly: kills fall anywhere in them

json Input(const app::Scenario& scenario) {
  json input = json::array();
  for (const app::ScenarioPart& part : scenario.parts) {
    for (const app::ScenarioStep& step : part.steps) {
      const auto& record = std::get<app::ScenarioRecord>(step);
      input.push_back({record.partition.value(), record.offset.value(),
                       record.value ? json(*record.value) : json()});
    }
  }
  return input;
}

json Tables(const app::RunOutcome& outcome) {
  json tables = json::object();
  for (const auto& [name, content] : outcome.tables) {
    json columns = json::array();
    for (const Field& field : content.schema.fields) columns.push_back(field.name);
    tables[name] = {{"columns", columns}, {"rows", content.rows}};
  }
  return tables;
}

bool PrintStream(std::uint64_t seed) {
  const RandomStream stream = MakeRandomStream(seed);
  const auto outcome = app::RunScenario(stream.scenario, stream.plan, kCallsOfARun);
  if (!outcome || outcome->error) {
    fmt::print(stderr, "seed {}: {}\n", seed,
               outcome ? outcome->error->ToString() : outcome.error().ToString());
    return false;
  }
  const auto& ledger = outcome->ledger;
  const json line = {
      {"seed", seed},
      {"rules", stream.rules},
      {"input", Input(stream.scenario)},
      {"watermark", outcome->watermark ? json(*outcome->watermark) : json()},
      {"ledger",
       {{"read", ledger.read},
        {"good", ledger.good},
        {"duplicate", ledger.duplicate},
        {"late", ledger.late},
        {"quarantined", ledger.quarantined},
        {"tombstone", ledger.tombstone}}},
      {"unproven", outcome->unproven},
      {"processes", outcome->processes},
      {"deaths", outcome->deaths},
      {"tables", Tables(*outcome)},
  };
  fmt::print("{}\n", line.dump());
  return true;
}

}  // namespace
}  // namespace weir::oracle

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "stream_run FIRST LAST\n");
    return 2;
  }
  weir::log::Configure(weir::log::Level::kError, weir::log::Format::kText);
  const std::uint64_t last = std::strtoull(argv[2], nullptr, 10);
  for (std::uint64_t seed = std::strtoull(argv[1], nullptr, 10); seed <= last; ++seed)
    if (!weir::oracle::PrintStream(seed)) return 1;
  return 0;
}
