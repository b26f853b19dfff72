#pragma once
// FaultyStore: a store that misbehaves in all the ways that a store may, for tests and simulation.
//
// Faults fire by probability or by script ("the 3rd list from now"); all choices come from one
// seed, so a run on one thread repeats exactly. What it does stays within the contract of store.h:
// objects are whole, and a put that returned is there. A fault is one line of io/store_fault.inc.
// Safe from several threads, but then the order of the calls decides.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "io/store.h"

namespace weir::io {

enum class StoreFault {
#define WEIR_STORE_FAULT(id, ...) id,
#include "io/store_fault.inc"
#undef WEIR_STORE_FAULT
  kCount
};
inline constexpr auto kStoreFaults = static_cast<std::size_t>(StoreFault::kCount);

enum class StoreCall {
  kPutIfAbsent,
  kPut,
  kGet,
  kHead,
  kList,
  kDelete,
  kCreate,
  kAppend,
  kFinish,
  kCount
};

/// "reply_lost_done"
std::string_view ToString(StoreFault fault);

class FaultyStore final : public Store {
 public:
  /// `inner` must outlive this store.
  FaultyStore(Store& inner, std::uint64_t seed) : inner_(inner), random_(seed) {}

  /// How likely a fault is at each call that it applies to; 0 at first. 1 lasts until it is set
  /// back: a full disk.
  void SetProbability(StoreFault fault, double probability);
  /// Fires a fault at the n-th such call from now (1: the next) whose key starts with the prefix.
  void Script(StoreFault fault, StoreCall call, int nth, std::string key_prefix = {});
  /// How many further calls a change may be late at most; 20 at first.
  void SetMaxDelay(std::uint64_t calls);

  /// Everything that is still on its way arrives now.
  void Settle();
  /// The machine loses power: what is on its way is lost. Of the objects whose put got no reply,
  /// those vanish (with the probability of kVanishes) that nobody has come across since.
  void LosePower();

  /// How often a fault has fired.
  std::int64_t fired(StoreFault fault) const;

  Result<PutOutcome> PutIfAbsent(std::string_view key, std::string_view bytes) override;
  Status Put(std::string_view key, std::string_view bytes) override;
  Result<std::string> Get(std::string_view key) override;
  Result<ObjectInfo> Head(std::string_view key) override;
  Result<std::vector<ObjectInfo>> List(std::string_view prefix) override;
  Status Delete(std::string_view key) override;
  Result<std::unique_ptr<OutputStream>> Create(std::string_view key) override;
  std::string Describe() const override { return "faulty " + inner_.Describe(); }

 private:
  friend class FaultyStream;

  struct Scripted {
    StoreFault fault;
    StoreCall call;
    int nth;
    std::string key_prefix;
  };
  struct Late {
    std::uint64_t calls_left;
    std::function<Status()> change;
  };

  // All private members are called with mutex_ held.
  bool Fires(StoreFault fault, StoreCall call, std::string_view key);
  /// The error of the fault that meets this call, if any; then the call must not go on.
  Status Meet(StoreCall call, std::string_view key, std::function<Status()> change = {});
  void MoveTime();
  void Come(std::string_view folder);

  Store& inner_;
  mutable std::mutex mutex_;
  Random random_;
  std::uint64_t max_delay_ = 20;
  std::array<double, kStoreFaults> probability_{};
  std::array<std::int64_t, kStoreFaults> fired_{};
  std::vector<Scripted> script_;
  std::vector<Late> late_;
  std::set<std::string, std::less<>> unseen_;  // stored, but without a reply, and not found since
};

}  // namespace weir::io
