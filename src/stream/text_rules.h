#pragma once
// TextRules: the rules of one string field: not blank, allowed values, pattern, in this order.
// Strings of a dictionary are judged once each; the verdicts are kept as long as the dictionary is
// the same object.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "record/column.h"
#include "record/contract.h"

namespace re2 {
class RE2;
}

namespace weir::stream {

/// Whether a text is empty or holds only white space, as Unicode defines it.
bool IsBlank(std::string_view text);

class TextRules {
 public:
  enum class Verdict : std::uint8_t { kGood, kBlank, kNotAllowed, kPatternMismatch };

  explicit TextRules(const ContractField& field);
  TextRules(TextRules&&) noexcept;
  ~TextRules();

  Verdict Judge(std::string_view text) const;

  /// The rows whose text is not good, appended in ascending order with the verdict. Null rows are
  /// passed over.
  struct Finding {
    std::uint32_t row;
    Verdict verdict;
  };
  void JudgeAll(const Column& column, std::vector<Finding>* findings);

 private:
  void LearnCodes(const std::shared_ptr<Dictionary>& dictionary);

  const bool not_blank_;
  std::unordered_set<std::string_view> allowed_;  // views of allowed_texts_
  std::vector<std::string> allowed_texts_;
  std::unique_ptr<re2::RE2> pattern_;
  std::shared_ptr<Dictionary> dictionary_;  // the one that verdicts_ is about
  std::vector<Verdict> verdicts_;           // by code
};

}  // namespace weir::stream
