#include "sim/history.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "config/contract_writer.h"
#include "engine/history.h"
#include "engine/pipeline.h"
#include "engine/table_evolution.h"
#include "engine/twin_catalog.h"
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

using Offsets = std::map<Partition, std::multiset<std::int64_t>>;

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

// The same pipeline when its contract has gained a field.
config::PipelineSpec Grown(config::PipelineSpec spec) {
  ContractField coupon = FieldOf("coupon", TypeKind::kString);
  coupon.field.required = false;
  spec.contract.fields.push_back(coupon);
  spec.text_hash = "grown";
  return spec;
}

class Run {
 public:
  Run(std::uint64_t seed, Faults& faults, bool verbose)
      : world_(seed, faults),
        verbose_(verbose),
        lake_(world_),
        other_lake_(world_),
        log_(SimLog::Make(world_.random(), 1 + static_cast<int>(world_.random().Below(2)), 90)),
        spec_(SpecFor(world_.random())),
        grown_(Grown(spec_)),
        contract_changes_(world_.random().Chance(0.5)),
        is_twin_(world_.random().Chance(0.25)),
        state_inner_(io::NewMemoryStore(world_.clock())),
        files_inner_(io::NewMemoryStore(world_.clock())),
        state_(*state_inner_, world_.random().Next()),
        files_(*files_inner_, world_.random().Next()) {}

  HistoryResult Go();

 private:
  void MakeTrouble();
  void ChangeContract();
  std::unique_ptr<connect::Catalog> CatalogFor(int process);
  void Process(int id);
  Result<engine::RunSummary> RunBy(const config::PipelineSpec& spec, int id,
                                   connect::Catalog& catalog);
  bool TakesUp(const config::PipelineSpec& spec, connect::Catalog& catalog);
  std::string End(const Result<engine::RunSummary>& outcome, int id);
  void CalmDown();
  void CountStoreFaults(Faults& faults) const;
  std::string CheckTable(SimLake& lake, const std::string& name, RecordKind kind);
  std::string CheckRows(const Batch& batch, Offsets& found) const;
  std::string WantedCoupon(Partition partition, std::int64_t offset) const;
  std::string ReadContracts();
  std::string CheckLedger();
  std::string CheckAll();
  void TellState();

  World world_;
  bool verbose_;
  SimLake lake_;
  SimLake other_lake_;  // the tables' other format, where they have two
  SimLog log_;
  config::PipelineSpec spec_;
  config::PipelineSpec grown_;
  bool contract_changes_;
  bool contract_recorded_ = false;
  bool contract_changed_ = false;
  bool is_twin_;
  std::vector<state::ContractEntry> contracts_;  // in the order of their claims
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
  if (is_twin_) world_.faults().Count(Fault::kTwoFormats);
  world_.SetNature([this] {
    lake_.Nature();
    if (is_twin_) other_lake_.Nature();
    if (world_.random().Chance(0.002)) ChangeContract();
    if (!log_.shows_hidden && world_.random().Chance(0.01)) log_.shows_hidden = true;
    if (world_.random().Chance(0.001)) {
      world_.faults().Count(Fault::kClockBack);
      world_.clock().SetWall(world_.clock().Now() - 7200 * kMicrosPerSecond);
    }
  });
}

// From here on whoever starts reads the new contract. Before the first one was recorded, a new one
// is refused by tables that lack its field: nobody knows who made them.
void Run::ChangeContract() {
  if (!contract_changes_ || contract_changed_ || !contract_recorded_) return;
  world_.faults().Count(Fault::kContractChanged);
  contract_changed_ = true;
}

std::unique_ptr<connect::Catalog> Run::CatalogFor(int process) {
  if (!is_twin_) return lake_.CatalogFor(process);
  return engine::NewTwinCatalog(lake_.CatalogFor(process), other_lake_.CatalogFor(process), {});
}

void Run::Process(int id) {
  ++processes_;
  const auto catalog = CatalogFor(id);
  const bool starts_grown = contract_changed_;
  auto outcome = RunBy(starts_grown ? grown_ : spec_, id, *catalog);
  if (outcome && outcome->reason == engine::StopReason::kContractWaits) {
    world_.faults().Count(Fault::kContractTakenUp);
    outcome = RunBy(grown_, id, *catalog);
  }
  const std::string end = End(outcome, id);
  if (verbose_) std::fprintf(stderr, "  process %d: %s\n", id, end.c_str());
}

Result<engine::RunSummary> Run::RunBy(const config::PipelineSpec& spec, int id,
                                      connect::Catalog& catalog) {
  ProcessStore state(world_, id, state_);
  SimSource source(world_, id, log_, calm_ ? 0 : 0.01);
  engine::PipelineParts parts{
      .clock = world_.clock(),
      .state = state,
      .catalog = catalog,
      .source = source,
      .open_store = [&](const std::string&) -> Result<std::unique_ptr<io::Store>> {
        return std::unique_ptr<io::Store>(std::make_unique<ProcessStore>(world_, id, files_));
      },
      .apply_turn = [this] { return world_.random().Chance(0.5); },
      .keep_records = static_cast<std::int64_t>(world_.random().Below(3))};
  engine::RunOptions options;
  options.once = true;
  options.version = "sim";
  options.contract_waits = [&] { return TakesUp(spec, catalog); };
  WEIR_ASSIGN_OR_RETURN(auto pipeline, engine::Pipeline::Start(spec, parts, std::move(options)));
  return pipeline->Run();
}

// A running process looks at the file from time to time.
bool Run::TakesUp(const config::PipelineSpec& spec, connect::Catalog& catalog) {
  if (!contract_changed_ || &spec == &grown_ || !world_.random().Chance(0.3)) return false;
  return engine::EvolveTables(grown_, spec.contract, catalog).ok();
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
  for (SimLake* lake : {&lake_, &other_lake_}) {
    lake->Calm();
    lake->RollForward();
  }
  ChangeContract();
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

// By which contract an offset was read, and so what its row must say.
std::string Run::WantedCoupon(Partition partition, std::int64_t offset) const {
  const state::ContractEntry* in_force = nullptr;
  for (const state::ContractEntry& entry : contracts_) {
    const auto from = entry.from.find(partition);
    // A partition that was not there yet is read from its beginning by whoever finds it.
    if (from == entry.from.end() || from->second.value() <= offset) in_force = &entry;
  }
  const bool is_grown =
      in_force != nullptr && in_force->hash == config::ContractHash(grown_.contract);
  return is_grown ? std::to_string(offset) : "";
}

std::string Run::ReadContracts() {
  state::StateLog log(*state_inner_);
  auto contracts = log.Contracts();
  if (!contracts) return contracts.error().ToString();
  contracts_ = *std::move(contracts);
  if (!std::ranges::is_sorted(contracts_, {}, &state::ContractEntry::claim))
    return "contracts are recorded in another order than that of their claims";
  return {};
}

// Columns: partition, offset and, where the table has it, coupon.
std::string Run::CheckRows(const Batch& batch, Offsets& found) const {
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    const Partition partition(batch.columns[0].Int(row));
    const std::int64_t offset = batch.columns[1].Long(row);
    found[partition].insert(offset);
    if (batch.columns.size() < 3) continue;
    const Column& coupon = batch.columns[2];
    const std::string is = coupon.IsNull(row) ? "" : std::string(coupon.String(row));
    const std::string wanted = WantedCoupon(partition, offset);
    if (is != wanted)
      return fmt::format("partition {} offset {} has the coupon '{}' instead of '{}'",
                         partition.value(), offset, is, wanted);
  }
  return {};
}

std::string Run::CheckTable(SimLake& lake, const std::string& name, RecordKind kind) {
  auto table = lake.tables().find(name);
  Offsets found;
  if (table != lake.tables().end()) {
    auto projection = std::make_shared<Schema>();
    // The ids in the files are those of the side that leads.
    const Schema& schema = lake_.tables().at(name).definition.schema;
    for (const char* column : {"partition", "offset", "coupon"}) {
      if (const auto index = schema.IndexOf(column)) {
        projection->fields.push_back(schema.fields[*index]);
      }
    }
    for (const auto& file : table->second.version.files) {
      auto reader = parquet::DataFileReader::Open(*files_inner_, file.path);
      if (!reader) return fmt::format("{}: {}", name, reader.error().ToString());
      if (auto selected = (*reader)->Select(projection); !selected)
        return selected.error().ToString();
      for (;;) {
        auto batch = (*reader)->Next();
        if (!batch) return batch.error().ToString();
        if (!*batch) break;
        if (auto wrong = CheckRows(**batch, found); !wrong.empty()) return wrong;
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
  if (auto wrong = ReadContracts(); !wrong.empty()) return wrong;
  if (contract_changed_ && !lake_.tables().at(kValid).definition.schema.IndexOf("coupon"))
    return "the table did not get the field that the contract gained";
  for (SimLake* lake : {&lake_, &other_lake_}) {
    if (lake == &other_lake_ && !is_twin_) continue;
    for (const auto& [table, kind] :
         {std::pair(kValid, RecordKind::kGood), std::pair(kBad, RecordKind::kBad)})
      if (auto wrong = CheckTable(*lake, table, kind); !wrong.empty()) return wrong;
  }
  return CheckLedger();
}

HistoryResult Run::Go() {
  Faults& faults = world_.faults();
  const std::int64_t before = faults.total();
  ObserveFailPoints([this](FailPoint point) {
    if (point == FailPoint::kRecordAfter) ++epochs_;
    if (point == FailPoint::kContractRecorded) contract_recorded_ = true;
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
