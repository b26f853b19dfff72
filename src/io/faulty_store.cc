#include "io/faulty_store.h"

#include "base/check.h"
#include "io/object_key.h"

namespace weir::io {
namespace {

enum class Effect { kNothing, kDone, kLater };

constexpr unsigned Bit(StoreCall call) { return 1U << static_cast<unsigned>(call); }

constexpr unsigned kPowerLoss = 0;
constexpr unsigned kDeletes = Bit(StoreCall::kDelete);
constexpr unsigned kWrites = Bit(StoreCall::kPutIfAbsent) | Bit(StoreCall::kPut) |
                             Bit(StoreCall::kCreate) | Bit(StoreCall::kAppend) |
                             Bit(StoreCall::kFinish);
constexpr unsigned kChanges = Bit(StoreCall::kPutIfAbsent) | Bit(StoreCall::kPut) |
                              Bit(StoreCall::kDelete) | Bit(StoreCall::kFinish);
constexpr unsigned kAll = Bit(StoreCall::kCount) - 1;

struct FaultRow {
  std::string_view name;
  unsigned calls;
  Effect effect;
  ErrorKind kind;
  ErrorCode code;
  std::string_view message;
};

constexpr std::array<FaultRow, kStoreFaults> kFaults = {{
#define WEIR_STORE_FAULT(id, name, calls, effect, kind, code, message) \
  {name, calls, Effect::effect, ErrorKind::kind, ErrorCode::code, message},
#include "io/store_fault.inc"
#undef WEIR_STORE_FAULT
}};

const FaultRow& RowOf(StoreFault fault) { return kFaults[static_cast<std::size_t>(fault)]; }

bool MayBeUnknown(StoreCall call) {
  return call == StoreCall::kPutIfAbsent || call == StoreCall::kFinish;
}

}  // namespace

std::string_view ToString(StoreFault fault) { return RowOf(fault).name; }

void FaultyStore::SetProbability(StoreFault fault, double probability) {
  const std::lock_guard lock(mutex_);
  probability_[static_cast<std::size_t>(fault)] = probability;
}

void FaultyStore::Script(StoreFault fault, StoreCall call, int nth, std::string key_prefix) {
  WEIR_CHECK(nth >= 1);
  WEIR_CHECK((RowOf(fault).calls & Bit(call)) != 0);  // else the test would wait for nothing
  const std::lock_guard lock(mutex_);
  script_.push_back({fault, call, nth, std::move(key_prefix)});
}

void FaultyStore::SetMaxDelay(std::uint64_t calls) {
  const std::lock_guard lock(mutex_);
  max_delay_ = calls;
}

void FaultyStore::Settle() {
  const std::lock_guard lock(mutex_);
  for (Late& late : late_) static_cast<void>(late.change());
  late_.clear();
}

void FaultyStore::LosePower() {
  const std::lock_guard lock(mutex_);
  late_.clear();
  const auto vanishes = static_cast<std::size_t>(StoreFault::kVanishes);
  for (const std::string& key : unseen_) {
    if (!random_.Chance(probability_[vanishes]) || !inner_.Delete(key).ok()) continue;
    ++fired_[vanishes];
  }
  unseen_.clear();
}

std::int64_t FaultyStore::fired(StoreFault fault) const {
  const std::lock_guard lock(mutex_);
  return fired_[static_cast<std::size_t>(fault)];
}

// Every script line counts each of its calls, also where another one fires.
bool FaultyStore::Fires(StoreFault fault, StoreCall call, std::string_view key) {
  bool fires = false;
  for (Scripted& line : script_) {
    if (line.fault != fault || line.call != call || !key.starts_with(line.key_prefix)) continue;
    fires |= --line.nth == 0;
  }
  std::erase_if(script_, [](const Scripted& line) { return line.nth <= 0; });
  const double probability = probability_[static_cast<std::size_t>(fault)];
  if ((RowOf(fault).calls & Bit(call)) == 0 || probability <= 0) return fires;
  return random_.Chance(probability) || fires;
}

Status FaultyStore::Meet(StoreCall call, std::string_view key, std::function<Status()> change) {
  MoveTime();
  std::optional<StoreFault> met;
  for (std::size_t i = 0; i < kStoreFaults; ++i) {
    const auto fault = static_cast<StoreFault>(i);
    if (Fires(fault, call, key) && !met) met = fault;
  }
  if (!met) return Ok();
  ++fired_[static_cast<std::size_t>(*met)];
  const FaultRow& row = RowOf(*met);
  if (row.effect == Effect::kDone && change().ok() && call != StoreCall::kDelete) {
    unseen_.emplace(key);
  }
  if (row.effect == Effect::kLater) {
    late_.push_back({1 + random_.Below(max_delay_), std::move(change)});
  }
  const bool untold = row.kind == ErrorKind::kCommitUnknown && !MayBeUnknown(call);
  return Error{.kind = untold ? ErrorKind::kUnavailable : row.kind,
               .code = row.code,
               .message = std::string(key) + ": " + std::string(row.message),
               .remedy = {}};
}

// One call is one tick. What is due arrives before the call that meets it.
void FaultyStore::MoveTime() {
  std::vector<Late> due;
  for (Late& late : late_) {
    if (--late.calls_left == 0) due.push_back(std::move(late));
  }
  std::erase_if(late_, [](const Late& late) { return late.calls_left == 0; });
  for (Late& late : due) static_cast<void>(late.change());
}

// Somebody finished a call in a folder, and with that made durable what it holds.
void FaultyStore::Come(std::string_view folder) {
  std::erase_if(unseen_, [&](const std::string& key) { return FolderOf(key) == folder; });
}

Result<PutOutcome> FaultyStore::PutIfAbsent(std::string_view key, std::string_view bytes) {
  WEIR_TRY(CheckKey(key));
  const std::lock_guard lock(mutex_);
  const auto put = [this, key = std::string(key), bytes = std::string(bytes)]() -> Status {
    WEIR_TRY(inner_.PutIfAbsent(key, bytes));
    return Ok();
  };
  WEIR_TRY(Meet(StoreCall::kPutIfAbsent, key, put));
  WEIR_ASSIGN_OR_RETURN(const PutOutcome outcome, inner_.PutIfAbsent(key, bytes));
  Come(FolderOf(key));
  return outcome;
}

Status FaultyStore::Put(std::string_view key, std::string_view bytes) {
  WEIR_TRY(CheckKey(key));
  const std::lock_guard lock(mutex_);
  WEIR_TRY(Meet(StoreCall::kPut, key, [this, key = std::string(key), bytes = std::string(bytes)] {
    return inner_.Put(key, bytes);
  }));
  WEIR_TRY(inner_.Put(key, bytes));
  Come(FolderOf(key));
  return Ok();
}

Result<std::string> FaultyStore::Get(std::string_view key) {
  WEIR_TRY(CheckKey(key));
  const std::lock_guard lock(mutex_);
  WEIR_TRY(Meet(StoreCall::kGet, key));
  Come(FolderOf(key));
  return inner_.Get(key);
}

Result<ObjectInfo> FaultyStore::Head(std::string_view key) {
  WEIR_TRY(CheckKey(key));
  const std::lock_guard lock(mutex_);
  WEIR_TRY(Meet(StoreCall::kHead, key));
  Come(FolderOf(key));
  return inner_.Head(key);
}

Result<std::vector<ObjectInfo>> FaultyStore::List(std::string_view prefix) {
  WEIR_TRY(CheckPrefix(prefix));
  const std::lock_guard lock(mutex_);
  WEIR_TRY(Meet(StoreCall::kList, prefix));
  std::erase_if(unseen_, [&](const std::string& key) { return key.starts_with(prefix); });
  return inner_.List(prefix);
}

Status FaultyStore::Delete(std::string_view key) {
  WEIR_TRY(CheckKey(key));
  const std::lock_guard lock(mutex_);
  WEIR_TRY(
      Meet(StoreCall::kDelete, key, [this, key = std::string(key)] { return inner_.Delete(key); }));
  return inner_.Delete(key);
}

class FaultyStream final : public OutputStream {
 public:
  FaultyStream(FaultyStore& store, std::string_view key, std::unique_ptr<OutputStream> inner)
      : store_(store), key_(key), inner_(std::move(inner)) {}

  Status Append(std::string_view bytes) override {
    const std::lock_guard lock(store_.mutex_);
    Status met = store_.Meet(StoreCall::kAppend, key_);
    if (met.ok()) met = inner_->Append(bytes);
    if (!met) broken_ = true;
    return met;
  }

  std::int64_t size() const override { return inner_->size(); }

  Status Finish() override {
    const std::lock_guard lock(store_.mutex_);
    if (broken_) return Unavailable(key_ + ": an earlier write failed", ErrorCode::kStorageFailed);
    broken_ = true;  // whatever comes of it, it is over
    WEIR_TRY(store_.Meet(StoreCall::kFinish, key_, [inner = inner_] { return inner->Finish(); }));
    WEIR_TRY(inner_->Finish());
    store_.Come(FolderOf(key_));
    return Ok();
  }

 private:
  FaultyStore& store_;
  std::string key_;
  std::shared_ptr<OutputStream> inner_;  // a late Finish outlives the stream
  bool broken_ = false;
};

Result<std::unique_ptr<OutputStream>> FaultyStore::Create(std::string_view key) {
  WEIR_TRY(CheckKey(key));
  const std::lock_guard lock(mutex_);
  WEIR_TRY(Meet(StoreCall::kCreate, key));
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<OutputStream> inner, inner_.Create(key));
  return std::make_unique<FaultyStream>(*this, key, std::move(inner));
}

}  // namespace weir::io
