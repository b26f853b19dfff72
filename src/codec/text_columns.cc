#include "codec/text_columns.h"

namespace weir::codec {

namespace {

constexpr std::uint64_t kEnoughValues = 4096;          // to judge a column by
constexpr std::size_t kMaxDictionaryBytes = 4U << 20;  // beyond it, files hold the column plain
constexpr int kResetsBeforeRetry = 64;

bool PaysOff(const Dictionary& dictionary, std::uint64_t values) {
  if (dictionary.memory_bytes() > kMaxDictionaryBytes) return false;
  return values < kEnoughValues || static_cast<std::uint64_t>(dictionary.size()) * 2 < values;
}

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
    text.dictionary = std::make_shared<Dictionary>();
  }
}

}  // namespace weir::codec
