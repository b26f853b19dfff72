// Reads the file of a scenario.

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "app/scenario.h"
#include "app/yaml_as_json.h"
#include "base/bytes.h"
#include "config/load.h"
#include "config/quantity.h"

namespace weir::app {
namespace {

using config::YamlEntry;
using config::YamlNode;

constexpr Micros kDefaultClock = Micros{DayOf(2026, 9, 1)} * kMicrosPerDay;

const YamlNode* Find(const YamlNode& mapping, std::string_view key) {
  for (const YamlEntry& entry : mapping.entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

void Set(YamlNode& mapping, std::string_view key, YamlNode value) {
  for (YamlEntry& entry : mapping.entries) {
    if (entry.key != key) continue;
    entry.value = std::move(value);
    return;
  }
  mapping.entries.push_back({.key = std::string(key), .line = 0, .column = 0, .value = value});
}

YamlNode Text(std::string text) {
  YamlNode node;
  node.kind = YamlNode::Kind::kScalar;
  node.text = std::move(text);
  node.quoted = true;
  return node;
}

YamlNode Mapping(std::initializer_list<std::pair<const char*, const char*>> entries) {
  YamlNode node;
  node.kind = YamlNode::Kind::kMapping;
  for (const auto& [key, value] : entries) Set(node, key, Text(value));
  return node;
}

class Reader {
 public:
  Reader(std::string path, const config::Environment& environment)
      : path_(std::move(path)), environment_(environment) {}

  Result<Scenario> Read();

 private:
  Error Wrong(const YamlNode& at, std::string_view what, ErrorCode code = ErrorCode::kBadValue) {
    return InvalidInput(fmt::format("{}:{}: {}", path_, at.line, what), code);
  }
  Status CheckKeys(const YamlNode& mapping, std::initializer_list<std::string_view> known);
  Result<std::string> TextOf(const YamlNode& node, std::string_view key);
  Result<YamlNode> Load(const std::string& path);
  Status ReadPipeline(const YamlNode& root);
  Result<config::PipelineSpec> SpecOf(const YamlNode& at);
  Status ReadInput(const YamlNode& input);
  Status ReadStep(const YamlNode& step);
  Status ReadRecord(const YamlNode& step);
  Result<std::optional<std::string>> ReadValue(const YamlNode& step);
  Status ReadRestart(const YamlNode& how);
  Status ReadEnd(const YamlNode& root);
  Status ReadExpected(const YamlNode& expected);
  Status ReadLedger(const YamlNode& ledger);

  std::string path_;
  const config::Environment& environment_;
  Scenario scenario_;
  YamlNode pipeline_;
  std::string pipeline_path_;  // relative paths of the pipeline count from here
  ScenarioPart part_;
  Micros wall_ = 0;
  std::map<Partition, std::int64_t> next_;
};

Status Reader::CheckKeys(const YamlNode& mapping, std::initializer_list<std::string_view> known) {
  std::string names;
  for (std::string_view name : known) names += (names.empty() ? "" : ", ") + std::string(name);
  if (!mapping.is_mapping())
    return Wrong(mapping, "this must be a mapping with some of these keys: " + names);
  for (const YamlEntry& entry : mapping.entries)
    if (std::ranges::find(known, entry.key) == known.end())
      return InvalidInput(fmt::format("{}:{}: unknown key `{}`; known are: {}", path_, entry.line,
                                      Printable(entry.key), names),
                          ErrorCode::kUnknownKey);
  return Ok();
}

Result<std::string> Reader::TextOf(const YamlNode& node, std::string_view key) {
  if (node.is_scalar()) return node.text;
  return Wrong(node, fmt::format("`{}` must be text", key));
}

Result<YamlNode> Reader::Load(const std::string& path) {
  const std::string absolute = config::AbsolutePath(environment_.CurrentFolder(), path);
  WEIR_ASSIGN_OR_RETURN(const std::string text,
                        environment_.ReadFile(absolute, config::kMaxFileBytes));
  config::Diagnostics diagnostics;
  auto root = config::ReadYaml(text, path, diagnostics);
  WEIR_TRY(diagnostics.ToStatus());
  return std::move(*root);
}

Result<Scenario> Reader::Read() {
  scenario_.file = path_;
  WEIR_ASSIGN_OR_RETURN(const YamlNode root, Load(path_));
  WEIR_TRY(CheckKeys(root, {"name", "why", "pipeline", "contract", "partitions", "clock", "input",
                            "run", "final_watermark", "expect", "ledger", "open", "refuses"}));
  for (const auto& [key, target] : {std::pair<const char*, std::string*>{"name", &scenario_.name},
                                    {"why", &scenario_.why},
                                    {"open", &scenario_.open},
                                    {"refuses", &scenario_.refuses}}) {
    if (const YamlNode* node = Find(root, key)) {
      WEIR_ASSIGN_OR_RETURN(*target, TextOf(*node, key));
    }
  }
  for (const char* key : {"name", "why", "pipeline", "input"})
    if (Find(root, key) == nullptr)
      return Wrong(root, fmt::format("`{}` is missing", key), ErrorCode::kMissingKey);
  scenario_.clock = kDefaultClock;
  if (const YamlNode* clock = Find(root, "clock")) {
    auto parsed = config::ParseTime(clock->text);
    if (!parsed) return Wrong(*clock, parsed.error().message);
    scenario_.clock = *parsed;
  }
  wall_ = scenario_.clock;
  WEIR_TRY(ReadPipeline(root));
  WEIR_TRY(ReadInput(*Find(root, "input")));
  WEIR_TRY(ReadEnd(root));
  if (const YamlNode* partitions = Find(root, "partitions")) {
    auto count = config::ParseCount(partitions->text);
    if (!count || *count < scenario_.partitions || *count > 1000)
      return Wrong(*partitions, fmt::format("`partitions` must be a number from {} to 1000",
                                            scenario_.partitions));
    scenario_.partitions = static_cast<int>(*count);
  }
  if (const YamlNode* expected = Find(root, "expect")) WEIR_TRY(ReadExpected(*expected));
  if (const YamlNode* ledger = Find(root, "ledger")) WEIR_TRY(ReadLedger(*ledger));
  if (scenario_.tables.empty() && scenario_.ledger.empty() && scenario_.refuses.empty())
    return Wrong(root, "nothing is expected: add `expect`, `ledger` or `refuses`",
                 ErrorCode::kMissingKey);
  return std::move(scenario_);
}

// Source, state and lake are ours; everything else is the pipeline's own.
Status Reader::ReadPipeline(const YamlNode& root) {
  const YamlNode& given = *Find(root, "pipeline");
  pipeline_path_ = path_;
  pipeline_ = given;
  const std::string folder =
      config::FolderOf(config::AbsolutePath(environment_.CurrentFolder(), path_));
  if (given.is_scalar()) {
    pipeline_path_ = config::AbsolutePath(folder, given.text);
    WEIR_ASSIGN_OR_RETURN(pipeline_, Load(pipeline_path_));
  }
  if (!pipeline_.is_mapping())
    return Wrong(given, "`pipeline` must be a mapping or the path of a pipeline file");
  if (Find(pipeline_, "pipeline") == nullptr) Set(pipeline_, "pipeline", Text("scenario"));
  if (const YamlNode* contract = Find(root, "contract")) {
    Set(pipeline_, "contract",
        contract->is_scalar() ? Text(config::AbsolutePath(folder, contract->text)) : *contract);
  }
  Set(pipeline_, "source", Mapping({{"spool", "log"}, {"topic", "scenario"}}));
  Set(pipeline_, "state", Text("state"));
  Set(pipeline_, "lake", Mapping({{"warehouse", "lake"}}));
  WEIR_ASSIGN_OR_RETURN(part_.spec, SpecOf(given));
  return Ok();
}

Result<config::PipelineSpec> Reader::SpecOf(const YamlNode& at) {
  auto outcome =
      config::ParsePipelineText(YamlLineOf(pipeline_) + "\n", pipeline_path_, environment_);
  if (outcome.spec) return std::move(*outcome.spec);
  for (const config::Diagnostic& diagnostic : outcome.diagnostics.Sorted()) {
    if (diagnostic.severity != config::Severity::kError) continue;
    return Wrong(at,
                 fmt::format("the pipeline: {}{}{}", diagnostic.place.key_path,
                             diagnostic.place.key_path.empty() ? "" : ": ", diagnostic.message),
                 diagnostic.code);
  }
  return Internal("a pipeline was refused without a reason");
}

Status Reader::ReadInput(const YamlNode& input) {
  if (!input.is_list()) return Wrong(input, "`input` must be a list of records and steps");
  for (const YamlNode& step : input.items) WEIR_TRY(ReadStep(step));
  return Ok();
}

Status Reader::ReadStep(const YamlNode& step) {
  if (const YamlNode* advance = Find(step, "advance")) {
    WEIR_TRY(CheckKeys(step, {"advance", "backlog"}));
    auto span = config::ParseDuration(advance->text);
    if (!span) return Wrong(*advance, span.error().message);
    const YamlNode* backlog = Find(step, "backlog");
    part_.steps.emplace_back(
        ScenarioPause{.span = *span, .backlog = backlog != nullptr && backlog->text == "true"});
    wall_ += *span;
    return Ok();
  }
  if (const YamlNode* restart = Find(step, "restart")) {
    WEIR_TRY(CheckKeys(step, {"restart"}));
    return ReadRestart(*restart);
  }
  return ReadRecord(step);
}

Status Reader::ReadRecord(const YamlNode& step) {
  WEIR_TRY(CheckKeys(
      step, {"partition", "at", "key", "value", "value_b64", "tombstone", "advance", "restart"}));
  ScenarioRecord record;
  if (const YamlNode* partition = Find(step, "partition")) {
    auto number = config::ParseCount(partition->text);
    if (!number || *number < 0 || *number >= 1000)
      return Wrong(*partition, "`partition` must be a number from 0 to 999");
    record.partition = Partition(static_cast<std::int32_t>(*number));
  } else {
    record.partition = Partition(0);
  }
  if (const YamlNode* at = Find(step, "at")) {
    auto time = config::ParseTime(at->text);
    if (!time) return Wrong(*at, time.error().message);
    wall_ = *time;
  }
  if (const YamlNode* key = Find(step, "key")) {
    WEIR_ASSIGN_OR_RETURN(record.key, TextOf(*key, "key"));
  }
  WEIR_ASSIGN_OR_RETURN(record.value, ReadValue(step));
  record.wall = wall_;
  record.offset = Offset(next_[record.partition]++);
  scenario_.partitions = std::max(scenario_.partitions, record.partition.value() + 1);
  part_.steps.emplace_back(std::in_place_type<ScenarioRecord>, std::move(record));
  return Ok();
}

Result<std::optional<std::string>> Reader::ReadValue(const YamlNode& step) {
  const YamlNode* value = Find(step, "value");
  const YamlNode* base64 = Find(step, "value_b64");
  const YamlNode* tombstone = Find(step, "tombstone");
  if ((value != nullptr) + (base64 != nullptr) + (tombstone != nullptr) != 1)
    return Wrong(step, "a record has one of `value`, `value_b64` and `tombstone: true`");
  if (tombstone != nullptr) return std::optional<std::string>();
  if (base64 != nullptr) {
    auto bytes = Base64Decode(base64->text);
    if (!bytes) return Wrong(*base64, "`value_b64` is not base64");
    return bytes;
  }
  if (value->is_scalar()) return std::optional(value->text);
  return std::optional(JsonOf(*value));
}

Status Reader::ReadRestart(const YamlNode& how) {
  part_.end = PartEnd::kStopped;
  if (how.is_scalar() && how.text == "at_end") {
    part_.end = PartEnd::kAtEnd;
  } else if (how.is_scalar() && how.text == "finished") {
    part_.end = PartEnd::kFinished;
  } else if (!how.is_mapping() && how.text != "true") {
    return Wrong(how,
                 "`restart` is true (stopped by a signal), at_end (a bounded run that ended), "
                 "finished (one with --final-watermark), or keys of the pipeline that change");
  }
  scenario_.parts.push_back(std::move(part_));
  part_ = {};
  for (const YamlEntry& entry : how.entries) Set(pipeline_, entry.key, entry.value);
  WEIR_ASSIGN_OR_RETURN(part_.spec, SpecOf(how));
  return Ok();
}

Status Reader::ReadEnd(const YamlNode& root) {
  const YamlNode* run = Find(root, "run");
  const YamlNode* final_watermark = Find(root, "final_watermark");
  const bool is_final = final_watermark != nullptr && final_watermark->text == "true";
  if (run != nullptr && run->text != "once" && run->text != "until_input_ends")
    return Wrong(*run, "`run` is once (a bounded run) or until_input_ends (then it is stopped)");
  const bool stopped = run != nullptr && run->text == "until_input_ends";
  if (stopped && is_final) return Wrong(*final_watermark, "`final_watermark` needs `run: once`");
  part_.end = stopped ? PartEnd::kStopped : is_final ? PartEnd::kFinished : PartEnd::kAtEnd;
  scenario_.parts.push_back(std::move(part_));
  for (const ScenarioPart& part : scenario_.parts)
    if (part.end != PartEnd::kStopped && !part.steps.empty() &&
        std::holds_alternative<ScenarioPause>(part.steps.back()))
      return Wrong(root,
                   "a bounded run ends at its last record, so an `advance` behind it does "
                   "nothing: use `run: until_input_ends`");
  return Ok();
}

Status Reader::ReadExpected(const YamlNode& expected) {
  if (!expected.is_mapping()) return Wrong(expected, "`expect` must name tables");
  for (const YamlEntry& entry : expected.entries) {
    ExpectedTable table;
    if (entry.value.is_mapping()) {
      WEIR_TRY(CheckKeys(entry.value, {"count"}));
      const YamlNode* given = Find(entry.value, "count");
      auto count = config::ParseCount(given == nullptr ? "" : given->text);
      if (!count) return Wrong(entry.value, count.error().message);
      table.count = *count;
    } else if (entry.value.is_list()) {
      table.rows = entry.value.items;
      for (const YamlNode& row : table.rows)
        if (!row.is_mapping()) return Wrong(row, "a row is a mapping of columns");
    } else {
      return Wrong(entry.value, "a table has a list of rows, or {count: N}; [] means no rows");
    }
    scenario_.tables[entry.key] = std::move(table);
  }
  return Ok();
}

Status Reader::ReadLedger(const YamlNode& ledger) {
  WEIR_TRY(CheckKeys(ledger, {"read", "good", "duplicate", "late", "quarantined", "tombstone"}));
  for (const YamlEntry& entry : ledger.entries) {
    auto count = config::ParseCount(entry.value.text);
    if (!count) return Wrong(entry.value, count.error().message);
    scenario_.ledger[entry.key] = *count;
  }
  return Ok();
}

}  // namespace

bool Scenario::has_pauses() const {
  return std::ranges::any_of(parts, [](const ScenarioPart& part) {
    return std::ranges::any_of(part.steps, [](const ScenarioStep& step) {
      return std::holds_alternative<ScenarioPause>(step);
    });
  });
}

Result<Scenario> ReadScenario(const std::string& path, const config::Environment& environment) {
  return Reader(path, environment).Read();
}

}  // namespace weir::app
