#include "config/contract_writer.h"

#include <algorithm>
#include <vector>

#include "base/bytes.h"
#include "config/key_path.h"
#include "config/variables.h"
#include "record/contract_words.h"

namespace weir::config {
namespace {

bool HoldsStruct(const Type& type) {
  return type.kind == TypeKind::kStruct ||
         std::any_of(type.children.begin(), type.children.end(),
                     [](const Field& child) { return HoldsStruct(child.type); });
}

// Whether the short spelling of a type says all of it.
bool IsShort(const Type& type) {
  if (!type.is_nested()) return true;
  if (HoldsStruct(type)) return false;
  const Field& element = type.children.back();
  return !element.required && element.doc.empty() && IsShort(element.type);
}

std::string Escaped(std::string_view, std::string_view text) {
  return EscapeVariables(std::string(text));
}

class ContractWriter {
 public:
  // brief: leaves out what is a default, and writes `name: type` for fields without rules.
  ContractWriter(const ShownText& shown, bool brief, YamlWriter& yaml)
      : shown_(shown), brief_(brief), yaml_(yaml) {}

  void Write(const Contract& contract) {
    if (!brief_ || !contract.name.empty()) Text("name", contract.name);
    yaml_.Plain("version", std::to_string(contract.version));
    if (!contract.event_type_field.empty()) Text("event_type", contract.event_type_field);
    if (!contract.event_time_field.empty()) Text("event_time", contract.event_time_field);
    if (!brief_ || contract.unknown_fields != UnknownFields::kIgnore) {
      yaml_.Plain("unknown_fields", ToString(contract.unknown_fields));
    }
    if (!brief_ || contract.unknown_column != Contract().unknown_column) {
      Text("unknown_column", contract.unknown_column);
    }
    Open("fields");
    for (const ContractField& field : contract.fields) WriteField(field);
    Close();
    if (contract.event_types.empty()) return;
    Open("event_types");
    for (const EventTypeRule& rule : contract.event_types) {
      if (brief_ && rule.needs.empty()) {
        yaml_.Plain(rule.event_type, "{}");
        continue;
      }
      Open(rule.event_type);
      Texts("needs", rule.needs);
      Close();
    }
    Close();
  }

 private:
  void Open(std::string_view key) {
    path_.emplace_back(key);
    yaml_.Open(key);
  }
  void Close() {
    path_.pop_back();
    yaml_.Close();
  }
  void Text(std::string_view key, std::string_view text) {
    std::string path;
    for (const std::string& part : path_) path = KeyPath(path, part);
    yaml_.Scalar(key, shown_(KeyPath(path, key), text));
  }
  void Texts(std::string_view key, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    std::vector<std::string> shown;
    shown.reserve(texts.size());
    for (const std::string& text : texts) shown.push_back(EscapeVariables(text));
    yaml_.List(key, shown);
  }

  static bool HasRules(const ContractField& field) {
    ContractField plain;
    plain.field.name = field.field.name;
    plain.field.type = field.field.type;
    return !(field.field == plain.field) || field.not_blank || !field.allowed.empty() ||
           field.min || field.max || !field.pattern.empty() || field.assume_utc ||
           field.from_ingestion || field.timestamp_format != TimestampFormat::kIso;
  }

  void WriteField(const ContractField& field) {
    if (brief_ && IsShort(field.field.type) && !HasRules(field)) {
      Text(field.field.name, weir::ToString(field.field.type));
      return;
    }
    Open(field.field.name);
    WriteType(field.field.type);
    WriteRules(field);
    Close();
  }

  void WriteRules(const ContractField& field) {
    if (!field.field.doc.empty()) Text("doc", field.field.doc);
    if (field.field.required) yaml_.Plain("required", "true");
    if (field.not_blank) yaml_.Plain("not_blank", "true");
    Texts("allowed", field.allowed);
    if (field.min) Text("min", field.min->text);
    if (field.max) Text("max", field.max->text);
    if (!field.pattern.empty()) Text("pattern", field.pattern);
    if (field.timestamp_format != TimestampFormat::kIso) {
      yaml_.Plain("format", ToString(field.timestamp_format));
    }
    if (field.assume_utc) yaml_.Plain("assume_utc", "true");
    if (field.from_ingestion) yaml_.Plain("from", "ingestion");
  }

  void WriteType(const Type& type) {
    if (IsShort(type)) {
      Text("type", weir::ToString(type));
      return;
    }
    if (type.kind == TypeKind::kStruct) {
      yaml_.Plain("type", "struct");
      Open("fields");
      for (const Field& child : type.children) {
        Open(child.name);
        WriteNested(child);
        Close();
      }
    } else {
      const bool list = type.kind == TypeKind::kList;
      yaml_.Plain("type", list ? "list" : "map");
      Open(list ? "items" : "value");
      WriteNested(type.children.back());
    }
    Close();
  }

  void WriteNested(const Field& field) {
    WriteType(field.type);
    if (field.required) yaml_.Plain("required", "true");
    if (!field.doc.empty()) Text("doc", field.doc);
  }

  const ShownText& shown_;
  bool brief_;
  YamlWriter& yaml_;
  std::vector<std::string> path_;
};

}  // namespace

void WriteContract(const Contract& contract, const ShownText& shown, YamlWriter& yaml) {
  ContractWriter(shown, /*brief=*/false, yaml).Write(contract);
}

std::string ContractText(const Contract& contract) {
  YamlWriter yaml;
  const ShownText shown = Escaped;
  ContractWriter(shown, /*brief=*/true, yaml).Write(contract);
  return yaml.Take();
}

std::string ContractHash(const Contract& contract) {
  YamlWriter yaml;
  WriteContract(contract, Escaped, yaml);
  return Sha256Hex(yaml.Take());
}

}  // namespace weir::config
