#include "codec/text_columns.h"

#include <utility>

namespace weir::codec {

namespace {

constexpr std::uint64_t kFewValues = 4096;             // enough to know ids by
constexpr std::uint64_t kManyValues = 32768;           // enough to know other columns by
constexpr std::size_t kMaxDictionaryBytes = 2U << 20;  // beyond it, files hold the column plain
constexpr int kResetsBeforeRetry = 64;

// A dictionary of repeated values starts with many new ones, so the fewer the values seen the
// clearer the case must be.
bool PaysOff(const Dictionary& dictionary, std::uint64_t values) {
  if (dictionary.bytes().size() > kMaxDictionaryBytes) return false;
  const auto distinct = static_cast<std::uint64_t>(dictionary.size());
  if (values >= kManyValues && distinct * 2 > values) return false;
  return values < kFewValues || distinct * 16 <= values * 15;
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
    // What comes is as a rule like what was.
    auto fresh = std::make_shared<Dictionary>();
    if (text.dictionary) fresh->Reserve(static_cast<std::size_t>(text.dictionary->size()));
    text.dictionary = std::move(fresh);
  }
}

}  // namespace weir::codec
