#include "record/contract_diff.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "record/contract_words.h"

namespace weir {
namespace {

constexpr const char* kNewPipeline =
    "start a new pipeline name with new tables, and fill them by reading the log again";

std::string Quoted(std::string_view text) { return "`" + Printable(text, 60) + "`"; }

bool Holds(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// Those of `some` that `others` lacks, for people.
std::string Missing(const std::vector<std::string>& some, const std::vector<std::string>& others) {
  std::string text;
  for (const std::string& value : some) {
    if (!Holds(others, value)) text += (text.empty() ? "" : ", ") + Quoted(value);
  }
  return text;
}

const Field* Find(const std::vector<Field>& fields, std::string_view name) {
  for (const Field& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

class Differ {
 public:
  Differ(const Contract& before, const Contract& after) : before_(before), after_(after) {}

  std::vector<ContractChange> Run() {
    for (const ContractField& field : before_.fields) {
      if (const auto index = after_.IndexOf(field.field.name)) {
        CompareFields(field, after_.fields[*index]);
      } else {
        ReportGone(field);
      }
    }
    for (const ContractField& field : after_.fields) {
      if (!before_.IndexOf(field.field.name) && !Holds(renamed_, field.field.name)) {
        ReportAdded(field.field, field.field.name);
      }
    }
    CompareEventTypes();
    CompareWhole();
    return std::move(changes_);
  }

 private:
  void Compatible(std::string kind, const std::string& path, std::string message, std::string why) {
    changes_.push_back({.compatible = true,
                        .kind = std::move(kind),
                        .path = path,
                        .message = std::move(message),
                        .why = std::move(why),
                        .plan = {}});
  }
  void Breaking(std::string kind, const std::string& path, std::string message, std::string why,
                std::string plan) {
    changes_.push_back({.compatible = false,
                        .kind = std::move(kind),
                        .path = path,
                        .message = std::move(message),
                        .why = std::move(why),
                        .plan = std::move(plan)});
  }
  void Tightened(const std::string& path, std::string message) {
    Breaking("rule_tightened", path, std::move(message), "events that were valid would be refused",
             "let `weir test` or `weir quarantine` show what it would refuse, mend the producers, "
             "then restart the pipeline with it");
  }
  void Loosened(const std::string& path, std::string message) {
    Compatible("rule_loosened", path, std::move(message), "every event that was valid stays valid");
  }

  // The only added field of the same type and rules is probably the same one under another name.
  const ContractField* RenamedTo(const ContractField& gone) const {
    const ContractField* match = nullptr;
    for (const ContractField& field : after_.fields) {
      if (before_.IndexOf(field.field.name) || Holds(renamed_, field.field.name)) continue;
      const bool same = field.field.type == gone.field.type &&
                        field.field.required == gone.field.required &&
                        field.allowed == gone.allowed && field.pattern == gone.pattern;
      if (!same) continue;
      if (match != nullptr) return nullptr;
      match = &field;
    }
    return match;
  }

  void ReportGone(const ContractField& gone) {
    const std::string& name = gone.field.name;
    if (const ContractField* to = RenamedTo(gone)) {
      renamed_.push_back(to->field.name);
      Breaking(
          "field_renamed", name, "renamed to " + Quoted(to->field.name) + ", as it seems",
          "the old column would stay and get nulls, and its readers would not find the new one",
          "add " + Quoted(to->field.name) +
              " as an optional field beside it, let producers and readers move over, then "
              "drop the old one under a new pipeline name");
      return;
    }
    Breaking("field_removed", name, "removed", "its column would get nulls from here on",
             gone.field.required
                 ? "make it optional first; then drop it under a new pipeline name with new tables"
                 : "leave it in the contract as an optional field until nobody reads its column");
  }

  void ReportAdded(const Field& field, const std::string& path) {
    const std::string what =
        "added, " + std::string(field.required ? "required " : "optional ") + ToString(field.type);
    if (!field.required) {
      Compatible("field_added", path, what, "events and rows without it have null there");
      return;
    }
    Breaking("required_field_added", path, what,
             "events that were valid would be refused, and rows that exist have no value for it",
             "add it as an optional field, and ask for it by `event_types` or a restart once all "
             "producers send it");
  }

  void CompareFields(const ContractField& before, const ContractField& after) {
    const std::string& path = before.field.name;
    const bool comparable = CompareTypes(before.field.type, after.field.type, path);
    CompareRequired(before.field, after.field, path);
    if (before.field.doc != after.field.doc) {
      Compatible("doc_changed", path, "another comment", "it says nothing to events");
    }
    CompareReading(before, after, path);
    if (!comparable) return;
    CompareTextRules(before, after, path);
    CompareBound(before, after, before.min, after.min, path, "min", -1);
    CompareBound(before, after, before.max, after.max, path, "max", 1);
  }

  void CompareRequired(const Field& before, const Field& after, const std::string& path) {
    if (before.required == after.required) return;
    if (after.required) {
      Breaking("rule_tightened", path, "required from here on",
               "events without it would be refused, and the column may hold nulls already",
               "mend the producers; then ask for it by `event_types`, or start a new pipeline name "
               "with new tables");
      return;
    }
    Breaking("required_dropped", path, "optional from here on",
             "the column is required, and its readers rely on that",
             "make the column optional by another engine (ALTER TABLE ... DROP NOT NULL), then "
             "restart the pipeline");
  }

  // Whether both are of one kind, so that rules over their values can be compared.
  bool CompareTypes(const Type& before, const Type& after, const std::string& path) {
    if (before.kind == after.kind && before.is_nested()) {
      if (before.kind == TypeKind::kStruct) {
        CompareStructs(before, after, path);
        return true;
      }
      for (std::size_t i = 0; i < before.children.size(); ++i) {
        const std::string below = path + "." + before.children[i].name;
        CompareTypes(before.children[i].type, after.children[i].type, below);
        CompareRequired(before.children[i], after.children[i], below);
      }
      return true;
    }
    if (before == after) return true;
    const std::string what = ToString(before) + " -> " + ToString(after);
    if (IsWidening(before, after)) {
      Compatible("type_widened", path, what, "every value of the old type is one of the new type");
      return true;
    }
    if (IsWidening(after, before)) {
      Breaking("type_narrowed", path, what, "values that were valid do not fit any more",
               "keep the wide type and bound its values by `min` and `max`");
      return false;
    }
    Breaking("type_changed", path, what, "the column's values would mean something else",
             "add a field of the new type under another name; or " + std::string(kNewPipeline));
    return false;
  }

  void CompareStructs(const Type& before, const Type& after, const std::string& path) {
    for (const Field& field : before.children) {
      const std::string below = path + "." + field.name;
      const Field* match = Find(after.children, field.name);
      if (match == nullptr) {
        Breaking("field_removed", below, "removed", "its column would get nulls from here on",
                 "leave it in the contract until nobody reads its column");
        continue;
      }
      CompareTypes(field.type, match->type, below);
      CompareRequired(field, *match, below);
    }
    for (const Field& field : after.children) {
      if (Find(before.children, field.name) == nullptr) ReportAdded(field, path + "." + field.name);
    }
  }

  // How the text of an event becomes the value.
  void CompareReading(const ContractField& before, const ContractField& after,
                      const std::string& path) {
    if (before.timestamp_format != after.timestamp_format) {
      Breaking("format_changed", path,
               "format " + std::string(ToString(before.timestamp_format)) + " -> " +
                   std::string(ToString(after.timestamp_format)),
               "the same event would get another time", kNewPipeline);
    }
    if (before.assume_utc != after.assume_utc) {
      if (after.assume_utc) {
        Loosened(path, "a timestamp without zone is UTC from here on");
      } else {
        Tightened(path, "a timestamp without zone is refused from here on");
      }
    }
    if (before.from_ingestion != after.from_ingestion) {
      Breaking("source_changed", path,
               after.from_ingestion ? "filled by ingestion from here on"
                                    : "read from the event from here on",
               "the column's values would mean something else", kNewPipeline);
    }
  }

  void CompareTextRules(const ContractField& before, const ContractField& after,
                        const std::string& path) {
    if (before.not_blank != after.not_blank) {
      if (after.not_blank) {
        Tightened(path, "must not be blank from here on");
      } else {
        Loosened(path, "may be blank from here on");
      }
    }
    CompareAllowed(before, after, path);
    if (before.pattern == after.pattern) return;
    if (after.pattern.empty()) {
      Loosened(path, "no pattern any more");
    } else {
      Tightened(path, (before.pattern.empty() ? "must match the pattern "
                                              : "must match another pattern, ") +
                          Quoted(after.pattern));
    }
  }

  // The list that event_types stands for: told there.
  static bool IsListOfTypes(const Contract& contract, const ContractField& field) {
    if (field.field.name != contract.event_type_field) return false;
    return contract.event_types.size() == field.allowed.size() &&
           std::all_of(contract.event_types.begin(), contract.event_types.end(),
                       [&](const auto& rule) { return Holds(field.allowed, rule.event_type); });
  }

  void CompareAllowed(const ContractField& before, const ContractField& after,
                      const std::string& path) {
    if (IsListOfTypes(before_, before) && IsListOfTypes(after_, after)) return;
    if (before.allowed.empty() && after.allowed.empty()) return;
    if (after.allowed.empty()) return Loosened(path, "any value is allowed from here on");
    if (before.allowed.empty()) {
      return Tightened(path, "only a list of values is allowed from here on");
    }
    const std::string gone = Missing(before.allowed, after.allowed);
    const std::string added = Missing(after.allowed, before.allowed);
    if (!gone.empty()) Tightened(path, "no longer allowed: " + gone);
    if (!added.empty()) Loosened(path, "allowed too: " + added);
  }

  // side: -1 for min, 1 for max.
  void CompareBound(const ContractField& before_field, const ContractField& after_field,
                    const std::optional<Bound>& before, const std::optional<Bound>& after,
                    const std::string& path, const std::string& name, int side) {
    if (!before && !after) return;
    if (!after) return Loosened(path, "no " + name + " any more");
    if (!before) return Tightened(path, name + " " + after->text);
    const auto is_real = [](const ContractField& field) {
      return field.field.type.kind == TypeKind::kDouble ||
             field.field.type.kind == TypeKind::kFloat;
    };
    const bool real = is_real(before_field) || is_real(after_field);
    const bool below = real ? after->real < before->real : after->number < before->number;
    const bool above = real ? after->real > before->real : after->number > before->number;
    if (!below && !above) return;
    const std::string what = name + " " + before->text + " -> " + after->text;
    const bool tighter = side < 0 ? above : below;
    if (tighter) {
      Tightened(path, what);
    } else {
      Loosened(path, what);
    }
  }

  static const EventTypeRule* RuleOf(const Contract& contract, const std::string& type) {
    for (const EventTypeRule& rule : contract.event_types) {
      if (rule.event_type == type) return &rule;
    }
    return nullptr;
  }

  void CompareEventTypes() {
    if (before_.event_types.empty() != after_.event_types.empty()) {
      if (before_.event_types.empty()) {
        Tightened("event_types", "events of other types are refused from here on");
      } else {
        Loosened("event_types", "events of any type are taken from here on");
      }
      return;
    }
    for (const EventTypeRule& rule : before_.event_types) {
      const std::string path = "event_types." + rule.event_type;
      const EventTypeRule* match = RuleOf(after_, rule.event_type);
      if (match == nullptr) {
        Tightened(path, "removed");
        continue;
      }
      const std::string gone = Missing(rule.needs, match->needs);
      const std::string added = Missing(match->needs, rule.needs);
      if (!added.empty()) Tightened(path, "needs " + added + " too");
      if (!gone.empty()) Loosened(path, "no longer needs " + gone);
    }
    for (const EventTypeRule& rule : after_.event_types) {
      if (RuleOf(before_, rule.event_type) == nullptr) {
        Compatible("event_type_added", "event_types." + rule.event_type, "added",
                   "every event that was valid stays valid");
      }
    }
  }

  void CompareWhole() {
    if (before_.event_time_field != after_.event_time_field) {
      Breaking("event_time_changed", "event_time",
               Quoted(before_.event_time_field) + " -> " + Quoted(after_.event_time_field),
               "watermarks, windows and sessions were made by the other one", kNewPipeline);
    }
    if (before_.event_type_field != after_.event_type_field) {
      Breaking("event_type_changed", "event_type",
               Quoted(before_.event_type_field) + " -> " + Quoted(after_.event_type_field),
               "sessions, funnels and the rules of event types were made by the other one",
               kNewPipeline);
    }
    CompareUnknown();
    if (before_.name != after_.name) {
      Compatible("name_changed", "", Quoted(before_.name) + " -> " + Quoted(after_.name),
                 "it says nothing to events");
    }
    if (before_.version != after_.version) {
      Compatible(
          "version_changed", "",
          "version " + std::to_string(before_.version) + " -> " + std::to_string(after_.version),
          "quarantined rows carry it");
    }
  }

  void CompareUnknown() {
    const UnknownFields before = before_.unknown_fields;
    const UnknownFields after = after_.unknown_fields;
    const std::string what = std::string(ToString(before)) + " -> " + std::string(ToString(after));
    if (before == after) {
      if (after != UnknownFields::kKeep || before_.unknown_column == after_.unknown_column) return;
      Breaking("unknown_column_changed", "unknown_column",
               Quoted(before_.unknown_column) + " -> " + Quoted(after_.unknown_column),
               "the old column would get nulls from here on", "keep the name");
    } else if (after == UnknownFields::kReject) {
      Tightened("unknown_fields", what);
    } else if (before == UnknownFields::kKeep) {
      Breaking("unknown_no_longer_kept", "unknown_fields", what,
               "what the contract does not know would be lost from here on", "go on keeping them");
    } else if (after == UnknownFields::kKeep) {
      Compatible("unknown_kept", "unknown_fields", what,
                 "a map column is added; rows without unknown fields have null there");
    } else {
      Loosened("unknown_fields", what);
    }
  }

  const Contract& before_;
  const Contract& after_;
  std::vector<std::string> renamed_;  // fields of `after_` that were told as another one's new name
  std::vector<ContractChange> changes_;
};

}  // namespace

std::vector<ContractChange> DiffContracts(const Contract& before, const Contract& after) {
  return Differ(before, after).Run();
}

bool IsCompatible(std::span<const ContractChange> changes) {
  return std::all_of(changes.begin(), changes.end(),
                     [](const ContractChange& change) { return change.compatible; });
}

bool IsWidening(const Type& narrow, const Type& wide) {
  if (narrow.kind == TypeKind::kInt) return wide.kind == TypeKind::kLong;
  if (narrow.kind == TypeKind::kFloat) return wide.kind == TypeKind::kDouble;
  if (narrow.kind == TypeKind::kDecimal && wide.kind == TypeKind::kDecimal) {
    return wide.scale == narrow.scale && wide.precision > narrow.precision;
  }
  return false;
}

}  // namespace weir
