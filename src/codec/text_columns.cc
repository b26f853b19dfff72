#include "codec/text_columns.h"

#include <utility>

namespace weir::codec {

namespace {

constexpr int kResetsBeforeRetry = 64;

}  // namespace

TextColumns::TextColumns(const Schema& schema) {
  for (std::size_t i = 0; i < schema.fields.size(); ++i) {
    if (schema.fields[i].type.kind != TypeKind::kString) continue;
    texts_.push_back(Text{.column = i, .dictionary = std::make_shared<Dictionary>()});
  }
}

void TextColumns::Prepare(Batch* batch) {
  for (Text& text : texts_) {
    Column& column = batch->columns[text.column];
    text.values_before = column.size() - column.null_count();
    if (batch->rows() != 0) continue;
    if (text.dictionary && !PaysOff(*text.dictionary, text.values)) text.dictionary = nullptr;
    column.UseDictionary(text.dictionary);
  }
}

void TextColumns::Note(const Batch& batch) {
  for (Text& text : texts_) {
    const Column& column = batch.columns[text.column];
    if (column.dictionary() != text.dictionary) continue;
    text.values += column.size() - column.null_count() - text.values_before;
  }
}

void TextColumns::Reset() {
  for (Text& text : texts_) {
    text.values = 0;
    if (!text.dictionary) {
      if (++text.plain_resets < kResetsBeforeRetry) continue;
      text.plain_resets = 0;
    }
    // What comes is as a rule like what was.
    auto fresh = std::make_shared<Dictionary>();
    if (text.dictionary) fresh->Reserve(static_cast<std::size_t>(text.dictionary->size()));
    text.dictionary = std::move(fresh);
  }
}

}  // namespace weir::codec
