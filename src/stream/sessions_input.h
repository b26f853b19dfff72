#pragma once
// SessionInput: what sessions need of the rows of a batch: key, event type, the values of first and
// last rows, and what a row is worth. Event types of a dictionary are looked up once each, as long
// as the dictionary is the same object. Not thread safe.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/batch.h"
#include "record/operator_rules.h"
#include "stream/sessions_texts.h"

namespace weir::stream {

/// A column of event types, which are kept in a SharedTexts.
class TextColumn {
 public:
  explicit TextColumn(std::size_t index) : index_(index) {}
  void Open(const Batch& batch, SharedTexts* texts);
  /// 0 for null. Held by this object until the next call.
  SharedTexts::Id Get(std::size_t row, SharedTexts* texts);
  std::size_t bytes() const { return known_.capacity() * sizeof(SharedTexts::Id); }

 private:
  std::size_t index_;
  const Column* column_ = nullptr;
  std::shared_ptr<Dictionary> dictionary_;  // the one that known_ is about
  std::vector<SharedTexts::Id> known_;      // by code; each is held
  SharedTexts::Id held_ = 0;                // of a column without dictionary
  std::string scratch_;
};

class SessionInput {
 public:
  SessionInput(const Schema& rows, const std::string& event_type_field, const SessionRules& rules);

  void Open(const Batch& batch, SharedTexts* texts);

  std::string_view Key(std::size_t row) { return ValueBytes(*key_, row); }
  bool key_is_text() const { return key_is_text_; }
  SharedTexts::Id EventType(std::size_t row, SharedTexts* texts) {
    return event_type_ ? event_type_->Get(row, texts) : 0;
  }
  std::size_t firsts() const { return firsts_; }
  std::size_t lasts() const { return value_indexes_.size() - firsts_; }
  /// Value i of those kept of the first row, then of the last: its bytes, nullopt for null. Good
  /// until the next call.
  std::optional<std::string_view> Value(std::size_t i, std::size_t row) {
    const Column& column = *value_columns_[i];
    if (column.IsNull(row)) return std::nullopt;
    return ValueBytes(column, row);
  }
  /// The event type whose rows have a value; 0: there is none.
  void SetValueType(SharedTexts::Id type) { value_type_ = type; }
  SharedTexts::Id value_type() const { return value_type_; }
  /// price * quantity at the scale of the price; nullopt: beyond what an order may be worth.
  std::optional<Int128> Worth(std::size_t row) const;
  int price_scale() const { return price_scale_; }

  std::size_t bytes() const;

 private:
  std::string_view ValueBytes(const Column& column, std::size_t row);
  std::size_t key_index_ = 0;
  const Column* key_ = nullptr;
  bool key_is_text_ = false;
  std::string scratch_;
  std::optional<TextColumn> event_type_;
  std::vector<std::size_t> value_indexes_;  // of columns: for the first row, then for the last
  std::size_t firsts_ = 0;
  std::vector<const Column*> value_columns_;
  SharedTexts::Id value_type_ = 0;
  std::optional<std::size_t> price_index_;
  std::optional<std::size_t> quantity_index_;
  const Column* price_ = nullptr;
  const Column* quantity_ = nullptr;
  int price_scale_ = 0;
  Int128 value_limit_ = 0;
};

}  // namespace weir::stream
