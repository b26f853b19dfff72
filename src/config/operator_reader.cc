#include "config/operator_reader.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "config/aggregate_text.h"

namespace weir::config {
namespace {

constexpr std::size_t kMaxSteps = 64;

// What a pipeline gets without saying, where the contract has such columns.
constexpr std::string_view kPage = "page_url";
constexpr std::string_view kPrice = "price";
constexpr std::string_view kQuantity = "quantity";
constexpr std::string_view kPurchase = "purchase";

// Checks names against a contract; without one nothing is wrong.
class ContractCheck {
 public:
  ContractCheck(const Contract* contract, Diagnostics& diagnostics)
      : contract_(contract), diagnostics_(diagnostics) {
    if (contract_ != nullptr) columns_ = TableSchema(*contract_);
  }

  bool has_contract() const { return contract_ != nullptr; }
  const Contract& contract() const { return *contract_; }

  const ContractField* FieldOf(std::string_view name) const {
    const auto index = contract_ == nullptr ? std::nullopt : contract_->IndexOf(name);
    return index ? &contract_->fields[*index] : nullptr;
  }

  // Reports what the rules say against a column; `probe` uses that column only.
  bool Accepts(const Result<Schema>& probe, const std::string& column, const Place& place) {
    if (probe) return true;
    Diagnostic diagnostic{.severity = Severity::kError,
                          .code = ErrorCode::kPipelineInvalid,
                          .place = place,
                          .message = probe.error().message,
                          .allowed = {},
                          .suggestion = {},
                          .help = {}};
    if (!columns_.IndexOf(column) && !diagnostics_.full()) {
      std::vector<std::string_view> known;
      for (const Field& field : columns_.fields) known.push_back(field.name);
      diagnostic.suggestion = std::string(ClosestTo(column, known));
    }
    diagnostics_.Add(std::move(diagnostic));
    return false;
  }

  // A column that rows are told apart by: groups and keys.
  bool AcceptsGroup(const std::string& column, const Place& place) {
    if (contract_ == nullptr) return true;
    WindowRules probe;
    probe.by = {column};
    return Accepts(WindowColumns(*contract_, probe), column, place);
  }

  // A key that every valid row has.
  bool AcceptsKey(const std::string& column, const Place& place) {
    if (contract_ == nullptr) return true;
    if (!AcceptsGroup(column, place)) return false;
    const ContractField* field = FieldOf(column);
    if (field == nullptr || field->from_ingestion) {
      diagnostics_.Error(ErrorCode::kPipelineInvalid, place,
                         fmt::format("`{}` is not carried by events", Printable(column, 60)));
      return false;
    }
    if (field->field.required) return true;
    diagnostics_.Error(
        ErrorCode::kPipelineInvalid, place,
        fmt::format("`{}` may be null, so it is no key", Printable(column, 60)),
        "make it `required: true` in the contract; events without it are then invalid");
    return false;
  }

  // Empty: the contract lets the type be any text.
  std::vector<std::string> EventTypes() const {
    if (contract_ == nullptr) return {};
    const ContractField* field = FieldOf(contract_->event_type_field);
    return field == nullptr ? std::vector<std::string>() : field->allowed;
  }

  void CheckEventType(const std::string& type, const Place& place) {
    const std::vector<std::string> types = EventTypes();
    if (types.empty() || std::ranges::find(types, type) != types.end()) return;
    const std::vector<std::string_view> known(types.begin(), types.end());
    diagnostics_.Add(
        {.severity = Severity::kError,
         .code = ErrorCode::kPipelineInvalid,
         .place = place,
         .message = fmt::format("`{}` is no event type of the contract", Printable(type, 60)),
         .allowed = types,
         .suggestion = std::string(ClosestTo(type, known)),
         .help = {}});
  }

  bool HasEventType(Section& section, std::string_view what) {
    if (contract_ == nullptr || !contract_->event_type_field.empty()) return true;
    diagnostics_.Error(ErrorCode::kPipelineInvalid, section.place(),
                       fmt::format("`{}` needs a contract with `event_type`", what),
                       "name the field that holds the event's type");
    return false;
  }

 private:
  const Contract* contract_;
  Diagnostics& diagnostics_;
  Schema columns_;
};

// Reports what is wrong with the columns as a whole, where each alone is right.
void CheckWhole(Section& section, std::size_t errors_before, const Result<Schema>& columns) {
  Diagnostics& diagnostics = section.context().diagnostics;
  if (columns || diagnostics.errors() != errors_before) return;
  diagnostics.Error(ErrorCode::kPipelineInvalid, section.place(), columns.error().message);
}

// In the order of the file: it is the order of the columns.
std::vector<std::pair<std::string, PlacedText>> InFileOrder(
    const std::map<std::string, PlacedText>& texts) {
  std::vector<std::pair<std::string, PlacedText>> ordered(texts.begin(), texts.end());
  std::ranges::stable_sort(ordered, {}, [](const auto& pair) {
    return std::tuple(pair.second.place.line, pair.second.place.column);
  });
  return ordered;
}

class WindowReader {
 public:
  WindowReader(Section& section, const Contract* contract)
      : section_(section),
        diagnostics_(section.context().diagnostics),
        check_(contract, diagnostics_) {}

  WindowRules Read() {
    const std::size_t errors_before = diagnostics_.errors();
    rules_.size = section_.Duration("size").value_or(0);
    rules_.offset = section_.Duration("offset").value_or(0);
    if (rules_.size > 0 && rules_.offset >= rules_.size) {
      section_.Error("offset", ErrorCode::kBadValue, "`offset` must be less than `size`");
    }
    for (PlacedText& text : section_.Texts("by")) {
      if (check_.AcceptsGroup(text.text, text.place)) rules_.by.push_back(std::move(text.text));
    }
    ReadAggregates();
    if (check_.has_contract()) {
      CheckWhole(section_, errors_before, WindowColumns(check_.contract(), rules_));
    }
    return std::move(rules_);
  }

 private:
  void ReadAggregates() {
    const auto texts = section_.TextMap("aggregates");
    for (auto& [name, text] : InFileOrder(texts)) {
      Result<Aggregate> aggregate = ParseAggregate(text.text);
      if (!aggregate) {
        diagnostics_.Error(ErrorCode::kBadValue, text.place, aggregate.error().message);
        continue;
      }
      if (name.empty()) {
        diagnostics_.Error(ErrorCode::kBadValue, text.place, "the column has no name");
        continue;
      }
      aggregate->name = name;
      if (check_.has_contract()) {
        WindowRules probe;
        probe.aggregates = {*aggregate};
        // A clash with window_start shows here, too; the place is the same.
        if (!check_.Accepts(WindowColumns(check_.contract(), probe), aggregate->column, text.place))
          continue;
      }
      rules_.aggregates.push_back(std::move(aggregate).value());
    }
    if (texts.empty()) {
      rules_.aggregates = {{.kind = AggregateKind::kCount, .column = {}, .name = "count"}};
    }
  }

  Section& section_;
  Diagnostics& diagnostics_;
  ContractCheck check_;
  WindowRules rules_;
};

class SessionReader {
 public:
  SessionReader(Section& section, const Contract* contract)
      : section_(section),
        diagnostics_(section.context().diagnostics),
        check_(contract, diagnostics_) {}

  SessionRules Read() {
    const std::size_t errors_before = diagnostics_.errors();
    rules_.by = section_.Text("by").value_or("");
    rules_.gap = section_.Duration("gap").value_or(0);
    const auto split = section_.Text("split");
    rules_.split = split == "hour"  ? SessionSplit::kHour
                   : split == "day" ? SessionSplit::kDay
                                    : SessionSplit::kNone;
    checked_ = check_.has_contract() && !rules_.by.empty() &&
               check_.AcceptsKey(rules_.by, section_.At("by"));
    ReadPage();
    rules_.first = ReadColumns("first", &SessionRules::first);
    rules_.last = ReadColumns("last", &SessionRules::last);
    ReadValue();
    if (checked_) CheckWhole(section_, errors_before, SessionColumns(check_.contract(), rules_));
    return std::move(rules_);
  }

 private:
  bool Accepts(SessionRules probe, const std::string& column, const Place& place) {
    if (!checked_) return true;
    probe.by = rules_.by;
    return check_.Accepts(SessionColumns(check_.contract(), probe), column, place);
  }

  void ReadPage() {
    if (const auto page = section_.Text("page")) {
      SessionRules probe;
      probe.page = *page;
      if (Accepts(std::move(probe), *page, section_.At("page"))) rules_.page = *page;
    } else if (!section_.Has("page") && check_.FieldOf(kPage) != nullptr) {
      rules_.page = kPage;
    }
  }

  std::vector<std::string> ReadColumns(std::string_view key,
                                       std::vector<std::string> SessionRules::*member) {
    std::vector<std::string> columns;
    for (PlacedText& text : section_.Texts(key)) {
      SessionRules probe;
      probe.*member = {text.text};
      if (Accepts(std::move(probe), text.text, text.place)) columns.push_back(std::move(text.text));
    }
    return columns;
  }

  void ReadValue() {
    auto value = section_.Child("value");
    if (!value) return SetDefaultValue();
    rules_.value_event = value->Text("event").value_or("");
    rules_.price = value->Text("price").value_or("");
    rules_.quantity = value->Text("quantity").value_or("");
    if (!check_.HasEventType(*value, "value") || !value->complete()) return;
    check_.CheckEventType(rules_.value_event, value->At("event"));
    SessionRules probe;
    probe.value_event = rules_.value_event;
    probe.price = rules_.price;
    if (!Accepts(probe, rules_.price, value->At("price")) || rules_.quantity.empty()) return;
    probe.quantity = rules_.quantity;
    Accepts(std::move(probe), rules_.quantity, value->At("quantity"));
  }

  void SetDefaultValue() {
    if (!check_.has_contract() || check_.contract().event_type_field.empty()) return;
    const std::vector<std::string> types = check_.EventTypes();
    if (!types.empty() && std::ranges::find(types, kPurchase) == types.end()) return;
    const ContractField* price = check_.FieldOf(kPrice);
    if (price == nullptr || price->field.type.kind != TypeKind::kDecimal) return;
    rules_.value_event = kPurchase;
    rules_.price = kPrice;
    const ContractField* quantity = check_.FieldOf(kQuantity);
    if (quantity == nullptr) return;
    const TypeKind kind = quantity->field.type.kind;
    if (kind == TypeKind::kInt || kind == TypeKind::kLong) rules_.quantity = kQuantity;
  }

  Section& section_;
  Diagnostics& diagnostics_;
  ContractCheck check_;
  SessionRules rules_;
  bool checked_ = false;  // whether columns can be checked
};

FunnelRules ReadFunnel(Section& section, const Contract* contract) {
  Diagnostics& diagnostics = section.context().diagnostics;
  ContractCheck check(contract, diagnostics);
  FunnelRules rules;
  rules.size = section.Duration("size").value_or(rules.size);
  const bool has_type = check.HasEventType(section, "funnel");
  for (PlacedText& text : section.Texts("steps")) {
    if (has_type) check.CheckEventType(text.text, text.place);
    rules.steps.push_back(std::move(text.text));
  }
  if (section.Has("steps") && (rules.steps.empty() || rules.steps.size() > kMaxSteps)) {
    section.Error("steps", ErrorCode::kBadValue, fmt::format("`steps` are 1 to {}", kMaxSteps));
  }
  return rules;
}

ActiveUserRules ReadActiveUsers(Section& section, const Contract* contract) {
  ContractCheck check(contract, section.context().diagnostics);
  const std::string user = section.Text("user").value_or("");
  if (!user.empty()) check.AcceptsGroup(user, section.At("user"));
  return {.user = user};
}

}  // namespace

void ReadOperator(Section& section, const Contract* contract, TableSpec& table) {
  switch (table.from) {
    case TableFrom::kWindows:
      table.windows = WindowReader(section, contract).Read();
      return;
    case TableFrom::kSessions:
      table.sessions = SessionReader(section, contract).Read();
      return;
    case TableFrom::kFunnel:
      table.funnel = ReadFunnel(section, contract);
      return;
    case TableFrom::kActiveUsers:
      table.active_users = ReadActiveUsers(section, contract);
      return;
    case TableFrom::kSessionStats:
      table.session_stats = {.size = section.Duration("size").value_or(kMicrosPerDay)};
      return;
    default:
      return;
  }
}

DedupeRules ReadDedupe(Section& section, const Contract* contract) {
  Diagnostics& diagnostics = section.context().diagnostics;
  ContractCheck check(contract, diagnostics);
  DedupeRules rules;
  for (PlacedText& text : section.Texts("key")) {
    if (!check.AcceptsKey(text.text, text.place)) continue;
    if (std::ranges::find(rules.key, text.text) != rules.key.end()) {
      diagnostics.Error(ErrorCode::kPipelineInvalid, text.place,
                        fmt::format("`{}` is there twice", Printable(text.text, 60)));
    }
    rules.key.push_back(std::move(text.text));
  }
  if (section.Has("key") && rules.key.empty() && section.Texts("key").empty()) {
    section.Error("key", ErrorCode::kBadValue, "`key` names no column");
  }
  rules.horizon = section.Duration("horizon").value_or(0);
  rules.compact = section.Text("mode") == "compact";
  return rules;
}

}  // namespace weir::config
