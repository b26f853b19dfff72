#include "stream/sessions_input.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "stream/sessions_value.h"

namespace weir::stream {
namespace {

// A row worth more than any decimal(18,2) makes its session's value null for good. Kept well below
// the range of Int128, so that sums of very many rows are exact in any order.
constexpr int kWholeDigits = 16;
constexpr int kMostDigits = 36;

std::size_t IndexOf(const Schema& rows, const std::string& name) {
  const auto index = rows.IndexOf(name);
  WEIR_CHECK(index.has_value());  // config checked it
  return *index;
}

Int128 PowerOfTen(int digits) {
  Int128 power = 1;
  for (int i = 0; i < digits; ++i) power *= 10;
  return power;
}

std::int64_t Integer(const Column& column, std::size_t row) {
  return column.type().kind == TypeKind::kInt ? column.Int(row) : column.Long(row);
}

}  // namespace

void TextColumn::Open(const Batch& batch, SharedTexts* texts) {
  column_ = &batch.columns[index_];
  const std::shared_ptr<Dictionary>& dictionary = column_->dictionary();
  if (dictionary != dictionary_) {
    for (const SharedTexts::Id id : known_) texts->Release(id);
    known_.clear();
    dictionary_ = dictionary;
  }
  if (dictionary_) known_.resize(static_cast<std::size_t>(dictionary_->size()), 0);
}

SharedTexts::Id TextColumn::Get(std::size_t row, SharedTexts* texts) {
  if (column_->IsNull(row)) return 0;
  if (dictionary_) {
    const auto code = static_cast<std::size_t>(column_->fixed<std::int32_t>()[row]);
    if (known_[code] == 0) known_[code] = texts->Hold(column_->String(row));
    return known_[code];
  }
  // Held before the old one is released: it may be the same.
  const SharedTexts::Id id = texts->Hold(stream::ValueBytes(*column_, row, &scratch_));
  texts->Release(std::exchange(held_, id));
  return id;
}

SessionInput::SessionInput(const Schema& rows, const std::string& event_type_field,
                           const SessionRules& rules)
    : key_index_(IndexOf(rows, rules.by)) {
  const TypeKind kind = rows.fields[key_index_].type.kind;
  key_is_text_ = kind == TypeKind::kString || kind == TypeKind::kBinary;
  if (!event_type_field.empty()) {
    const std::size_t index = IndexOf(rows, event_type_field);
    event_type_.emplace(index);
    WEIR_CHECK(rows.fields[index].type.kind == TypeKind::kString);
  }
  const auto keep = [&](const std::string& name) { value_indexes_.push_back(IndexOf(rows, name)); };
  if (!rules.page.empty()) keep(rules.page);
  for (const std::string& name : rules.first) keep(name);
  firsts_ = value_indexes_.size();
  if (!rules.page.empty()) keep(rules.page);
  for (const std::string& name : rules.last) keep(name);
  if (rules.value_event.empty() || rules.price.empty()) return;
  price_index_ = IndexOf(rows, rules.price);
  const Type& price = rows.fields[*price_index_].type;
  WEIR_CHECK(price.kind == TypeKind::kDecimal);
  price_scale_ = price.scale;
  value_limit_ = PowerOfTen(std::min(kWholeDigits + price_scale_, kMostDigits));
  if (!rules.quantity.empty()) {
    quantity_index_ = IndexOf(rows, rules.quantity);
    const TypeKind quantity = rows.fields[*quantity_index_].type.kind;
    WEIR_CHECK(quantity == TypeKind::kInt || quantity == TypeKind::kLong);
  }
}

void SessionInput::Open(const Batch& batch, SharedTexts* texts) {
  key_ = &batch.columns[key_index_];
  if (price_index_) price_ = &batch.columns[*price_index_];
  if (quantity_index_) quantity_ = &batch.columns[*quantity_index_];
  if (event_type_) event_type_->Open(batch, texts);
  value_columns_.clear();
  for (const std::size_t index : value_indexes_) value_columns_.push_back(&batch.columns[index]);
}

std::string_view SessionInput::ValueBytes(const Column& column, std::size_t row) {
  WEIR_DCHECK(!column.IsNull(row));
  return stream::ValueBytes(column, row, &scratch_);
}

std::optional<Int128> SessionInput::Worth(std::size_t row) const {
  if (price_ == nullptr || price_->IsNull(row)) return 0;
  Int128 value = price_->Decimal(row);
  if (quantity_ != nullptr && !quantity_->IsNull(row) &&
      __builtin_mul_overflow(value, static_cast<Int128>(Integer(*quantity_, row)), &value)) {
    return std::nullopt;
  }
  if (value >= value_limit_ || value <= -value_limit_) return std::nullopt;
  return value;
}

std::size_t SessionInput::bytes() const { return event_type_ ? event_type_->bytes() : 0; }

}  // namespace weir::stream
