#include "parquet/value_encoder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "parquet/decimal_storage.h"
#include "parquet/hybrid_encoder.h"

namespace weir::parquet {

namespace {

// A dictionary must save this share of the plain bytes, or the simpler encoding wins.
constexpr bool Pays(std::size_t dictionary_bytes, std::size_t code_bytes, std::size_t plain_bytes) {
  return dictionary_bytes + code_bytes < plain_bytes - plain_bytes / 8;
}

std::size_t PackedBytes(std::size_t n, int width) {
  return n * static_cast<std::size_t>(width) / 8 + n / 504 + 2;
}

// A length and its bytes. Copies whole blocks of 16: buffers have room behind their end, and the
// sources of short strings as well.
std::uint8_t* PutText(std::string_view text, std::uint8_t* out) {
  const auto size = static_cast<std::uint32_t>(text.size());
  std::memcpy(out, &size, sizeof size);
  out += sizeof size;
  if (size <= Buffer<char>::kSlack) {
    for (std::size_t at = 0; at < size; at += 16) std::memcpy(out + at, text.data() + at, 16);
  } else {
    std::memcpy(out, text.data(), size);
  }
  return out + size;
}

template <typename Stored, typename T>
std::uint64_t BitsOf(T value) {
  const auto stored = static_cast<Stored>(value);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &stored, sizeof stored);
  return bits;
}

}  // namespace

void ValueEncoder::Prepare(const LeafData& leaf, std::size_t max_dictionary_bytes) {
  leaf_ = &leaf;
  entries_ = 0;
  dictionary_.clear();
  codes_.clear();
  const Type& type = leaf.column->type();
  switch (type.kind) {
    case TypeKind::kBoolean:
      estimated_bytes_ = leaf.values / 8 + 1;
      break;
    case TypeKind::kInt:
    case TypeKind::kDate:
      PrepareNumbers<std::int32_t, std::int32_t>(max_dictionary_bytes);
      break;
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      PrepareNumbers<std::int64_t, std::int64_t>(max_dictionary_bytes);
      break;
    case TypeKind::kFloat:
      PrepareNumbers<float, float>(max_dictionary_bytes);
      break;
    case TypeKind::kDouble:
      PrepareNumbers<double, double>(max_dictionary_bytes);
      break;
    case TypeKind::kDecimal:
      switch (DecimalStorageOf(type.precision)) {
        case DecimalStorage::kInt32:
          PrepareNumbers<Int128, std::int32_t>(max_dictionary_bytes);
          break;
        case DecimalStorage::kInt64:
          PrepareNumbers<Int128, std::int64_t>(max_dictionary_bytes);
          break;
        case DecimalStorage::kFixedBytes:
          estimated_bytes_ = leaf.values * DecimalWidth(type.precision);
          break;
      }
      break;
    case TypeKind::kUuid:
      estimated_bytes_ = leaf.values * 16;
      break;
    default:
      PrepareText(max_dictionary_bytes);
  }
}

void ValueEncoder::PrepareText(std::size_t max_dictionary_bytes) {
  const Column& column = *leaf_->column;
  if (!column.dictionary()) {
    // Exact for a flat column; below a list some strings may belong to dropped rows.
    estimated_bytes_ = column.bytes().size() + 4 * leaf_->values;
    return;
  }
  if (UseTextDictionary(max_dictionary_bytes)) return;
  codes_.clear();
  dictionary_.clear();
}

bool ValueEncoder::UseTextDictionary(std::size_t max_dictionary_bytes) {
  const Dictionary& source = *leaf_->column->dictionary();
  const auto* old_codes = leaf_->column->fixed<std::int32_t>();
  const std::size_t n = leaf_->values;
  // Codes in order of first use: new_codes_ holds the new code + 1, 0 while a string is unused.
  new_codes_.assign(static_cast<std::size_t>(source.size()), 0);
  std::uint32_t used = 0;
  std::size_t used_bytes = 0;
  std::uint32_t* codes = codes_.Extend(n);
  std::vector<std::uint32_t>& order = slots_;
  order.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const auto old_code = static_cast<std::uint32_t>(old_codes[leaf_->row_of(i)]);
    std::uint32_t& slot = new_codes_[old_code];
    if (slot == 0) [[unlikely]] {
      slot = ++used;
      order.push_back(old_code);
      used_bytes += 4 + source.At(static_cast<std::int32_t>(old_code)).size();
    }
    codes[i] = slot - 1;
  }
  const std::size_t plain_bytes = used == 0 ? 0 : n * (used_bytes / used);
  code_width_ = BitWidth(used == 0 ? 0 : used - 1);
  estimated_bytes_ = plain_bytes;
  if (used_bytes > max_dictionary_bytes ||
      !Pays(used_bytes, PackedBytes(n, code_width_), plain_bytes)) {
    return false;
  }
  std::uint8_t* out = dictionary_.Extend(used_bytes);
  for (const std::uint32_t old_code : order) {
    out = PutText(source.At(static_cast<std::int32_t>(old_code)), out);
  }
  entries_ = used;
  estimated_bytes_ = PackedBytes(n, code_width_);
  return true;
}

template <typename T, typename Stored>
void ValueEncoder::PrepareNumbers(std::size_t max_dictionary_bytes) {
  if (UseNumberDictionary<T, Stored>(max_dictionary_bytes)) return;
  codes_.clear();
  estimated_bytes_ = leaf_->values * sizeof(Stored);
}

template <typename T, typename Stored>
bool ValueEncoder::UseNumberDictionary(std::size_t max_dictionary_bytes) {
  constexpr std::size_t kMost = 1U << 16;
  constexpr std::size_t kSample = 2048;  // values after which a hopeless try ends
  const std::size_t n = leaf_->values;
  const std::size_t most = std::min({kMost, max_dictionary_bytes / sizeof(Stored), n / 2});
  const T* values = leaf_->column->fixed<T>();
  const std::size_t mask = std::bit_ceil(std::max<std::size_t>(4 * most, 64)) - 1;
  const int shift = std::countl_zero(static_cast<std::uint64_t>(mask));
  slots_.assign(mask + 1, 0);
  numbers_.clear();
  std::uint32_t* codes = codes_.Extend(n);
  std::uint64_t last = 0;
  std::uint32_t last_code = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = BitsOf<Stored>(values[leaf_->row_of(i)]);
    if (bits != last || numbers_.empty()) {
      std::size_t at = static_cast<std::size_t>((bits * 0x9e3779b97f4a7c15U) >> shift);
      while (slots_[at] != 0 && numbers_[slots_[at] - 1] != bits) at = (at + 1) & mask;
      if (slots_[at] == 0) {
        if (numbers_.size() >= most) return false;
        if (i >= kSample && numbers_.size() > i - i / 4) return false;
        numbers_.push_back(bits);
        slots_[at] = static_cast<std::uint32_t>(numbers_.size());
      }
      last = bits;
      last_code = slots_[at] - 1;
    }
    codes[i] = last_code;
  }
  const std::size_t entries = numbers_.size();
  code_width_ = BitWidth(entries == 0 ? 0 : static_cast<std::uint32_t>(entries - 1));
  if (!Pays(entries * sizeof(Stored), PackedBytes(n, code_width_), n * sizeof(Stored))) {
    return false;
  }
  std::uint8_t* out = dictionary_.Extend(entries * sizeof(Stored));
  for (std::size_t i = 0; i < entries; ++i) {
    std::memcpy(out + i * sizeof(Stored), &numbers_[i], sizeof(Stored));
  }
  entries_ = entries;
  estimated_bytes_ = PackedBytes(n, code_width_);
  return true;
}

void ValueEncoder::Append(std::size_t first, std::size_t n, Buffer<std::uint8_t>& out) const {
  if (entries_ == 0) {
    AppendPlain(first, n, out);
    return;
  }
  out.push_back(static_cast<std::uint8_t>(code_width_));
  AppendHybrid(codes_.data() + first, n, code_width_, out);
}

void ValueEncoder::AppendPlain(std::size_t first, std::size_t n, Buffer<std::uint8_t>& out) const {
  if (n == 0) return;  // a column without values has no memory
  const Type& type = leaf_->column->type();
  switch (type.kind) {
    case TypeKind::kBoolean:
      return AppendBooleans(first, n, out);
    case TypeKind::kInt:
    case TypeKind::kDate:
      return AppendNumbers<std::int32_t, std::int32_t>(first, n, out);
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return AppendNumbers<std::int64_t, std::int64_t>(first, n, out);
    case TypeKind::kFloat:
      return AppendNumbers<float, float>(first, n, out);
    case TypeKind::kDouble:
      return AppendNumbers<double, double>(first, n, out);
    case TypeKind::kDecimal:
      switch (DecimalStorageOf(type.precision)) {
        case DecimalStorage::kInt32:
          return AppendNumbers<Int128, std::int32_t>(first, n, out);
        case DecimalStorage::kInt64:
          return AppendNumbers<Int128, std::int64_t>(first, n, out);
        case DecimalStorage::kFixedBytes:
          return AppendFixedBytes(first, n, out);
      }
      return;
    case TypeKind::kUuid:
      return AppendFixedBytes(first, n, out);
    default:
      return AppendText(first, n, out);
  }
}

template <typename T, typename Stored>
void ValueEncoder::AppendNumbers(std::size_t first, std::size_t n,
                                 Buffer<std::uint8_t>& out) const {
  const T* values = leaf_->column->fixed<T>();
  std::uint8_t* room = out.Extend(n * sizeof(Stored));
  if (std::is_same_v<T, Stored> && leaf_->value_rows.empty()) {
    std::memcpy(room, values + first, n * sizeof(Stored));
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto stored = static_cast<Stored>(values[leaf_->row_of(first + i)]);
    std::memcpy(room + i * sizeof(Stored), &stored, sizeof(Stored));
  }
}

void ValueEncoder::AppendBooleans(std::size_t first, std::size_t n,
                                  Buffer<std::uint8_t>& out) const {
  std::uint8_t* room = out.Extend((n + 7) / 8);
  std::memset(room, 0, (n + 7) / 8);
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned bit = leaf_->column->Boolean(leaf_->row_of(first + i)) ? 1U : 0U;
    room[i / 8] = static_cast<std::uint8_t>(room[i / 8] | bit << (i % 8));
  }
}

void ValueEncoder::AppendFixedBytes(std::size_t first, std::size_t n,
                                    Buffer<std::uint8_t>& out) const {
  const Type& type = leaf_->column->type();
  if (type.kind == TypeKind::kUuid) {
    std::uint8_t* room = out.Extend(16 * n);
    for (std::size_t i = 0; i < n; ++i) {
      std::memcpy(room + 16 * i, leaf_->column->Uuid(leaf_->row_of(first + i)).data(), 16);
    }
    return;
  }
  const std::size_t width = DecimalWidth(type.precision);
  std::uint8_t* room = out.Extend(width * n);
  for (std::size_t i = 0; i < n; ++i) {
    StoreDecimal(leaf_->column->Decimal(leaf_->row_of(first + i)), width, room + width * i);
  }
}

void ValueEncoder::AppendText(std::size_t first, std::size_t n, Buffer<std::uint8_t>& out) const {
  const Column& column = *leaf_->column;
  std::size_t bytes = 4 * n;
  for (std::size_t i = first; i < first + n; ++i) bytes += column.String(leaf_->row_of(i)).size();
  std::uint8_t* room = out.Extend(bytes);
  for (std::size_t i = first; i < first + n; ++i) {
    room = PutText(column.String(leaf_->row_of(i)), room);
  }
  WEIR_DCHECK(room == out.end());
}

}  // namespace weir::parquet
