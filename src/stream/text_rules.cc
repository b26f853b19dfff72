#include "stream/text_rules.h"

#include <re2/re2.h>

namespace weir::stream {

namespace {

// Length of the white space character at the front of a text, or 0.
std::size_t SpaceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first == ' ' || (first >= '\t' && first <= '\r')) return 1;
  if (first == 0xC2 && (byte(1) == 0x85 || byte(1) == 0xA0)) return 2;
  if (first == 0xE1 && byte(1) == 0x9A && byte(2) == 0x80) return 3;  // ogham space
  if (first == 0xE3 && byte(1) == 0x80 && byte(2) == 0x80) return 3;  // ideographic space
  if (first != 0xE2) return 0;
  if (byte(1) == 0x81) return byte(2) == 0x9F ? 3 : 0;
  if (byte(1) != 0x80) return 0;
  const unsigned last = byte(2);
  const bool space = (last >= 0x80 && last <= 0x8A) || last == 0xA8 || last == 0xA9 || last == 0xAF;
  return space ? 3 : 0;
}

}  // namespace

bool IsBlank(std::string_view text) {
  while (!text.empty()) {
    const std::size_t space = SpaceLength(text);
    if (space == 0) return false;
    text.remove_prefix(space);
  }
  return true;
}

TextRules::TextRules(const ContractField& field)
    : not_blank_(field.not_blank), allowed_texts_(field.allowed) {
  allowed_.insert(allowed_texts_.begin(), allowed_texts_.end());
  if (!field.pattern.empty()) {
    pattern_ = std::make_unique<re2::RE2>(field.pattern, re2::RE2::Quiet);
  }
}

TextRules::TextRules(TextRules&&) noexcept = default;
TextRules::~TextRules() = default;

TextRules::Verdict TextRules::Judge(std::string_view text) const {
  if (not_blank_ && IsBlank(text)) return Verdict::kBlank;
  if (!allowed_.empty() && !allowed_.contains(text)) return Verdict::kNotAllowed;
  if (pattern_ && !re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), *pattern_)) {
    return Verdict::kPatternMismatch;
  }
  return Verdict::kGood;
}

void TextRules::LearnCodes(const std::shared_ptr<Dictionary>& dictionary) {
  if (dictionary_ != dictionary) {
    dictionary_ = dictionary;
    verdicts_.clear();
  }
  for (auto code = static_cast<std::int32_t>(verdicts_.size()); code < dictionary->size(); ++code) {
    verdicts_.push_back(Judge(dictionary->At(code)));
  }
}

void TextRules::JudgeAll(const Column& column, std::vector<Finding>* findings) {
  const std::size_t rows = column.size();
  if (column.null_count() == rows) return;
  const auto note = [&](std::size_t row, Verdict verdict) {
    if (verdict == Verdict::kGood || column.IsNull(row)) return;
    findings->push_back(Finding{static_cast<std::uint32_t>(row), verdict});
  };
  if (!column.dictionary()) {
    for (std::size_t row = 0; row < rows; ++row) note(row, Judge(column.String(row)));
    return;
  }
  LearnCodes(column.dictionary());
  const auto* codes = column.fixed<std::int32_t>();
  unsigned any = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    any |= static_cast<unsigned>(verdicts_[static_cast<std::size_t>(codes[row])]);
  }
  if (any == 0) return;
  for (std::size_t row = 0; row < rows; ++row) {
    note(row, verdicts_[static_cast<std::size_t>(codes[row])]);
  }
}

}  // namespace weir::stream
