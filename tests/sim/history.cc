#include "sim/history.h"

#include <cstdio>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "engine/history.h"
#include "engine/pipeline.h"
#include "io/faulty_store.h"
#include "parquet/data_file_reader.h"
#include "sim/process_store.h"
#include "sim/sim_lake.h"
#include "sim/sim_log.h"
#include "sim/world.h"

namespace weir::sim {
namespace {

constexpr const char* kValid = "sim.valid";
constexpr const char* kBad = "sim.bad";

ContractField FieldOf(std::string name, TypeKind kind) {
  ContractField field;
  field.field = {
      .name = std::move(name), .type = Type::Of(kind), .required = true, .id = 0, .doc = {}};
  return field;
}

config::PipelineSpec SpecFor(Random& random) {
  config::PipelineSpec spec;
  spec.name = "sim";
  spec.file = "sim.yaml";
  spec.text_hash = "hash";
  spec.source.topic = "sim";
  spec.contract.name = "event";
  spec.contract.fields = {FieldOf("id", TypeKind::kString), FieldOf("n", TypeKind::kLong)};
  spec.epoch.every = kMicrosPerSecond;
  spec.epoch.max_rows = 4 + static_cast<std::int64_t>(random.Below(5));
  config::TableSpec valid;
  valid.name = kValid;
  config::TableSpec bad;
  bad.name = kBad;
  bad.from = config::TableFrom::kInvalid;
  spec.tables = {valid, bad};
  return spec;
}

class Run {
 public:
  Run(std::uint64_t seed, Faults& faults, bool verbose)
      : world_(seed, faults),
        verbose_(verbose),
        lake_(world_),
        log_(SimLog::Make(world_.random(), 1 + static_cast<int>(world_.random().Below(2)), 90)),
        spec_(SpecFor(world_.random())),
        state_inner_(io::NewMemoryStore(world_.clock())),
        files_inner_(io::NewMemoryStore(world_.clock())),
        state_(*state_inner_, world_.random().Next()),
        files_(*files_inner_, world_.random().Next()) {}

  HistoryResult Go();

 private:
  void MakeTrouble();
  void Process(int id);
  std::string End(const Result<engine::RunSummary>& outcome, int id);
  void CalmDown();
  void CountStoreFaults(Faults& faults) const;
  std::string CheckTable(const std::string& name, RecordKind kind);
  std::string CheckLedger();
  std::string CheckAll();
  void TellState();

  World world_;
  bool verbose_;
  SimLake lake_;
  SimLog log_;
  config::PipelineSpec spec_;
  std::unique_ptr<io::Store> state_inner_;
  std::unique_ptr<io::Store> files_inner_;
  io::FaultyStore state_;
  io::FaultyStore files_;
  bool calm_ = false;
  std::string violation_;
  bool completed_ = false;
  int processes_ = 0;
  std::int64_t epochs_ = 0;
};

void Run::MakeTrouble() {
  Random& random = world_.random();
  for (io::FaultyStore* store : {&state_, &files_}) {
    store->SetProbability(io::StoreFault::kReplyLostDone, 0.004);
    store->SetProbability(io::StoreFault::kReplyLostNotDone, 0.004);
    store->SetProbability(io::StoreFault::kLandsLater, 0.004);
    store->SetProbability(io::StoreFault::kUnavailable, 0.002);
    store->SetProbability(io::StoreFault::kDiskFull, 0.001);
    store->SetProbability(io::StoreFault::kVanishes, 0.5);
  }
  if (random.Chance(0.4))
    lake_.together = random.Chance(0.5) ? Together::kAtomically : Together::kInTurn;
  if (random.Chance(0.2)) lake_.chaos().rollback = 0.002;
  world_.SetNature([this] {
    lake_.Nature();
    if (!log_.shows_hidden && world_.random().Chance(0.01)) log_.shows_hidden = true;
    if (world_.random().Chance(0.001)) {
      world_.faults().Count(Fault::kClockBack);
      world_.clock().SetWall(world_.clock().Now() - 7200 * kMicrosPerSecond);
    }
  });
}

void Run::Process(int id) {
  ++processes_;
  ProcessStore state(world_, id, state_);
  auto catalog = lake_.CatalogFor(id);
  SimSource source(world_, id, log_, calm_ ? 0 : 0.01);
  engine::PipelineParts parts{
      .clock = world_.clock(),
      .state = state,
      .catalog = *catalog,
      .source = source,
      .open_store = [&](const std::string&) -> Result<std::unique_ptr<io::Store>> {
        return std::unique_ptr<io::Store>(std::make_unique<ProcessStore>(world_, id, files_));
      },
      .apply_turn = [this] { return world_.random().Chance(0.5); },
      .keep_records = static_cast<std::int64_t>(world_.random().Below(3))};
  engine::RunOptions options;
  options.once = true;
  options.version = "sim";
  auto pipeline = engine::Pipeline::Start(spec_, parts, std::move(options));
  const std::string end = pipeline ? End((*pipeline)->Run(), id) : End(pipeline.error(), id);
  if (verbose_) std::fprintf(stderr, "  process %d: %s\n", id, end.c_str());
}

// A broken invariant is a violation whatever the tables show in the end.
std::string Run::End(const Result<engine::RunSummary>& outcome, int id) {
  if (outcome) {
    completed_ = outcome->reason == engine::StopReason::kCaughtUp;
    return "caught up";
  }
  const Error& error = outcome.error();
  if (World::IsDeath(error)) return "died";
  if (error.kind == ErrorKind::kInternal)
    violation_ = fmt::format("process {}: {}", id, error.ToString());
  return error.ToString();
}

void Run::CalmDown() {
  calm_ = true;
  world_.Calm();
  world_.SetNature(nullptr);
  lake_.Calm();
  lake_.RollForward();
  log_.shows_hidden = true;
  for (io::FaultyStore* store : {&state_, &files_}) {
    store->Settle();
    for (std::size_t fault = 0; fault < io::kStoreFaults; ++fault)
      store->SetProbability(static_cast<io::StoreFault>(fault), 0);
  }
}

void Run::CountStoreFaults(Faults& faults) const {
  static constexpr std::pair<io::StoreFault, Fault> kPairs[] = {
      {io::StoreFault::kReplyLostDone, Fault::kStoreReplyLostDone},
      {io::StoreFault::kReplyLostNotDone, Fault::kStoreReplyLostNotDone},
      {io::StoreFault::kLandsLater, Fault::kStoreLandsLater},
      {io::StoreFault::kUnavailable, Fault::kStoreAway},
      {io::StoreFault::kDiskFull, Fault::kDiskFull}};
  for (const auto& [fault, name] : kPairs)
    for (const io::FaultyStore* store : {&state_, &files_})
      faults.fired[static_cast<std::size_t>(name)] += store->fired(fault);
}

// What the state location holds, for a person who looks into one history.
void Run::TellState() {
  auto objects = state_inner_->List("");
  if (!objects) return;
  for (const auto& object : *objects) {
    auto bytes = state_inner_->Get(object.key);
    const bool journal = object.key.starts_with("journal/");
    if (bytes && !journal)
      std::fprintf(stderr, "  %s %s\n", object.key.c_str(), bytes->substr(0, 900).c_str());
  }
}

std::string Run::CheckTable(const std::string& name, RecordKind kind) {
  auto table = lake_.tables().find(name);
  std::map<Partition, std::multiset<std::int64_t>> found;
  if (table != lake_.tables().end()) {
    auto projection = std::make_shared<Schema>();
    const Schema& schema = table->second.definition.schema;
    for (const char* column : {"partition", "offset"})
      projection->fields.push_back(schema.fields[*schema.IndexOf(column)]);
    for (const auto& file : table->second.version.files) {
      auto reader = parquet::DataFileReader::Open(*files_inner_, file.path);
      if (!reader) return fmt::format("{}: {}", name, reader.error().ToString());
      if (auto selected = (*reader)->Select(projection); !selected)
        return selected.error().ToString();
      for (;;) {
        auto batch = (*reader)->Next();
        if (!batch) return batch.error().ToString();
        if (!*batch) break;
        for (std::size_t row = 0; row < (*batch)->rows(); ++row)
          found[Partition((*batch)->columns[0].Int(row))].insert((*batch)->columns[1].Long(row));
      }
    }
  }
  for (const auto& [partition, entries] : log_.partitions) {
    const auto expected = log_.Offsets(partition, kind);
    for (std::int64_t offset : expected) {
      const auto times = found[partition].count(offset);
      if (times != 1)
        return fmt::format("{}: partition {} offset {} is there {} times", name, partition.value(),
                           offset, times);
    }
    if (found[partition].size() != expected.size())
      return fmt::format("{}: partition {} has {} rows, {} are due", name, partition.value(),
                         found[partition].size(), expected.size());
  }
  return {};
}

std::string Run::CheckLedger() {
  state::StateLog log(*state_inner_);
  auto history = engine::ReadHistory(log);
  if (!history) return history.error().ToString();
  const state::LedgerCounts total = history->total();
  if (!total.balanced()) return "the ledger does not balance";
  if (total.good != log_.Count(RecordKind::kGood) ||
      total.quarantined != log_.Count(RecordKind::kBad) ||
      total.tombstone != log_.Count(RecordKind::kTombstone))
    return fmt::format("the ledger says {} good, {} bad, {} tombstones", total.good,
                       total.quarantined, total.tombstone);
  return {};
}

std::string Run::CheckAll() {
  if (!violation_.empty()) return violation_;
  if (!completed_) return "the calm end did not complete";
  for (const auto& [table, kind] :
       {std::pair(kValid, RecordKind::kGood), std::pair(kBad, RecordKind::kBad)})
    if (auto wrong = CheckTable(table, kind); !wrong.empty()) return wrong;
  return CheckLedger();
}

HistoryResult Run::Go() {
  Faults& faults = world_.faults();
  const std::int64_t before = faults.total();
  ObserveFailPoints([this](FailPoint point) {
    if (point == FailPoint::kRecordAfter) ++epochs_;
    world_.ReachPoint(static_cast<int>(point));
  });
  world_.SetBody([this](int id) { Process(id); });
  MakeTrouble();
  constexpr int kLeastStarts = 3;
  constexpr int kLeastFaults = 3;
  for (int start = 0; start < kLeastStarts || faults.total() - before < kLeastFaults; ++start) {
    world_.RunUntilAllEnd();
    if (world_.random().Chance(0.3)) {
      faults.Count(Fault::kPowerLoss);
      state_.LosePower();
      files_.LosePower();
    }
  }
  if (verbose_) TellState();
  CalmDown();
  completed_ = false;
  world_.RunUntilAllEnd();
  ObserveFailPoints(nullptr);
  CountStoreFaults(faults);
  HistoryResult result;
  result.violation = CheckAll();
  result.epochs = epochs_;
  result.faults = faults.total() - before;
  result.processes = processes_;
  return result;
}

}  // namespace

HistoryResult RunHistory(std::uint64_t seed, Faults& faults, bool verbose) {
  SeedEntropy(seed);
  return Run(seed, faults, verbose).Go();
}

}  // namespace weir::sim
