#include "record/column.h"

#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace weir {

namespace {

std::size_t WidthOf(TypeKind kind) {
  switch (kind) {
    case TypeKind::kBoolean:
      return 1;
    case TypeKind::kInt:
    case TypeKind::kFloat:
    case TypeKind::kDate:
      return 4;
    case TypeKind::kLong:
    case TypeKind::kDouble:
    case TypeKind::kTimestamp:
      return 8;
    case TypeKind::kDecimal:
    case TypeKind::kUuid:
      return 16;
    case TypeKind::kString:
    case TypeKind::kBinary:
    case TypeKind::kStruct:
    case TypeKind::kList:
    case TypeKind::kMap:
      return 0;
  }
  return 0;
}

bool HasOffsets(TypeKind kind) {
  return kind == TypeKind::kString || kind == TypeKind::kBinary || kind == TypeKind::kList ||
         kind == TypeKind::kMap;
}

constexpr std::size_t kMaxOffset = std::numeric_limits<std::int32_t>::max();

// memcpy of what is short as a rule, without a call: two overlapping moves for each class of
// lengths.
inline void CopyText(char* to, std::string_view text) {
  const char* from = text.data();
  const std::size_t n = text.size();
  const auto move = [&]<std::size_t kBytes>(std::integral_constant<std::size_t, kBytes>) {
    char first[kBytes];
    char last[kBytes];
    std::memcpy(first, from, kBytes);
    std::memcpy(last, from + n - kBytes, kBytes);
    std::memcpy(to, first, kBytes);
    std::memcpy(to + n - kBytes, last, kBytes);
  };
  if (n > 64) {
    std::memcpy(to, from, n);
  } else if (n >= 32) {
    move(std::integral_constant<std::size_t, 32>());
  } else if (n >= 16) {
    move(std::integral_constant<std::size_t, 16>());
  } else if (n >= 8) {
    move(std::integral_constant<std::size_t, 8>());
  } else if (n >= 4) {
    move(std::integral_constant<std::size_t, 4>());
  } else {
    for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
  }
}

// Whether the rows are one run, each the successor of the one before.
bool IsRun(std::span<const std::uint32_t> rows) {
  if (rows.back() - rows.front() + 1 != rows.size()) return false;
  std::uint32_t differ = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    differ |= rows[i] ^ (rows.front() + static_cast<std::uint32_t>(i));
  }
  return differ == 0;
}

template <typename T>
void CopyRows(const std::uint8_t* from, std::span<const std::uint32_t> rows, std::uint8_t* to) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(to + i * sizeof(T), from + rows[i] * sizeof(T), sizeof(T));
  }
}

}  // namespace

Column::Column(Type type) : type_(std::move(type)), width_(WidthOf(type_.kind)) {
  if (HasOffsets(type_.kind)) offsets_.push_back(0);
  children_.reserve(type_.children.size());
  for (const Field& child : type_.children) children_.emplace_back(child.type);
}

Column::Column(Column&&) noexcept = default;
Column& Column::operator=(Column&&) noexcept = default;
Column::~Column() = default;

std::size_t Column::memory_bytes() const {
  std::size_t bytes = validity_.capacity_bytes() + fixed_.capacity_bytes() +
                      offsets_.capacity_bytes() + bytes_.capacity_bytes();
  if (owns_dictionary_) bytes += dictionary_->memory_bytes();
  for (const Column& child : children_) bytes += child.memory_bytes();
  return bytes;
}

// --- one row ------------------------------------------------------------

void Column::AppendValid() {
  if (!validity_.empty()) {
    if ((size_ & 63) == 0) validity_.push_back(0);
    validity_.back() |= std::uint64_t{1} << (size_ & 63);
  }
  ++size_;
}

void Column::AppendInvalid() {
  FillValidity();
  if ((size_ & 63) == 0) validity_.push_back(0);
  ++null_count_;
  ++size_;
}

// From no bits, which means no nulls, to a bit for each row.
void Column::FillValidity() {
  if (!validity_.empty()) return;
  validity_.Fill(size_ / 64, ~std::uint64_t{0});
  if ((size_ & 63) != 0) validity_.push_back((std::uint64_t{1} << (size_ & 63)) - 1);
}

void Column::AppendValidBlock(std::uint64_t valid, std::size_t n) {
  const auto values = static_cast<std::size_t>(std::popcount(valid));
  if (values == n && validity_.empty()) {
    size_ += n;
    return;
  }
  FillValidity();
  const std::size_t shift = size_ & 63;
  if (shift != 0) validity_.back() |= valid << shift;
  if (shift + n > 64 || shift == 0) validity_.push_back(shift == 0 ? valid : valid >> (64 - shift));
  null_count_ += n - values;
  size_ += n;
}

void Column::AppendZero() {
  if (width_ != 0) std::memset(fixed_.Extend(width_), 0, width_);
  if (!dictionary_ && HasOffsets(type_.kind)) offsets_.push_back(offsets_.back());
}

void Column::AppendNull() {
  AppendZero();
  AppendInvalid();
  if (type_.kind != TypeKind::kStruct) return;
  for (std::size_t i = 0; i < children_.size(); ++i) {
    if (type_.children[i].required) {
      children_[i].AppendPlaceholder();
    } else {
      children_[i].AppendNull();
    }
  }
}

void Column::AppendPlaceholder() {
  if (is_text()) return AppendString({});
  AppendZero();
  if (type_.kind == TypeKind::kStruct) {
    for (Column& child : children_) child.AppendPlaceholder();
  }
  AppendValid();
}

template <typename T>
void Column::AppendFixed(T value) {
  WEIR_DCHECK(width_ == sizeof(T));
  std::memcpy(fixed_.Extend(sizeof(T)), &value, sizeof(T));
  AppendValid();
}

void Column::AppendBoolean(bool value) {
  WEIR_DCHECK(type_.kind == TypeKind::kBoolean);
  AppendFixed<std::uint8_t>(value ? 1 : 0);
}

void Column::AppendInt(std::int32_t value) {
  WEIR_DCHECK(type_.kind == TypeKind::kInt || type_.kind == TypeKind::kDate);
  AppendFixed(value);
}

void Column::AppendLong(std::int64_t value) {
  WEIR_DCHECK(type_.kind == TypeKind::kLong || type_.kind == TypeKind::kTimestamp);
  AppendFixed(value);
}

void Column::AppendFloat(float value) {
  WEIR_DCHECK(type_.kind == TypeKind::kFloat);
  AppendFixed(value);
}

void Column::AppendDouble(double value) {
  WEIR_DCHECK(type_.kind == TypeKind::kDouble);
  AppendFixed(value);
}

void Column::AppendDecimal(Int128 unscaled) {
  WEIR_DCHECK(type_.kind == TypeKind::kDecimal);
  AppendFixed(unscaled);
}

void Column::AppendUuid(std::span<const std::uint8_t, 16> value) {
  WEIR_DCHECK(type_.kind == TypeKind::kUuid);
  fixed_.Append(value.data(), value.size());
  AppendValid();
}

void Column::AppendBytes(std::string_view value) {
  WEIR_CHECK(value.size() <= kMaxOffset - bytes_.size());
  bytes_.Append(value.data(), value.size());
  offsets_.push_back(static_cast<std::int32_t>(bytes_.size()));
}

void Column::AppendString(std::string_view value) {
  WEIR_DCHECK(is_text());
  if (dictionary_) return AppendFixed(dictionary_->Intern(value));
  AppendBytes(value);
  AppendValid();
}

void Column::AppendStruct() {
  WEIR_DCHECK(type_.kind == TypeKind::kStruct);
  AppendValid();
  for ([[maybe_unused]] const Column& child : children_) WEIR_DCHECK(child.size() == size_);
}

void Column::AppendList(std::size_t items) {
  WEIR_DCHECK(type_.kind == TypeKind::kList || type_.kind == TypeKind::kMap);
  const auto begin = static_cast<std::size_t>(offsets_.back());
  WEIR_CHECK(items <= kMaxOffset - begin);
  for ([[maybe_unused]] const Column& child : children_) {
    WEIR_DCHECK(child.size() == begin + items);
  }
  offsets_.push_back(static_cast<std::int32_t>(begin + items));
  AppendValid();
}

template <typename T>
void Column::AppendBlock(const T* values, std::uint64_t valid, std::size_t n) {
  WEIR_DCHECK(n > 0 && n <= 64 && width_ == sizeof(T));
  auto* to = fixed_.Extend(n * sizeof(T));
  std::memcpy(to, values, n * sizeof(T));
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - n);
  for (std::uint64_t nulls = ~valid & all; nulls != 0; nulls &= nulls - 1) {
    std::memset(to + static_cast<std::size_t>(std::countr_zero(nulls)) * sizeof(T), 0, sizeof(T));
  }
  AppendValidBlock(valid, n);
}

template void Column::AppendBlock(const std::uint8_t*, std::uint64_t, std::size_t);
template void Column::AppendBlock(const std::int32_t*, std::uint64_t, std::size_t);
template void Column::AppendBlock(const std::int64_t*, std::uint64_t, std::size_t);
template void Column::AppendBlock(const float*, std::uint64_t, std::size_t);
template void Column::AppendBlock(const double*, std::uint64_t, std::size_t);
template void Column::AppendBlock(const Int128*, std::uint64_t, std::size_t);

void Column::AppendTextBlock(const std::string_view* values, std::uint64_t valid, std::size_t n) {
  WEIR_DCHECK(is_text() && n > 0 && n <= 64);
  if (dictionary_) {
    std::int32_t codes[64];
    dictionary_->InternBlock(values, valid, n, codes);
    return AppendBlock(codes, valid, n);
  }
  std::size_t total = 0;
  for (std::size_t i = 0; i < n; ++i) total += ((valid >> i) & 1U) != 0 ? values[i].size() : 0;
  std::size_t end = bytes_.size();
  WEIR_CHECK(total <= kMaxOffset - end);
  char* to = bytes_.Extend(total);
  std::int32_t* offsets = offsets_.Extend(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (((valid >> i) & 1U) != 0) {
      CopyText(to, values[i]);
      to += values[i].size();
      end += values[i].size();
    }
    offsets[i] = static_cast<std::int32_t>(end);
  }
  AppendValidBlock(valid, n);
}

// --- taking back ------------------------------------------------------------

void Column::Truncate(std::size_t rows) {
  WEIR_DCHECK(rows <= size_);
  if (rows < size_ && null_count_ != 0) {
    std::size_t valid = 0;
    validity_.Truncate((rows + 63) / 64);
    if ((rows & 63) != 0) validity_.back() &= (std::uint64_t{1} << (rows & 63)) - 1;
    for (std::uint64_t word : validity_) valid += static_cast<std::size_t>(std::popcount(word));
    null_count_ = rows - valid;
  }
  if (null_count_ == 0) validity_.clear();
  size_ = rows;
  fixed_.Truncate(rows * (dictionary_ ? sizeof(std::int32_t) : width_));
  if (!offsets_.empty()) {
    offsets_.Truncate(dictionary_ ? 1 : rows + 1);
    if (is_text()) bytes_.Truncate(static_cast<std::size_t>(offsets_.back()));
  }
  const std::size_t items = type_.kind == TypeKind::kStruct || offsets_.empty()
                                ? rows
                                : static_cast<std::size_t>(offsets_.back());
  for (Column& child : children_) child.Truncate(items);
}

void Column::Clear() { Truncate(0); }

void Column::UseDictionary(std::shared_ptr<Dictionary> dictionary) {
  WEIR_DCHECK(is_text());
  WEIR_CHECK(size_ == 0);
  dictionary_ = std::move(dictionary);
  owns_dictionary_ = false;
  width_ = dictionary_ ? sizeof(std::int32_t) : 0;
}

void Column::Materialize() {
  const std::shared_ptr<Dictionary> dictionary = std::move(dictionary_);
  const Buffer<std::uint8_t> codes = std::move(fixed_);
  fixed_ = {};
  dictionary_ = nullptr;
  owns_dictionary_ = false;
  width_ = 0;
  offsets_.Reserve(size_ + 1);
  for (std::size_t row = 0; row < size_; ++row) {
    std::int32_t code;
    std::memcpy(&code, codes.data() + row * sizeof(code), sizeof(code));
    AppendBytes(IsNull(row) ? std::string_view{} : dictionary->At(code));
  }
}

void Column::OwnDictionary() {
  if (owns_dictionary_) return;
  dictionary_ = std::make_shared<Dictionary>(*dictionary_);
  owns_dictionary_ = true;
}

// --- many rows ------------------------------------------------------------

void Column::AppendAll(const Column& source) {
  std::vector<std::uint32_t> rows(source.size());
  std::iota(rows.begin(), rows.end(), 0U);
  AppendRows(source, rows);
}

void Column::AppendRows(const Column& source, std::span<const std::uint32_t> rows) {
  WEIR_DCHECK(type_ == source.type_);
  if (rows.empty()) return;
  const bool run = IsRun(rows);
  if (is_text()) {
    AppendTextRows(source, rows, run);
  } else if (width_ != 0) {
    AppendFixedRows(source, rows, run);
  } else if (type_.kind == TypeKind::kStruct) {
    for (std::size_t i = 0; i < children_.size(); ++i) {
      children_[i].AppendRows(source.children_[i], rows);
    }
  } else {
    AppendListRows(source, rows);
  }
  AppendValidRows(source, rows, run);
}

void Column::AppendFixedRows(const Column& source, std::span<const std::uint32_t> rows, bool run) {
  const std::uint8_t* from = source.fixed_.data();
  std::uint8_t* to = fixed_.Extend(rows.size() * width_);
  if (run) {
    std::memcpy(to, from + rows.front() * width_, rows.size() * width_);
    return;
  }
  switch (width_) {
    case 1:
      return CopyRows<std::uint8_t>(from, rows, to);
    case 4:
      return CopyRows<std::uint32_t>(from, rows, to);
    case 8:
      return CopyRows<std::uint64_t>(from, rows, to);
    default:
      return CopyRows<Int128>(from, rows, to);
  }
}

void Column::AppendValidRows(const Column& source, std::span<const std::uint32_t> rows, bool run) {
  if (source.null_count_ == 0) {
    if (validity_.empty()) {
      size_ += rows.size();
      return;
    }
    for (std::size_t done = 0; done < rows.size(); done += 64) {
      const std::size_t n = std::min<std::size_t>(64, rows.size() - done);
      AppendValidBlock(~std::uint64_t{0} >> (64 - n), n);
    }
    return;
  }
  for (std::size_t done = 0; done < rows.size(); done += 64) {
    const std::size_t n = std::min<std::size_t>(64, rows.size() - done);
    std::uint64_t valid = 0;
    if (run) {
      const std::size_t first = rows[done];
      const std::size_t shift = first & 63;
      valid = source.validity_[first >> 6] >> shift;
      if (shift + n > 64) valid |= source.validity_[(first >> 6) + 1] << (64 - shift);
      valid &= ~std::uint64_t{0} >> (64 - n);
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t row = rows[done + i];
        valid |= ((source.validity_[row >> 6] >> (row & 63)) & 1U) << i;
      }
    }
    AppendValidBlock(valid, n);
  }
}

void Column::AppendTextRows(const Column& source, std::span<const std::uint32_t> rows, bool run) {
  if (dictionary_ && !source.dictionary_) Materialize();
  if (!dictionary_ && !source.dictionary_) return AppendPlainRows(source, rows, run);
  if (!dictionary_) {
    for (std::uint32_t row : rows) {
      AppendBytes(source.IsNull(row) ? std::string_view{} : source.String(row));
    }
    return;
  }
  if (dictionary_ == source.dictionary_) return AppendFixedRows(source, rows, run);
  OwnDictionary();
  // Their code -> ours, each interned once; not worth the table for a few rows of a big dictionary.
  const auto entries = static_cast<std::size_t>(source.dictionary_->size());
  std::vector<std::int32_t> ours(rows.size() * 4 > entries ? entries : 0, -1);
  auto* to = fixed_.Extend(rows.size() * sizeof(std::int32_t));
  for (std::uint32_t row : rows) {
    std::int32_t code = 0;
    if (!source.IsNull(row)) {
      const auto theirs = static_cast<std::size_t>(source.fixed<std::int32_t>()[row]);
      if (ours.empty() || ours[theirs] < 0) {
        code = dictionary_->Intern(source.String(row));
        if (!ours.empty()) ours[theirs] = code;
      } else {
        code = ours[theirs];
      }
    }
    std::memcpy(to, &code, sizeof(code));
    to += sizeof(code);
  }
}

// Null rows have no bytes, so they need no care here.
void Column::AppendPlainRows(const Column& source, std::span<const std::uint32_t> rows, bool run) {
  const std::int32_t* from = source.offsets_.data();
  std::size_t total = 0;
  for (std::uint32_t row : rows) total += static_cast<std::size_t>(from[row + 1] - from[row]);
  std::size_t end = bytes_.size();
  WEIR_CHECK(total <= kMaxOffset - end);
  char* to = bytes_.Extend(total);
  std::int32_t* offsets = offsets_.Extend(rows.size());
  if (run) {
    if (total != 0) std::memcpy(to, source.bytes_.data() + from[rows.front()], total);
    const auto shift = static_cast<std::int32_t>(end) - from[rows.front()];
    for (std::size_t i = 0; i < rows.size(); ++i) offsets[i] = from[rows[i] + 1] + shift;
    return;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string_view text = source.String(rows[i]);
    CopyText(to, text);
    to += text.size();
    end += text.size();
    offsets[i] = static_cast<std::int32_t>(end);
  }
}

void Column::AppendListRows(const Column& source, std::span<const std::uint32_t> rows) {
  std::vector<std::uint32_t> items;
  auto end = static_cast<std::size_t>(offsets_.back());
  for (std::uint32_t row : rows) {
    for (std::int32_t i = source.item_begin(row); i < source.item_begin(row + 1); ++i) {
      items.push_back(static_cast<std::uint32_t>(i));
    }
    const auto begin = static_cast<std::size_t>(source.item_begin(row));
    end += static_cast<std::size_t>(source.item_begin(row + 1)) - begin;
    WEIR_CHECK(end <= kMaxOffset);
    offsets_.push_back(static_cast<std::int32_t>(end));
  }
  for (std::size_t i = 0; i < children_.size(); ++i) {
    children_[i].AppendRows(source.children_[i], items);
  }
}

}  // namespace weir
