#include "random_stream.h"

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/random.h"
#include "base/time.h"
#include "config/load.h"
#include "random_records.h"

namespace weir::oracle {
namespace {

using nlohmann::json;

constexpr const char* kContract =
    "contract:\n"
    "  name: random\n"
    "  event_type: type\n"
    "  event_time: time\n"
    "  fields:\n"
    "    id: {type: string, required: true, not_blank: true}\n"
    "    user: {type: string, required: true, not_blank: true}\n"
    "    time: {type: timestamp, required: true}\n"
    "    type: string\n"
    "    page: string\n"
    "    country: string\n"
    "    who: string\n"
    "    n: int\n"
    "    big: long\n"
    "    qty: int\n"
    "    price: \"decimal(12,4)\"\n"
    "    ratio: double\n";

// Of every kind an aggregate takes. A window has some of them.
constexpr std::pair<const char*, const char*> kAggregates[] = {
    {"count", ""},
    {"count_distinct", "user"},
    {"count_distinct", "n"},
    {"count_distinct", "price"},
    {"sum", "n"},
    {"sum", "big"},
    {"sum", "price"},
    {"sum", "ratio"},
    {"avg", "n"},
    {"avg", "big"},
    {"avg", "price"},
    {"avg", "ratio"},
    {"min", "ratio"},
    {"max", "price"},
    {"min", "page"},
    {"max", "page"},
    {"min", "time"},
    {"max", "big"},
};

template <typename T>
T Pick(Random& random, std::initializer_list<T> values) {
  return values.begin()[random.Below(values.size())];
}

std::string Span(Micros span) { return fmt::format("{}ms", span / kMicrosPerMilli); }

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed * 7919 + 17) {}

  RandomStream Make();

 private:
  void AddTable(const std::string& name, const std::string& from, json rules, std::string text);
  void AddRowTables();
  void AddWindows(const std::string& name, Micros size);
  void AddSessions();
  std::string Watermark();
  void AddRecords();
  app::RunPlan Plan();

  Random random_;
  RandomStream out_;
  std::string tables_;
  StreamShape shape_;
};

void Maker::AddTable(const std::string& name, const std::string& from, json rules,
                     std::string text) {
  rules["name"] = name;
  rules["from"] = from;
  out_.rules["tables"].push_back(std::move(rules));
  tables_ += fmt::format("  {}: {{{}}}\n", name, text);
}

// Silver of one of three kinds: deduplicated, with all copies, or both beside each other.
void Maker::AddRowTables() {
  const bool with_all = random_.Chance(0.2);
  if (random_.Chance(0.65)) {
    const bool two = random_.Chance(0.3);
    shape_.horizon = Pick<Micros>(random_, {0, shape_.delay, 2 * shape_.delay + kMicrosPerSecond});
    const json key = two ? json{"id", "user"} : json{"id"};
    AddTable("silver.events", "valid", {{"key", key}, {"horizon", shape_.horizon}},
             fmt::format("from: valid, dedupe: {{key: {}, horizon: {}, mode: {}}}",
                         two ? "[id, user]" : "id", Span(shape_.horizon),
                         random_.Chance(0.2) ? "compact" : "exact"));
  }
  if (with_all) AddTable("silver.all", "valid", {}, "from: valid");
  AddTable("quarantine.events", "invalid", {}, "from: invalid");
  shape_.late_table = random_.Chance(0.65);
  if (shape_.late_table) AddTable("late.events", "late", {}, "from: late");
}

void Maker::AddWindows(const std::string& name, Micros size) {
  const Micros offset = random_.Chance(0.3) ? size / 4 : 0;
  std::vector<std::string> by;
  for (const char* column : {"type", "country", "n"})
    if (random_.Chance(0.35)) by.emplace_back(column);
  json aggregates = json::array();
  std::string text;
  for (const auto& [kind, column] : kAggregates) {
    if (!random_.Chance(0.4) && *column != '\0') continue;
    const std::string aggregate = *column == '\0' ? kind : fmt::format("{}_{}", kind, column);
    aggregates.push_back({aggregate, kind, column});
    text += fmt::format("{}{}: {}{}", text.empty() ? "" : ", ", aggregate, kind,
                        *column == '\0' ? "" : fmt::format("({})", column));
  }
  AddTable(name, "windows",
           {{"size", size}, {"offset", offset}, {"by", by}, {"aggregates", aggregates}},
           fmt::format("windows: {{size: {}, offset: {}, by: [{}], aggregates: {{{}}}}}",
                       Span(size), Span(offset), fmt::join(by, ", "), text));
}

void Maker::AddSessions() {
  const std::string split = Pick<const char*>(random_, {"none", "none", "hour", "day"});
  AddTable("gold.sessions", "sessions", {{"gap", shape_.gap}, {"split", split}},
           fmt::format("sessions: {{by: user, gap: {}, split: {}, page: page, first: [country], "
                       "last: [n], value: {{event: buy, price: price, quantity: qty}}}}",
                       Span(shape_.gap), split));
  const Micros size = Pick<Micros>(random_, {kMinute, kHour, kMicrosPerDay});
  if (random_.Chance(0.5)) {
    AddTable("gold.stats", "session_stats", {{"size", size}, {"gap", shape_.gap}},
             fmt::format("session_stats: {{size: {}}}", Span(size)));
  }
  if (random_.Chance(0.4)) return;
  const auto steps = Pick<std::vector<std::string>>(
      random_, {{"view", "cart", "buy"}, {"view", "view"}, {"cart", "buy", "cart", "view"}});
  AddTable("gold.funnel", "funnel", {{"steps", steps}, {"size", size}},
           fmt::format("funnel: {{steps: [{}], size: {}}}", fmt::join(steps, ", "), Span(size)));
}

std::string Maker::Watermark() {
  out_.rules["delay"] = shape_.delay;
  std::string text = fmt::format("watermark: {{delay: {}", Span(shape_.delay));
  if (random_.Chance(0.25)) {
    const Micros allowance = Pick<Micros>(random_, {0, kMinute});
    out_.scenario.clock = shape_.base + static_cast<Micros>(random_.Below(4)) * shape_.gap;
    shape_.latest = out_.scenario.clock + allowance;
    out_.rules["latest"] = *shape_.latest;
    text += fmt::format(", max_future: {}", Span(allowance));
  }
  return text + "}\n" + (shape_.late_table ? "" : "late: count\n");
}

void Maker::AddRecords() {
  RandomRecords records(random_, shape_);
  std::map<Partition, std::int64_t> next;
  app::ScenarioPart part = std::move(out_.scenario.parts.front());
  out_.scenario.parts.clear();
  const config::PipelineSpec spec = part.spec;
  part.end = app::PartEnd::kStopped;
  const std::uint64_t count = 20 + random_.Below(101);
  for (std::uint64_t i = 0; i < count; ++i) {
    app::ScenarioRecord record;
    record.partition = Partition(static_cast<std::int32_t>(
        random_.Below(static_cast<std::uint64_t>(out_.scenario.partitions))));
    record.offset = Offset(next[record.partition]++);
    record.wall = out_.scenario.clock;
    record.value = records.Next(record.partition.value());
    part.steps.emplace_back(std::move(record));
    if (!random_.Chance(0.008)) continue;
    out_.scenario.parts.push_back(std::move(part));
    part = {.spec = spec, .steps = {}, .end = app::PartEnd::kStopped};
  }
  const bool finished = random_.Chance(0.3);
  out_.rules["finished"] = finished;
  if (finished) part.end = app::PartEnd::kFinished;
  out_.scenario.parts.push_back(std::move(part));
}

app::RunPlan Maker::Plan() {
  app::RunPlan plan = {.name = "", .epoch_rows = {}, .kill_seed = {}, .order_seed = {}, .log = {}};
  const auto rows = static_cast<std::int64_t>(20 + random_.Below(50));
  const std::uint64_t kind = random_.Below(8);
  if (kind >= 5) plan.epoch_rows = rows;
  if (kind == 6) plan.restart_after_epoch = true;
  if (kind == 7) plan.kill_seed = random_.Next();
  plan.prove = random_.Chance(0.1);  // it takes longer than the run
  if (random_.Chance(0.5)) plan.order_seed = random_.Next();
  return plan;
}

RandomStream Maker::Make() {
  out_.rules["tables"] = json::array();
  out_.scenario.partitions = static_cast<int>(1 + random_.Below(4));
  out_.rules["partitions"] = out_.scenario.partitions;
  shape_ = PickShape(random_);
  out_.scenario.clock = shape_.base;
  AddRowTables();
  if (random_.Chance(0.7)) AddWindows("gold.windows", shape_.size);
  if (random_.Chance(0.2)) AddWindows("gold.wide", 7 * shape_.size);
  if (random_.Chance(0.6)) AddSessions();
  if (shape_.gap <= 5 * kMinute && random_.Chance(0.4))
    AddTable("gold.active", "active_users", {}, "active_users: {user: who}");
  const std::string text =
      "pipeline: random\nsource: {spool: log, topic: scenario}\nstate: state\n"
      "lake: {warehouse: lake}\n" +
      Watermark() + "tables:\n" + tables_ + kContract;
  auto loaded =
      config::ParsePipelineText(text, "/pipelines/random.yaml", config::ScriptedEnvironment());
  if (!loaded.spec) {
    for (const config::Diagnostic& diagnostic : loaded.diagnostics.Sorted())
      fmt::print(stderr, "{}: {}\n", diagnostic.place.key_path, diagnostic.message);
    fmt::print(stderr, "{}", text);
    std::exit(2);
  }
  out_.scenario.parts.push_back({.spec = std::move(*loaded.spec), .steps = {}});
  AddRecords();
  out_.plan = Plan();
  return std::move(out_);
}

}  // namespace

RandomStream MakeRandomStream(std::uint64_t seed) { return Maker(seed).Make(); }

}  // namespace weir::oracle
