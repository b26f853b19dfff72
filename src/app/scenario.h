#pragma once
// Scenario: a pipeline, what arrives in its log and what its tables must hold then, as a person
// wrote it in a YAML file. `weir test` reads, runs and checks scenarios. Expected values are
// written by people; nothing in Weir writes them. docs/SCENARIOS.md has the format. Plain values.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "config/environment.h"
#include "config/pipeline_spec.h"
#include "config/yaml_node.h"
#include "record/offsets.h"

namespace weir::app {

/// A record that arrives. Offsets count from 0 in each partition.
struct ScenarioRecord {
  Partition partition;
  Offset offset;
  Micros wall = 0;  // the wall clock when it is read
  std::optional<std::string> key;
  std::optional<std::string> value;  // nullopt: a tombstone
};

/// The clock moves on while nothing arrives.
struct ScenarioPause {
  Micros span = 0;
  bool backlog = false;  // what comes behind it is in the log already, but is not read yet
};

using ScenarioStep = std::variant<ScenarioRecord, ScenarioPause>;

/// How the process that reads a part of the input ends.
enum class PartEnd {
  kStopped,   // by a signal
  kAtEnd,     // a bounded run that has read what there was
  kFinished,  // the same with --final-watermark
};

/// What one process reads, unless it is killed.
struct ScenarioPart {
  config::PipelineSpec spec;
  std::vector<ScenarioStep> steps;
  PartEnd end = PartEnd::kAtEnd;
};

/// Rows that a table must hold, in any order; each names the columns that are compared.
struct ExpectedTable {
  std::vector<config::YamlNode> rows;  // mappings of columns
  std::optional<std::int64_t> count;   // instead of rows
};

struct Scenario {
  std::string file;
  std::string name;
  std::string why;
  Micros clock = 0;    // wall clock at the start
  int partitions = 1;  // of the topic
  std::vector<ScenarioPart> parts;
  std::map<std::string, ExpectedTable> tables;
  std::map<std::string, std::int64_t> ledger;  // by the names of the ledger's counts
  std::string open;                            // part of what the last run says stays open
  std::string refuses;                         // code of the error that the last part ends with

  bool has_pauses() const;
};

/// Reads the file of a scenario and the files that it names. Errors name file, line and what is
/// allowed: kInvalidInput WEIR0101 to WEIR0109.
Result<Scenario> ReadScenario(const std::string& path, const config::Environment& environment);

}  // namespace weir::app
