#include "config/contract_reader.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"
#include "config/field_reader.h"
#include "config/keys.h"
#include "record/contract_words.h"

namespace weir::config {
namespace {

class ContractReader {
 public:
  explicit ContractReader(Section section)
      : section_(std::move(section)), diagnostics_(section_.context().diagnostics) {}

  std::optional<Contract> Read() {
    const std::size_t errors_before = diagnostics_.errors();
    const auto sound = [&] {
      return section_.complete() && diagnostics_.errors() == errors_before;
    };
    contract_.name = section_.Text("name").value_or("");
    contract_.version = static_cast<int>(section_.Count("version").value_or(1));
    contract_.unknown_fields = UnknownFieldsOf(section_.Text("unknown_fields").value_or(""))
                                   .value_or(UnknownFields::kIgnore);
    contract_.unknown_column = section_.Text("unknown_column").value_or("unknown_fields");
    ReadFields();
    // Rules that name fields cannot be judged while a field is missing for another reason.
    if (sound()) {
      contract_.event_time_field = FieldNamedBy("event_time");
      contract_.event_type_field = FieldNamedBy("event_type");
      ReadEventTypes();
    }
    if (sound()) CheckWhole();
    if (!sound()) return std::nullopt;
    return std::move(contract_);
  }

 private:
  void ReadFields() {
    for (Section::Named& named : section_.Children("fields")) {
      auto field = ReadField(named, diagnostics_);
      if (field) contract_.fields.push_back(std::move(*field));
    }
  }

  void ReportNoField(const Place& place, std::string_view name) {
    std::vector<std::string_view> known;
    if (!diagnostics_.full()) {
      for (const ContractField& field : contract_.fields) known.push_back(field.field.name);
    }
    diagnostics_.Add(
        {.severity = Severity::kError,
         .code = ErrorCode::kContractInvalid,
         .place = place,
         .message = fmt::format("`{}` is no field of the contract", Printable(name, 60)),
         .allowed = {},
         .suggestion = std::string(ClosestTo(name, known)),
         .help = {}});
  }

  std::string FieldNamedBy(std::string_view key) {
    const auto name = section_.Text(key);
    if (!name) return {};
    if (contract_.IndexOf(*name)) return *name;
    ReportNoField(section_.At(key), *name);
    return {};
  }

  void ReadEventTypes() {
    for (Section::Named& named : section_.Children("event_types")) {
      EventTypeRule rule{.event_type = named.name, .needs = {}};
      for (PlacedText& need : named.section->Texts("needs")) {
        if (!contract_.IndexOf(need.text)) {
          ReportNoField(need.place, need.text);
          continue;
        }
        rule.needs.push_back(std::move(need.text));
      }
      contract_.event_types.push_back(std::move(rule));
    }
    if (!contract_.event_types.empty() && !section_.Has("event_type")) {
      section_.Error("event_types", ErrorCode::kContractInvalid,
                     "`event_types` needs `event_type`, the field that holds the type");
    }
  }

  void CheckWhole() {
    const Status status = Check(contract_);
    if (!status) {
      section_.Error(PlaceOfRule(status.error().message), ErrorCode::kContractInvalid,
                     status.error().message);
      return;
    }
    AllowListedTypesOnly();
  }

  // The top-level key that a message of Check is about.
  std::string_view PlaceOfRule(const std::string& message) const {
    if (message.starts_with("event_time_field")) return "event_time";
    if (message.starts_with("event_type_field")) return "event_type";
    if (message.starts_with("event type ")) return "event_types";
    return "fields";
  }

  // Where event types are listed, there are no others.
  void AllowListedTypesOnly() {
    const auto index = contract_.IndexOf(contract_.event_type_field);
    if (!index || contract_.event_types.empty()) return;
    std::vector<std::string>& allowed = contract_.fields[*index].allowed;
    if (!allowed.empty()) return;
    for (const EventTypeRule& rule : contract_.event_types) allowed.push_back(rule.event_type);
  }

  Section section_;
  Diagnostics& diagnostics_;
  Contract contract_;
};

}  // namespace

std::optional<Contract> ReadContract(Section section) {
  return ContractReader(std::move(section)).Read();
}

std::optional<Contract> ReadContract(ConfigFile& file) {
  const Place place{.file = file.context.file, .key_path = {}};
  return ReadContract(Section(file.root, place, kContractKeys, file.context));
}

}  // namespace weir::config
