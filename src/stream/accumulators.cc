#include "stream/accumulators.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "stream/distinct_set.h"
#include "stream/exact_sum.h"
#include "stream/row_key.h"
#include "stream/wide_sum.h"

namespace weir::stream {

namespace {

// State of one kind for each group; what the kinds share.
template <typename State>
class PerGroup : public Accumulators {
 public:
  void Grow(std::size_t groups) final { states_.resize(groups); }
  void Write(std::uint32_t slot, WireWriter& out) const final { states_[slot].Write(out); }
  void Read(std::uint32_t slot, WireReader& in) final {
    states_[slot] = State();
    states_[slot].Read(in);
  }
  std::size_t bytes() const final {
    std::size_t bytes = states_.capacity() * sizeof(State);
    for (const State& state : states_) bytes += state.bytes();
    return bytes;
  }

 protected:
  std::vector<State> states_;
};

struct RowCount {
  std::int64_t count = 0;
  void Write(WireWriter& out) const { out.Zigzag(count); }
  void Read(WireReader& in) {
    count = in.Zigzag();
    if (count < 0) in.Fail();
  }
  static std::size_t bytes() { return 0; }
};

class Counts final : public PerGroup<RowCount> {
 public:
  void Add(const Column& /*column*/, std::span<const std::uint32_t> /*rows*/,
           std::span<const std::uint32_t> slots) override {
    RowCount* counts = states_.data();
    for (const std::uint32_t slot : slots) ++counts[slot].count;
  }
  void Append(std::uint32_t slot, Column* out) const override {
    out->AppendLong(states_[slot].count);
  }
};

Int128 WholeValue(const Column& column, std::uint32_t row) {
  switch (column.type().kind) {
    case TypeKind::kBoolean:
      return column.Boolean(row) ? 1 : 0;
    case TypeKind::kInt:
    case TypeKind::kDate:
      return column.Int(row);
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return column.Long(row);
    case TypeKind::kDecimal:
      return column.Decimal(row);
    default:
      WEIR_CHECK(false);
      return 0;
  }
}

void AppendWhole(Int128 value, Column* out) {
  switch (out->type().kind) {
    case TypeKind::kBoolean:
      return out->AppendBoolean(value != 0);
    case TypeKind::kInt:
    case TypeKind::kDate:
      return out->AppendInt(static_cast<std::int32_t>(value));
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return out->AppendLong(static_cast<std::int64_t>(value));
    default:
      return out->AppendDecimal(value);
  }
}

double RealValue(const Column& column, std::uint32_t row) {
  return column.type().kind == TypeKind::kFloat ? static_cast<double>(column.Float(row))
                                                : column.Double(row);
}

// Sum and number of values.
template <typename Sum>
struct Total {
  Sum sum;
  std::uint64_t count = 0;
  void Write(WireWriter& out) const {
    out.Varint(count);
    if (count > 0) sum.Write(out);
  }
  void Read(WireReader& in) {
    count = in.Varint();
    if (count > 0) sum.Read(in);
  }
  std::size_t bytes() const {
    if constexpr (requires { sum.bytes(); }) return sum.bytes();
    return 0;
  }
};

class WholeTotals final : public PerGroup<Total<WideSum>> {
 public:
  WholeTotals(bool average, int digits, std::int64_t* overflows)
      : average_(average), digits_(digits), overflows_(overflows) {}

  void Add(const Column& column, std::span<const std::uint32_t> rows,
           std::span<const std::uint32_t> slots) override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (column.IsNull(rows[i])) continue;
      states_[slots[i]].sum.Add(WholeValue(column, rows[i]));
      ++states_[slots[i]].count;
    }
  }
  void Append(std::uint32_t slot, Column* out) const override {
    const auto& [sum, count] = states_[slot];
    if (count == 0) return out->AppendNull();
    if (out->type().kind == TypeKind::kDouble) {
      if (const auto value = sum.AverageDouble(count)) return out->AppendDouble(*value);
    } else if (const auto value = average_ ? sum.Average(count, digits_) : sum.Value()) {
      return out->AppendDecimal(*value);
    }
    ++*overflows_;
    out->AppendNull();
  }

 private:
  bool average_;
  int digits_;  // of the average, more than its input has
  std::int64_t* overflows_;
};

class RealTotals final : public PerGroup<Total<ExactSum>> {
 public:
  explicit RealTotals(bool average) : average_(average) {}

  void Add(const Column& column, std::span<const std::uint32_t> rows,
           std::span<const std::uint32_t> slots) override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (column.IsNull(rows[i])) continue;
      states_[slots[i]].sum.Add(RealValue(column, rows[i]));
      ++states_[slots[i]].count;
    }
  }
  void Append(std::uint32_t slot, Column* out) const override {
    const auto& [sum, count] = states_[slot];
    if (count == 0) return out->AppendNull();
    out->AppendDouble(average_ ? sum.Average(count) : sum.Rounded());
  }

 private:
  bool average_;
};

// The least or greatest value, as the bytes of a RowKey, whose order is that of the values. Empty:
// none yet.
struct ExtremeValue {
  std::string key;
  void Write(WireWriter& out) const { out.Text(key); }
  void Read(WireReader& in) { key = in.Text(); }
  std::size_t bytes() const { return key.capacity() > 15 ? key.capacity() + 1 : 0; }
};

class Extremes final : public PerGroup<ExtremeValue> {
 public:
  explicit Extremes(bool greatest) : greatest_(greatest) {}

  void Add(const Column& column, std::span<const std::uint32_t> rows,
           std::span<const std::uint32_t> slots) override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (column.IsNull(rows[i])) continue;
      key_.clear();
      AppendKeyPart(column, rows[i], &key_);
      std::string& kept = states_[slots[i]].key;
      if (kept.empty() || (greatest_ ? key_ > kept : key_ < kept)) kept = key_;
    }
  }
  void Append(std::uint32_t slot, Column* out) const override {
    std::string_view key = states_[slot].key;
    // State that is no value of the type is taken for none.
    if (key.empty() || !TakeKeyPart(&key, out)) out->AppendNull();
  }

 private:
  bool greatest_;
  std::string key_;
};

struct WholeExtreme {
  Int128 value = 0;
  bool any = false;
  void Write(WireWriter& out) const {
    out.Byte(any ? 1 : 0);
    if (!any) return;
    out.Fixed64(static_cast<std::uint64_t>(value));
    out.Fixed64(static_cast<std::uint64_t>(static_cast<UInt128>(value) >> 64));
  }
  void Read(WireReader& in) {
    any = in.Byte() != 0;
    if (!any) return;
    UInt128 bits = in.Fixed64();
    bits |= static_cast<UInt128>(in.Fixed64()) << 64;
    value = static_cast<Int128>(bits);
  }
  static std::size_t bytes() { return 0; }
};

class WholeExtremes final : public PerGroup<WholeExtreme> {
 public:
  explicit WholeExtremes(bool greatest) : greatest_(greatest) {}

  void Add(const Column& column, std::span<const std::uint32_t> rows,
           std::span<const std::uint32_t> slots) override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (column.IsNull(rows[i])) continue;
      const Int128 value = WholeValue(column, rows[i]);
      WholeExtreme& kept = states_[slots[i]];
      if (!kept.any || (greatest_ ? value > kept.value : value < kept.value)) kept = {value, true};
    }
  }
  void Append(std::uint32_t slot, Column* out) const override {
    if (states_[slot].any) return AppendWhole(states_[slot].value, out);
    out->AppendNull();
  }

 private:
  bool greatest_;
};

class DistinctCounts final : public PerGroup<DistinctSet> {
 public:
  void Add(const Column& column, std::span<const std::uint32_t> rows,
           std::span<const std::uint32_t> slots) override {
    // A large set costs a miss a row; asked for early, those of a block overlap.
    constexpr std::size_t kBlock = 64;
    std::array<std::pair<DistinctSet*, DistinctSet::Print>, kBlock> block;
    for (std::size_t done = 0; done < rows.size(); done += kBlock) {
      std::size_t n = 0;
      for (std::size_t i = done; i < std::min(done + kBlock, rows.size()); ++i) {
        if (column.IsNull(rows[i])) continue;
        block[n] = {&states_[slots[i]], DistinctSet::PrintOf(key_.Of(column, rows[i]))};
        block[n].first->Prefetch(block[n].second);
        ++n;
      }
      for (std::size_t i = 0; i < n; ++i) block[i].first->Insert(block[i].second);
    }
  }
  void Append(std::uint32_t slot, Column* out) const override {
    out->AppendLong(static_cast<std::int64_t>(states_[slot].size()));
  }

 private:
  ValueKey key_;
};

bool IsReal(const Type& type) {
  return type.kind == TypeKind::kFloat || type.kind == TypeKind::kDouble;
}

bool IsWhole(const Type& type) {
  return type.kind == TypeKind::kBoolean || type.kind == TypeKind::kInt ||
         type.kind == TypeKind::kLong || type.kind == TypeKind::kDecimal ||
         type.kind == TypeKind::kDate || type.kind == TypeKind::kTimestamp;
}

}  // namespace

std::unique_ptr<Accumulators> MakeAccumulators(AggregateKind kind, const Type& input,
                                               const Type& output, std::int64_t* overflows) {
  const bool average = kind == AggregateKind::kAvg;
  const bool greatest = kind == AggregateKind::kMax;
  switch (kind) {
    case AggregateKind::kCount:
      return std::make_unique<Counts>();
    case AggregateKind::kCountDistinct:
      return std::make_unique<DistinctCounts>();
    case AggregateKind::kSum:
    case AggregateKind::kAvg: {
      if (IsReal(input)) return std::make_unique<RealTotals>(average);
      const int digits = input.kind == TypeKind::kDecimal ? output.scale - input.scale : 0;
      return std::make_unique<WholeTotals>(average, average ? digits : 0, overflows);
    }
    case AggregateKind::kMin:
    case AggregateKind::kMax:
      if (IsWhole(input)) return std::make_unique<WholeExtremes>(greatest);
      return std::make_unique<Extremes>(greatest);
  }
  WEIR_CHECK(false);
  return nullptr;
}

}  // namespace weir::stream
