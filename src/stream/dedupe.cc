#include "stream/dedupe.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "base/check.h"
#include "stream/dedupe_state.h"
#include "stream/fingerprint.h"
#include "stream/fingerprint_table.h"
#include "stream/touch.h"

namespace weir::stream {

namespace {

// Rows whose buckets are read together.
constexpr std::size_t kBlock = 64;
constexpr std::size_t kLooseDelta = 4'096;  // admitted keys that are kept in any case

// A look into every other partition for every row would cost more than all the rest. Up to this
// many keys each row is looked up; above, a sample by fingerprint.
constexpr std::size_t kLookAtAll = std::size_t{1} << 15;

// Sweeping goes on by this many slots a call, in tables that are not small.
constexpr std::size_t kSweptSlots = std::size_t{4} << 20;
constexpr std::size_t kSmallTable = std::size_t{1} << 16;

// The least event time that still holds a key.
Micros FloorAt(Micros watermark, Micros horizon) {
  const bool fits = watermark > kNoWatermark + horizon;
  return fits ? watermark - horizon : kNoWatermark;
}

// The keys of one partition. `far` takes the times that the layout cannot keep beside the others,
// which is rare, or never.
template <typename Layout>
struct Shard {
  FingerprintTable<Layout> table;
  std::unique_ptr<FingerprintTable<ExactLayout>> far;
  Micros floor = kNoWatermark;
  Micros drop = kNoWatermark;     // floor when the block at hand began
  std::vector<HeldKey> admitted;  // since the last write
  bool wrote_too_many = false;    // `admitted` was given up: the delta is all that is held
  std::size_t sweep_at = 0;       // part of the table
  Micros swept = kNoWatermark;    // floor of the last whole sweep

  // As the table's; what the other table holds is not settled by a home.
  std::optional<Held> HoldAtHome(const Fingerprint& print, typename Layout::Bucket* home,
                                 Micros time) {
    if (far) return std::nullopt;
    return table.HoldAtHome(print, home, time, floor, drop);
  }
  // As the table's. A key is in one of the two; in `far`, which takes all times, it stays.
  Held Hold(const Fingerprint& print, Micros time, Micros held_from, Micros dropped) {
    if (!far || !far->IsHeld(print, kNoWatermark)) {
      const Held held = table.Hold(print, time, held_from, dropped);
      if (held != Held::kDoesNotFit) return held;
      if (!far) far = std::make_unique<FingerprintTable<ExactLayout>>();
    }
    return far->Hold(print, time, held_from, dropped);
  }
  bool IsHeld(const Fingerprint& print) const {
    return table.IsHeld(print, floor) || (far && far->IsHeld(print, floor));
  }
  std::size_t keys() const { return table.keys() + (far ? far->keys() : 0); }
  std::size_t bytes() const {
    return table.bytes() + (far ? far->bytes() : 0) + admitted.capacity() * sizeof(HeldKey);
  }

  // A row that was admitted.
  void Note(const Fingerprint& print, Micros time) {
    if (!wrote_too_many && !print.is_none()) admitted.push_back({print, time});
  }
  // Nobody writes deltas, or one would be longer than a base: that is what it is then.
  void LimitAdmitted() {
    if (admitted.size() <= std::max(kLooseDelta, keys())) return;
    ForgetAdmitted();
    wrote_too_many = true;
  }
  void ForgetAdmitted() {
    // An epoch is much like the one before, so its room is kept unless it was far too much.
    if (admitted.capacity() > 4 * admitted.size() + kLooseDelta) admitted.shrink_to_fit();
    admitted.clear();
    wrote_too_many = false;
  }
  std::vector<HeldKey> All() const {
    std::vector<HeldKey> all;
    all.reserve(keys());
    const auto visit = [&](const Fingerprint& print, Micros time) { all.push_back({print, time}); };
    table.Visit(floor, visit);
    if (far) far->Visit(floor, visit);
    return all;
  }

  void Sweep() {
    constexpr std::size_t kParts = FingerprintTable<Layout>::kParts;
    const bool small = table.keys() <= kSmallTable;
    std::size_t seen = 0;
    for (std::size_t steps = 0; steps < kParts && (small || seen < kSweptSlots); ++steps) {
      seen += table.Sweep(sweep_at, sweep_at + 1, floor, small ? table.keys() + 1 : 8);
      sweep_at = (sweep_at + 1) % kParts;
      if (sweep_at == 0) swept = floor;
    }
    if (far) far->Sweep(0, kParts, floor, far->keys() + 1);
  }
};

}  // namespace

class Dedupe::Impl {
 public:
  virtual ~Impl() = default;
  virtual void Admit(const Batch& batch, std::vector<EventRow>* rows,
                     std::vector<EventRow>* duplicates) = 0;
  virtual void Sweep(Partition partition, Micros watermark) = 0;
  virtual std::size_t keys() const = 0;
  virtual std::size_t bytes() const = 0;
  virtual void Write(Partition partition, bool base, WireWriter& out) = 0;
  virtual Status Read(Partition partition, WireReader& in) = 0;
  std::int64_t cross_partition_keys() const { return cross_; }

 protected:
  std::int64_t cross_ = 0;
};

template <typename Layout>
class Dedupe::Shards final : public Impl {
 public:
  Shards(const Schema& schema, const DedupeRules& rules)
      : fingerprinter_(schema, rules.key), horizon_(rules.horizon) {}

  void Admit(const Batch& batch, std::vector<EventRow>* rows,
             std::vector<EventRow>* duplicates) override {
    sample_ = SampleMask();
    const std::span<EventRow> all(*rows);
    const std::size_t most = CountsAll() ? 1 : kBlock;
    std::size_t kept = 0;
    for (std::size_t begin = 0; begin < all.size();) {
      const auto block = OfOnePartition(all.subspan(begin, std::min(most, all.size() - begin)));
      Shard<Layout>& shard = shards_[block.front().partition];
      HoldBlock(batch, block, shard);
      for (std::size_t i = 0; i < block.size(); ++i) {
        if (is_first_[i]) {
          shard.Note(prints_[i], block[i].event_time);
          all[kept++] = block[i];
        } else {
          duplicates->push_back(block[i]);
        }
      }
      shard.LimitAdmitted();
      begin += block.size();
    }
    rows->resize(kept);
  }

  void Sweep(Partition partition, Micros watermark) override {
    const auto found = shards_.find(partition);
    if (found == shards_.end()) return;
    Shard<Layout>& shard = found->second;
    shard.floor = std::max(shard.floor, FloorAt(watermark, horizon_));
    // A large table is gone through again when an eighth of what it holds may have gone.
    const bool due = shard.table.keys() <= kSmallTable || shard.sweep_at != 0 ||
                     shard.swept == kNoWatermark || shard.floor - shard.swept >= horizon_ / 8;
    if (shard.floor != kNoWatermark && due) shard.Sweep();
  }

  std::size_t keys() const override {
    std::size_t keys = 0;
    for (const auto& [partition, shard] : shards_) keys += shard.keys();
    return keys;
  }
  std::size_t bytes() const override {
    std::size_t bytes = sizeof *this;
    for (const auto& [partition, shard] : shards_) bytes += shard.bytes();
    return bytes;
  }

  void Write(Partition partition, bool base, WireWriter& out) override {
    const DedupeStateKind kind{fingerprinter_.key_id(), Layout::kCompact};
    const auto found = shards_.find(partition);
    if (found == shards_.end()) {
      WriteHeldKeys(kind, {}, out);
      return;
    }
    Shard<Layout>& shard = found->second;
    if (base || shard.wrote_too_many) {
      WriteHeldKeys(kind, shard.All(), out);
    } else {
      WriteHeldKeys(kind, shard.admitted, out);
    }
    shard.ForgetAdmitted();
  }

  Status Read(Partition partition, WireReader& in) override {
    const DedupeStateKind kind{fingerprinter_.key_id(), Layout::kCompact};
    Shard<Layout>& shard = shards_[partition];
    shard.ForgetAdmitted();
    HeldKeyReader reader(kind, in);
    WEIR_TRY(reader.Open());
    constexpr std::size_t kLeastBytes = 9;  // of a key, whatever the header says
    shard.table.Expect(std::min<std::size_t>(reader.left(), in.remaining() / kLeastBytes));
    std::array<Bucket*, kBlock> homes;
    while (reader.left() > 0) {
      WEIR_ASSIGN_OR_RETURN(const std::span<const HeldKey> keys, reader.Next());
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i % kBlock == 0) {
          const auto block = keys.subspan(i, std::min(kBlock, keys.size() - i));
          std::ranges::transform(block, homes.begin(),
                                 [&](const HeldKey& key) { return shard.table.HomeOf(key.print); });
          Touch<Bucket>({homes.data(), block.size()});
        }
        // Of two times of a key the later counts, and nothing is dropped.
        const Micros time = keys[i].time;
        shard.Hold(Layout::Kept(keys[i].print), time, time, kNoWatermark);
      }
    }
    shard.table.Expect(0);
    return Ok();
  }

 private:
  using Bucket = typename Layout::Bucket;

  // The first of these rows, as far as their partition is one.
  static std::span<EventRow> OfOnePartition(std::span<EventRow> rows) {
    const auto other = std::ranges::find_if(
        rows, [&](const EventRow& row) { return row.partition != rows.front().partition; });
    return {rows.begin(), other};
  }

  // Rows of one partition: which are the first of their keys. Homes are read all at once; rows that
  // these do not settle wait until the others have passed, and the buckets behind are read at once
  // as well. They do so in their order, and with the floors of their turn, so the answers are those
  // of one row after the other; and meanwhile nothing is dropped that held when the block began.
  void HoldBlock(const Batch& batch, std::span<const EventRow> rows, Shard<Layout>& shard) {
    fingerprinter_.Compute(batch, rows, prints_);
    std::array<Bucket*, kBlock> homes;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      prints_[i] = Layout::Kept(prints_[i]);
      homes[i] = shard.table.HomeOf(prints_[i]);
    }
    Touch<Bucket>({homes.data(), rows.size()});
    shard.drop = shard.floor;
    std::array<std::uint8_t, kBlock> waiting;
    std::array<Micros, kBlock> floors;
    std::size_t n = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Fingerprint& print = prints_[i];
      shard.floor = std::max(shard.floor, FloorAt(rows[i].watermark, horizon_));
      floors[i] = shard.floor;
      is_first_[i] = true;
      if (print.is_none()) continue;  // equals no other
      const auto held = shard.HoldAtHome(print, homes[i], rows[i].event_time);
      if (held) {
        Settle(rows[i], print, *held, i);
      } else {
        if (homes[i] != nullptr) homes[i] = shard.table.NextOf(print, homes[i]);
        homes[n] = homes[i];
        waiting[n++] = static_cast<std::uint8_t>(i);
      }
    }
    Touch<Bucket>({homes.data(), n});
    for (std::size_t w = 0; w < n; ++w) {
      const std::size_t i = waiting[w];
      const Held held = shard.Hold(prints_[i], rows[i].event_time, floors[i], shard.drop);
      Settle(rows[i], prints_[i], held, i);
    }
  }

  void Settle(const EventRow& row, const Fingerprint& print, Held held, std::size_t i) {
    is_first_[i] = held == Held::kAdded;
    if (!is_first_[i] || shards_.size() == 1 || (print.low & sample_) != 0) return;
    for (const auto& [partition, other] : shards_) {
      if (partition == row.partition || !other.IsHeld(print)) continue;
      cross_ += static_cast<std::int64_t>(sample_) + 1;
      break;
    }
  }

  // Whether all keys are counted that another partition holds. What it holds when a row comes is
  // known only if the rows go one by one.
  bool CountsAll() const { return shards_.size() > 1 && sample_ == 0; }

  // Such that a row costs a quarter of a look into another partition.
  std::uint64_t SampleMask() const {
    if (shards_.size() < 2 || keys() <= kLookAtAll) return 0;
    return std::bit_ceil(4 * (shards_.size() - 1)) - 1;
  }

  Fingerprinter fingerprinter_;
  Micros horizon_;
  std::map<Partition, Shard<Layout>> shards_;
  std::array<Fingerprint, kBlock> prints_;  // of the rows of a block
  std::array<bool, kBlock> is_first_;       // the same
  std::uint64_t sample_ = 0;
};

Dedupe::Dedupe(const Schema& schema, const DedupeRules& rules) {
  WEIR_CHECK(!rules.key.empty() && rules.horizon >= 0);
  if (rules.compact) {
    impl_ = std::make_unique<Shards<CompactLayout>>(schema, rules);
  } else {
    impl_ = std::make_unique<Shards<ExactLayout>>(schema, rules);
  }
}
Dedupe::~Dedupe() = default;
Dedupe::Dedupe(Dedupe&&) noexcept = default;
Dedupe& Dedupe::operator=(Dedupe&&) noexcept = default;

void Dedupe::Admit(const Batch& batch, std::vector<EventRow>* rows,
                   std::vector<EventRow>* duplicates) {
  impl_->Admit(batch, rows, duplicates);
}
void Dedupe::Sweep(Partition partition, Micros watermark) { impl_->Sweep(partition, watermark); }
std::size_t Dedupe::keys() const { return impl_->keys(); }
std::size_t Dedupe::bytes() const { return impl_->bytes(); }
std::int64_t Dedupe::cross_partition_keys() const { return impl_->cross_partition_keys(); }
void Dedupe::WriteDelta(Partition partition, WireWriter& out) {
  impl_->Write(partition, false, out);
}
void Dedupe::WriteBase(Partition partition, WireWriter& out) { impl_->Write(partition, true, out); }
Status Dedupe::Read(Partition partition, WireReader& in) { return impl_->Read(partition, in); }

}  // namespace weir::stream
