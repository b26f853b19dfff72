#include "config/section.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"
#include "config/environment.h"
#include "config/key_path.h"
#include "config/quantity.h"

namespace weir::config {
namespace {

std::vector<std::string> Strings(const std::vector<std::string_view>& views) {
  return {views.begin(), views.end()};
}

// In `{type: decimal(10,2)}` YAML ends the text at the comma.
bool CutAtComma(const std::vector<YamlEntry>& entries, std::size_t index) {
  return index > 0 && entries[index].value.is_null() && entries[index - 1].value.is_scalar() &&
         entries[index].key.find_first_of(")>") != std::string::npos &&
         entries[index - 1].value.text.find_first_of("(<") != std::string::npos;
}

const YamlNode& EmptyMapping() {
  static const YamlNode kEmpty = [] {
    YamlNode node;
    node.kind = YamlNode::Kind::kMapping;
    return node;
  }();
  return kEmpty;
}

std::string FormatLike(ValueKind kind, std::int64_t number) {
  if (kind == ValueKind::kDuration) return FormatDuration(number);
  if (kind == ValueKind::kSize) return FormatSize(number);
  return std::to_string(number);
}

}  // namespace

Section::Section(const YamlNode& node, const Place& place, const MappingDescriptor& mapping,
                 ReadContext& context)
    : node_(node.is_mapping() ? &node : &EmptyMapping()),
      place_(place),
      mapping_(&mapping),
      context_(context) {
  const std::size_t errors_before = context.diagnostics.errors();
  // Nothing at all counts as an empty mapping; it lacks what is required.
  if (node.is_mapping() || node.is_null()) {
    ReportUnknownKeys();
    ReportMissingKeys();
  } else if (!node.failed) {
    WrongKind(place.key_path.empty() ? "the file" : place.key_path, place, "a mapping", node);
  }
  complete_ = !node.failed && context.diagnostics.errors() == errors_before;
}

void Section::ReportUnknownKeys() {
  const auto& entries = node_->entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const KeyDescriptor* known = mapping_->Find(entries[i].key);
    if (known == nullptr) {
      ReportUnknown(entries[i], i);
    } else if (known->kind == ValueKind::kLater) {
      has_later_ = true;
      context_.diagnostics.Error(
          ErrorCode::kNotInThisVersion,
          PlaceOf(context_.file, entries[i], KeyPath(place_.key_path, entries[i].key)),
          fmt::format("`{}` is not in this version: {}", entries[i].key, known->doc),
          "leave it out");
    }
  }
}

void Section::ReportMissingKeys() {
  // What a later version needs is not known here.
  if (has_later_) return;
  for (const KeyDescriptor& known : mapping_->keys) {
    if (!known.required) continue;
    const YamlEntry* entry = Find(known.key);
    if (entry != nullptr && !entry->value.is_null()) continue;
    Place where = entry == nullptr ? place_ : PlaceOf(context_.file, *entry, "");
    where.key_path = KeyPath(place_.key_path, known.key);
    context_.diagnostics.Error(
        ErrorCode::kMissingKey, std::move(where),
        fmt::format("`{}` {}", known.key, entry == nullptr ? "is missing" : "has no value"),
        std::string(known.doc));
  }
}

void Section::ReportUnknown(const YamlEntry& entry, std::size_t index) {
  const auto allowed = AllowedKeys(*mapping_);
  Diagnostic diagnostic{.severity = Severity::kError,
                        .code = ErrorCode::kUnknownKey,
                        .place = PlaceOf(context_.file, entry, KeyPath(place_.key_path, entry.key)),
                        .message = fmt::format("unknown key `{}`", Printable(entry.key, 60)),
                        .allowed = Strings(allowed),
                        .suggestion = std::string(ClosestTo(entry.key, allowed)),
                        .help = {}};
  if (CutAtComma(node_->entries, index)) {
    diagnostic.suggestion.clear();
    diagnostic.help = fmt::format(
        "quote a text that holds a comma: {}: \"{}, {}\"", node_->entries[index - 1].key,
        Printable(node_->entries[index - 1].value.text, 60), Printable(entry.key, 60));
  } else if (entry.key == "<<") {
    diagnostic.suggestion.clear();
    diagnostic.help = "merge keys are not supported; repeat the keys";
  }
  context_.diagnostics.Add(std::move(diagnostic));
}

const YamlEntry* Section::Find(std::string_view key) const {
  for (const YamlEntry& entry : node_->entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

bool Section::Has(std::string_view key) const {
  const YamlEntry* entry = Find(key);
  return entry != nullptr && !entry->value.is_null();
}

Place Section::At(std::string_view key) const {
  const YamlEntry* entry = Find(key);
  const std::string path = KeyPath(place_.key_path, key);
  if (entry == nullptr) {
    Place place = place_;
    place.key_path = path;
    return place;
  }
  const bool inline_value = entry->value.is_scalar() && entry->value.line == entry->line;
  if (inline_value) return PlaceOf(context_.file, entry->value, path);
  return PlaceOf(context_.file, *entry, path);
}

void Section::Error(std::string_view key, ErrorCode code, std::string message, std::string help) {
  context_.diagnostics.Error(code, At(key), std::move(message), std::move(help));
}

const KeyDescriptor& Section::Descriptor(std::string_view key, ValueKind kind) const {
  const KeyDescriptor* known = mapping_->Find(key);
  WEIR_CHECK(known != nullptr && known->kind == kind);
  return *known;
}

void Section::WrongKind(std::string_view key, const Place& place, std::string_view wanted,
                        const YamlNode& node) {
  context_.diagnostics.Error(
      ErrorCode::kBadValue, place,
      fmt::format("`{}` must be {}, not {}", key, wanted, config::Describe(node.kind)));
}

void Section::BadValue(const KeyDescriptor& known, const std::string& message) {
  context_.diagnostics.Error(ErrorCode::kBadValue, At(known.key),
                             fmt::format("`{}`: {}", known.key, message));
}

bool Section::Admits(const YamlNode& node, const Place& place, bool secret) {
  if (!node.from_file || secret) return true;
  // Values that are no secrets are quoted in messages; these never may be.
  context_.diagnostics.Error(ErrorCode::kBadValue, place,
                             "a value from ${file:...} where no secret has a place",
                             "write the value, or take it from a variable: ${NAME}");
  return false;
}

void Section::NoteSecret(const YamlNode& node, const std::string& path) {
  if (!node.secret) return;
  context_.secret_paths.push_back(path);
  if (node.has_variable) return;
  context_.diagnostics.Warning(ErrorCode::kBadValue, PlaceOf(context_.file, node, path),
                               "a secret stands in the file itself",
                               "write ${NAME} or ${file:PATH}, so that the file can be shared");
}

const YamlNode* Section::Scalar(const KeyDescriptor& known) {
  const YamlEntry* entry = Find(known.key);
  if (entry == nullptr || entry->value.is_null()) {
    if (known.fallback.empty()) return nullptr;
    fallback_ = {};
    fallback_.kind = YamlNode::Kind::kScalar;
    fallback_.text = known.fallback;
    return &fallback_;
  }
  if (!entry->value.is_scalar()) {
    WrongKind(known.key, At(known.key), config::Describe(known.kind), entry->value);
    return nullptr;
  }
  if (entry->value.failed || !Admits(entry->value, At(known.key), known.secret)) return nullptr;
  NoteSecret(entry->value, KeyPath(place_.key_path, known.key));
  return &entry->value;
}

void Section::CheckChoice(const KeyDescriptor& known, const YamlNode& node) {
  const auto choices = Choices(known.choices);
  const auto later = Choices(known.later_choices);
  if (std::find(later.begin(), later.end(), node.text) != later.end()) {
    context_.diagnostics.Error(ErrorCode::kNotInThisVersion, At(known.key),
                               fmt::format("`{}: {}` is not in this version", known.key, node.text),
                               fmt::format("this version has {}", fmt::join(choices, ", ")));
    return;
  }
  context_.diagnostics.Add(
      {.severity = Severity::kError,
       .code = ErrorCode::kBadValue,
       .place = At(known.key),
       .message = fmt::format("`{}` cannot be `{}`", known.key, Printable(node.text, 60)),
       .allowed = Strings(choices),
       .suggestion = std::string(ClosestTo(node.text, choices)),
       .help = {}});
}

std::optional<std::string> Section::Text(std::string_view key) {
  const KeyDescriptor* known = mapping_->Find(key);
  WEIR_CHECK(known != nullptr);
  WEIR_CHECK(known->kind == ValueKind::kText || known->kind == ValueKind::kChoice);
  const YamlNode* node = Scalar(*known);
  if (node == nullptr) return std::nullopt;
  if (known->kind == ValueKind::kChoice) {
    const auto choices = Choices(known->choices);
    if (std::find(choices.begin(), choices.end(), node->text) == choices.end()) {
      CheckChoice(*known, *node);
      return std::nullopt;
    }
  }
  if (node->text.empty()) {
    BadValue(*known, "the text is empty");
    return std::nullopt;
  }
  return node->text;
}

std::optional<bool> Section::Boolean(std::string_view key) {
  const KeyDescriptor& known = Descriptor(key, ValueKind::kBoolean);
  const YamlNode* node = Scalar(known);
  if (node == nullptr) return std::nullopt;
  if (node->text == "true") return true;
  if (node->text == "false") return false;
  BadValue(known, fmt::format("`{}` is neither true nor false", Printable(node->text, 60)));
  return std::nullopt;
}

template <typename Parse>
std::optional<std::int64_t> Section::Number(const KeyDescriptor& known, Parse parse) {
  const YamlNode* node = Scalar(known);
  if (node == nullptr) return std::nullopt;
  const Result<std::int64_t> number = parse(node->text);
  if (!number) {
    BadValue(known, number.error().message);
    return std::nullopt;
  }
  if (*number < known.min || *number > known.max) {
    const bool low = *number < known.min;
    BadValue(known,
             fmt::format("`{}` is {} than {}", Printable(node->text, 60), low ? "less" : "more",
                         FormatLike(known.kind, low ? known.min : known.max)));
    return std::nullopt;
  }
  return *number;
}

std::optional<std::int64_t> Section::Count(std::string_view key) {
  return Number(Descriptor(key, ValueKind::kCount), ParseCount);
}

std::optional<Micros> Section::Duration(std::string_view key) {
  return Number(Descriptor(key, ValueKind::kDuration), ParseDuration);
}

std::optional<std::int64_t> Section::Size(std::string_view key) {
  return Number(Descriptor(key, ValueKind::kSize), ParseSize);
}

std::optional<std::string> Section::Path(std::string_view key) {
  const KeyDescriptor& known = Descriptor(key, ValueKind::kPath);
  const YamlNode* node = Scalar(known);
  return node == nullptr ? std::nullopt : AsPath(known, *node);
}

std::optional<std::string> Section::Location(std::string_view key) {
  const KeyDescriptor& known = Descriptor(key, ValueKind::kLocation);
  const YamlNode* node = Scalar(known);
  if (node == nullptr) return std::nullopt;
  std::string_view text = node->text;
  for (const std::string_view scheme : {"s3a://", "s3n://", "s3://"}) {
    if (!text.starts_with(scheme)) continue;
    text.remove_prefix(scheme.size());
    while (text.ends_with('/')) text.remove_suffix(1);
    const bool odd = text.empty() || text.front() == '/' ||
                     text.find("//") != std::string_view::npos ||
                     ("/" + std::string(text) + "/").find("/../") != std::string::npos ||
                     ("/" + std::string(text) + "/").find("/./") != std::string::npos;
    if (!odd) return "s3://" + std::string(text);
    BadValue(known, "it is no place of an object store; write s3://bucket/prefix");
    return std::nullopt;
  }
  return AsPath(known, *node);
}

std::optional<std::string> Section::AsPath(const KeyDescriptor& known, const YamlNode& node) {
  if (node.text.empty()) {
    BadValue(known, "the path is empty");
    return std::nullopt;
  }
  if (node.text.starts_with("~")) {
    BadValue(known, "`~` is not expanded; write ${HOME}");
    return std::nullopt;
  }
  if (node.text.find("://") != std::string::npos) {
    const bool location = known.kind == ValueKind::kLocation;
    context_.diagnostics.Error(
        ErrorCode::kNotInThisVersion, At(known.key),
        fmt::format("`{}`: storage other than a folder{} is not in this version", known.key,
                    location ? " and s3://" : ""),
        location ? "name a folder or s3://bucket/prefix" : "name a folder");
    return std::nullopt;
  }
  return AbsolutePath(context_.folder, node.text);
}

std::optional<PlacedText> Section::TextAt(std::string_view key, const YamlNode& node,
                                          std::string path) {
  if (node.failed) return std::nullopt;
  Place place = PlaceOf(context_.file, node, std::move(path));
  if (!node.is_scalar()) {
    WrongKind(key, place, "a list of texts", node);
    return std::nullopt;
  }
  if (!Admits(node, place, false)) return std::nullopt;
  return PlacedText{.text = node.text, .place = std::move(place)};
}

std::vector<PlacedText> Section::Texts(std::string_view key) {
  Descriptor(key, ValueKind::kTexts);
  std::vector<PlacedText> texts;
  const YamlEntry* entry = Find(key);
  if (entry == nullptr || entry->value.is_null()) return texts;
  const std::string path = KeyPath(place_.key_path, key);
  if (!entry->value.is_list()) {
    if (auto text = TextAt(key, entry->value, path)) texts.push_back(std::move(*text));
    return texts;
  }
  for (std::size_t i = 0; i < entry->value.items.size(); ++i) {
    auto text = TextAt(key, entry->value.items[i], ItemPath(path, i));
    if (text) texts.push_back(std::move(*text));
  }
  return texts;
}

std::map<std::string, PlacedText> Section::TextMap(std::string_view key) {
  const KeyDescriptor& known = Descriptor(key, ValueKind::kTextMap);
  std::map<std::string, PlacedText> texts;
  const YamlEntry* entry = Find(key);
  if (entry == nullptr || entry->value.is_null()) return texts;
  const std::string path = KeyPath(place_.key_path, key);
  if (!entry->value.is_mapping()) {
    if (!entry->value.failed) {
      WrongKind(key, At(key), config::Describe(ValueKind::kTextMap), entry->value);
    }
    return texts;
  }
  for (const YamlEntry& pair : entry->value.entries) {
    const Place place = PlaceOf(context_.file, pair, KeyPath(path, pair.key));
    if (pair.value.failed) continue;
    if (!pair.value.is_scalar()) {
      WrongKind(pair.key, place, "text", pair.value);
      continue;
    }
    if (!Admits(pair.value, place, known.secret)) continue;
    if (known.secret) NoteSecret(pair.value, place.key_path);
    texts[pair.key] = {.text = pair.value.text, .place = place};
  }
  return texts;
}

std::optional<Section> Section::Child(std::string_view key) {
  const KeyDescriptor& known = Descriptor(key, ValueKind::kMapping);
  const YamlEntry* entry = Find(key);
  if (entry == nullptr) return std::nullopt;
  if (entry->value.is_scalar() && !known.shorthand.empty()) return std::nullopt;
  const Place place = PlaceOf(context_.file, *entry, KeyPath(place_.key_path, key));
  return Section(entry->value, place, *known.mapping, context_);
}

std::optional<PlacedText> Section::Shorthand(std::string_view key) {
  Descriptor(key, ValueKind::kMapping);
  const YamlEntry* entry = Find(key);
  if (entry == nullptr || !entry->value.is_scalar()) return std::nullopt;
  return TextAt(key, entry->value, KeyPath(place_.key_path, key));
}

std::vector<Section::Named> Section::Children(std::string_view key) {
  const KeyDescriptor& known = Descriptor(key, ValueKind::kNamed);
  std::vector<Named> children;
  const YamlEntry* entry = Find(key);
  if (entry == nullptr || entry->value.is_null()) return children;
  if (!entry->value.is_mapping()) {
    if (!entry->value.failed) {
      WrongKind(key, At(key), config::Describe(known.kind), entry->value);
    }
    return children;
  }
  const std::string path = KeyPath(place_.key_path, key);
  for (const YamlEntry& child : entry->value.entries) {
    Named named{.name = child.key,
                .place = PlaceOf(context_.file, child, KeyPath(path, child.key)),
                .shorthand = {},
                .section = {}};
    if (child.value.is_scalar() && !known.shorthand.empty()) {
      if (child.value.failed || !Admits(child.value, named.place, false)) continue;
      named.shorthand = {.text = child.value.text,
                         .place = PlaceOf(context_.file, child.value, named.place.key_path)};
    } else {
      named.section.emplace(child.value, named.place, *known.mapping, context_);
    }
    children.push_back(std::move(named));
  }
  return children;
}

}  // namespace weir::config
