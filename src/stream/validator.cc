#include "stream/validator.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/time.h"
#include "stream/text_rules.h"

namespace weir::stream {

namespace {

constexpr std::size_t kShownBytes = 80;
constexpr std::size_t kShownValues = 20;
constexpr int kNoRule = -1;

// One broken rule. Failures of a row stand in the order in which they were found.
struct Failure {
  std::uint32_t row = 0;
  std::uint32_t field = 0;
  RejectReason reason = RejectReason::kMissing;
  int rule = kNoRule;  // kMissingForType: the event type's
};

std::string Quoted(std::string_view text) { return "\"" + Printable(text, kShownBytes) + "\""; }

std::string Show(const Column& column, std::size_t row) {
  switch (column.type().kind) {
    case TypeKind::kInt:
      return std::to_string(column.Int(row));
    case TypeKind::kLong:
      return std::to_string(column.Long(row));
    case TypeKind::kFloat:
      return fmt::format("{}", column.Float(row));
    case TypeKind::kDouble:
      return fmt::format("{}", column.Double(row));
    case TypeKind::kDecimal:
      return DecimalToString(column.Decimal(row), column.type().scale);
    case TypeKind::kDate:
      return FormatDay(column.Int(row));
    case TypeKind::kTimestamp:
      return FormatTime(column.Long(row));
    case TypeKind::kString:
      return Quoted(column.String(row));
    default:
      return ToString(column.type());
  }
}

std::string OneOf(const std::vector<std::string>& values) {
  std::string text = "one of ";
  for (std::size_t i = 0; i < values.size() && i < kShownValues; ++i) {
    text += (i == 0 ? "" : ", ") + Printable(values[i], kShownBytes);
  }
  if (values.size() > kShownValues) {
    text += " and " + std::to_string(values.size() - kShownValues) + " more";
  }
  return text;
}

// Rows outside [low, high], nulls left out. The first pass has no branch and finds nothing as a
// rule.
template <typename T>
void FindOutside(const Column& column, T low, T high, std::uint32_t field,
                 std::vector<Failure>* failures) {
  const T* values = column.fixed<T>();
  const std::size_t rows = column.size();
  int any = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    any |= static_cast<int>(values[row] < low) | static_cast<int>(values[row] > high);
  }
  if (any == 0) return;
  for (std::size_t row = 0; row < rows; ++row) {
    if (column.IsNull(row)) continue;
    const auto at = static_cast<std::uint32_t>(row);
    if (values[row] < low) failures->push_back({at, field, RejectReason::kBelowMin, kNoRule});
    if (values[row] > high) failures->push_back({at, field, RejectReason::kAboveMax, kNoRule});
  }
}

template <typename T>
void FindOutsideWhole(const Column& column, const ContractField& rules, std::uint32_t field,
                      std::vector<Failure>* failures) {
  // Bounds fit their type: Check() saw to it. A bound that is not set is one that none can pass.
  constexpr int kBits = static_cast<int>(sizeof(T)) * 8;
  const T highest = static_cast<T>(~(static_cast<UInt128>(1) << (kBits - 1)));
  const T lowest = -highest - 1;
  FindOutside<T>(column, rules.min ? static_cast<T>(rules.min->number) : lowest,
                 rules.max ? static_cast<T>(rules.max->number) : highest, field, failures);
}

void FindOutsideDouble(const Column& column, const ContractField& rules, std::uint32_t field,
                       std::vector<Failure>* failures) {
  double highest = std::numeric_limits<double>::infinity();
  double lowest = -highest;
  if (rules.min) lowest = rules.min->real;
  if (rules.max) highest = rules.max->real;
  FindOutside<double>(column, lowest, highest, field, failures);
}

// A float is compared as the double that it is.
void FindOutsideFloat(const Column& column, const ContractField& rules, std::uint32_t field,
                      std::vector<Failure>* failures) {
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (column.IsNull(row)) continue;
    const auto at = static_cast<std::uint32_t>(row);
    const double value = column.Float(row);
    if (rules.min && value < rules.min->real) {
      failures->push_back({at, field, RejectReason::kBelowMin, kNoRule});
    }
    if (rules.max && value > rules.max->real) {
      failures->push_back({at, field, RejectReason::kAboveMax, kNoRule});
    }
  }
}

void FindOutside(const Column& column, const ContractField& rules, std::uint32_t field,
                 std::vector<Failure>* failures) {
  switch (column.type().kind) {
    case TypeKind::kInt:
    case TypeKind::kDate:
      return FindOutsideWhole<std::int32_t>(column, rules, field, failures);
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return FindOutsideWhole<std::int64_t>(column, rules, field, failures);
    case TypeKind::kDecimal:
      return FindOutsideWhole<Int128>(column, rules, field, failures);
    case TypeKind::kDouble:
      return FindOutsideDouble(column, rules, field, failures);
    case TypeKind::kFloat:
      return FindOutsideFloat(column, rules, field, failures);
    default:
      return;
  }
}

RejectReason ReasonOf(TextRules::Verdict verdict) {
  switch (verdict) {
    case TextRules::Verdict::kBlank:
      return RejectReason::kBlank;
    case TextRules::Verdict::kNotAllowed:
      return RejectReason::kNotAllowed;
    default:
      return RejectReason::kPatternMismatch;
  }
}

}  // namespace

class Validator::Impl {
 public:
  explicit Impl(Contract contract) : contract_(std::move(contract)) {
    for (const ContractField& field : contract_.fields) {
      const bool text = field.not_blank || !field.allowed.empty() || !field.pattern.empty();
      texts_.emplace_back(text ? std::make_unique<TextRules>(field) : nullptr);
    }
    for (std::size_t i = 0; i < contract_.event_types.size(); ++i) {
      const EventTypeRule& rule = contract_.event_types[i];
      rules_.emplace(rule.event_type, static_cast<int>(i));
      needs_.emplace_back();
      for (const std::string& need : rule.needs) {
        needs_.back().push_back(static_cast<std::uint32_t>(*contract_.IndexOf(need)));
      }
    }
    if (!contract_.event_type_field.empty()) {
      type_field_ = *contract_.IndexOf(contract_.event_type_field);
    }
  }

  void Validate(const Batch& batch, std::vector<std::uint32_t>* good_rows,
                std::vector<Rejection>* rejected) {
    failures_.clear();
    for (std::size_t i = 0; i < contract_.fields.size(); ++i) CheckField(batch, i);
    if (!needs_.empty()) CheckNeeds(batch);
    const auto rows = static_cast<std::uint32_t>(batch.rows());
    std::stable_sort(failures_.begin(), failures_.end(),
                     [](const Failure& a, const Failure& b) { return a.row < b.row; });
    std::uint32_t next = 0;
    const auto take_good = [&](std::uint32_t end) {
      const std::size_t had = good_rows->size();
      good_rows->resize(had + (end - next));
      std::iota(good_rows->begin() + static_cast<std::ptrdiff_t>(had), good_rows->end(), next);
    };
    for (const Failure& failure : failures_) {
      if (failure.row < next) continue;  // not the first of its row
      take_good(failure.row);
      next = failure.row + 1;
      rejected->push_back(Explain(batch, failure));
    }
    take_good(rows);
  }

 private:
  void CheckField(const Batch& batch, std::size_t index) {
    const ContractField& rules = contract_.fields[index];
    const Column& column = batch.columns[index];
    const auto field = static_cast<std::uint32_t>(index);
    if (rules.field.required && column.null_count() != 0) {
      for (std::size_t row = 0; row < column.size(); ++row) {
        if (!column.IsNull(row)) continue;
        failures_.push_back(
            {static_cast<std::uint32_t>(row), field, RejectReason::kMissing, kNoRule});
      }
    }
    if (texts_[index]) {
      findings_.clear();
      texts_[index]->JudgeAll(column, &findings_);
      for (const TextRules::Finding& finding : findings_) {
        failures_.push_back({finding.row, field, ReasonOf(finding.verdict), kNoRule});
      }
    }
    if (rules.min || rules.max) FindOutside(column, rules, field, &failures_);
  }

  int RuleOf(std::string_view event_type) const {
    const auto found = rules_.find(event_type);
    return found == rules_.end() ? kNoRule : found->second;
  }

  void CheckNeeds(const Batch& batch) {
    const Column& types = batch.columns[type_field_];
    if (types.dictionary() && types.dictionary() != dictionary_) {
      dictionary_ = types.dictionary();
      rule_of_code_.clear();
    }
    if (dictionary_ && types.dictionary()) {
      for (auto code = static_cast<std::int32_t>(rule_of_code_.size()); code < dictionary_->size();
           ++code) {
        rule_of_code_.push_back(RuleOf(dictionary_->At(code)));
      }
    }
    for (std::size_t row = 0; row < types.size(); ++row) {
      if (types.IsNull(row)) continue;
      const int rule =
          types.dictionary()
              ? rule_of_code_[static_cast<std::size_t>(types.fixed<std::int32_t>()[row])]
              : RuleOf(types.String(row));
      if (rule == kNoRule) continue;
      for (std::uint32_t need : needs_[static_cast<std::size_t>(rule)]) {
        if (!batch.columns[need].IsNull(row)) continue;
        failures_.push_back(
            {static_cast<std::uint32_t>(row), need, RejectReason::kMissingForType, rule});
        break;
      }
    }
  }

  Rejection Explain(const Batch& batch, const Failure& failure) const {
    const ContractField& rules = contract_.fields[failure.field];
    const std::string& name = rules.field.name;
    const Column& column = batch.columns[failure.field];
    Rejection rejection;
    rejection.record = batch.records[failure.row];
    rejection.reason = failure.reason;
    for (char c : name) rejection.pointer += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    rejection.pointer.insert(0, "/");
    rejection.actual = column.IsNull(failure.row) ? "nothing" : Show(column, failure.row);
    switch (failure.reason) {
      case RejectReason::kMissing:
        rejection.expected = "a " + ToString(rules.field.type);
        rejection.message = name + " is required";
        return rejection;
      case RejectReason::kMissingForType:
        rejection.expected = "a " + ToString(rules.field.type);
        rejection.message =
            contract_.event_types[static_cast<std::size_t>(failure.rule)].event_type + " needs " +
            name;
        return rejection;
      case RejectReason::kBlank:
        rejection.expected = "some text";
        rejection.message = name + " must not be blank";
        return rejection;
      case RejectReason::kBelowMin:
        rejection.expected = "at least " + rules.min->text;
        break;
      case RejectReason::kAboveMax:
        rejection.expected = "at most " + rules.max->text;
        break;
      case RejectReason::kNotAllowed:
        rejection.expected = OneOf(rules.allowed);
        break;
      default:
        rejection.expected = "text that matches " + rules.pattern;
        break;
    }
    rejection.message = name + " must be " + rejection.expected + ", not " + rejection.actual;
    return rejection;
  }

  const Contract contract_;
  std::vector<std::unique_ptr<TextRules>> texts_;    // by field; nullptr: no rule for texts
  std::unordered_map<std::string_view, int> rules_;  // event type -> index in needs_
  std::vector<std::vector<std::uint32_t>> needs_;    // by rule: fields
  std::size_t type_field_ = 0;
  std::shared_ptr<Dictionary> dictionary_;  // the one that rule_of_code_ is about
  std::vector<int> rule_of_code_;
  std::vector<Failure> failures_;
  std::vector<TextRules::Finding> findings_;
};

Validator::Validator(const Contract& contract) : impl_(std::make_unique<Impl>(contract)) {}

Validator::~Validator() = default;

void Validator::Validate(const Batch& batch, std::vector<std::uint32_t>* good_rows,
                         std::vector<Rejection>* rejected) {
  impl_->Validate(batch, good_rows, rejected);
}

}  // namespace weir::stream
