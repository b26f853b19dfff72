#include "config/reference.h"

#include <fmt/format.h>

#include "config/kafka_options.h"
#include "config/keys.h"

namespace weir::config {
namespace {

constexpr std::string_view kIntroduction = R"(# Configuration

A pipeline is one YAML file, its contract another one (or a part of the first). `weir validate`
checks both with the code that `weir run` uses, `weir config echo` prints what Weir understood, and
`weir config schema` prints a JSON Schema for editors. `examples/retail/` holds a complete pair,
`examples/medallion/` one with all of event time.

This page is made from the tables that the parser works by; a test fails when they differ.

## Rules of the files

- Unknown keys, duplicate keys, a second document and tags are errors. Every error is reported at
  once, with its line, and says what is allowed.
- **Durations** carry a unit: `500ms`, `1s`, `10m`, `2h`, `5d`. **Sizes** too: `64KiB`, `512MiB`,
  `1GiB`. Whole numbers may be grouped: `2_000_000`.
- **Paths** count from the folder of the pipeline file.
- **Variables** in values: `${NAME}` must be set and not blank; `${NAME:-default}` has a default;
  `${NAME:?message}` says what is missing; `$${` stands for the text `${`. Inside `{ }` and `[ ]`
  quote them: `{brokers: "${BROKERS}"}`. They are replaced after the YAML was read, so a value never
  changes the structure.
- **Secrets**: `${file:PATH}` reads a value from a file, for `brokers`, `username`, passwords,
  `options` and `properties`. Such values, and those of keys like `password`, are never printed.
- Anchors and aliases work within limits; merge keys (`<<`) do not. A file may have 1 MiB, 32 levels
  and 50,000 values.
)";

// Table cells must not break at a pipe.
std::string Cell(std::string_view text) {
  std::string cell;
  for (char c : text) {
    if (c == '|') cell += '\\';
    cell += c;
  }
  return cell;
}

std::string ValueText(const KeyDescriptor& key) {
  if (key.kind == ValueKind::kChoice) {
    std::string text;
    for (std::string_view choice : Choices(key.choices)) {
      text += fmt::format("{}`{}`", text.empty() ? "" : ", ", choice);
    }
    return text;
  }
  std::string text;
  if (key.kind == ValueKind::kMapping) {
    text = fmt::format("mapping, see *{}*", key.mapping->title);
  } else if (key.kind == ValueKind::kNamed) {
    text = fmt::format("names with mappings, see *{}*", key.mapping->title);
  } else if (key.kind == ValueKind::kBoolean) {
    text = "`true`, `false`";
  } else {
    const std::string_view described = Describe(key.kind);
    text = described.substr(0, described.find(','));
  }
  if (!key.shorthand.empty()) text += fmt::format("; or {}", key.shorthand);
  return text;
}

std::string MappingText(const MappingDescriptor& mapping) {
  std::string text = fmt::format("\n## {}\n\n{}\n\n", mapping.title, mapping.doc);
  text += "| key | value | default | meaning |\n| --- | --- | --- | --- |\n";
  std::string later;
  for (const KeyDescriptor& key : mapping.keys) {
    if (key.kind == ValueKind::kLater) {
      later += fmt::format("{}`{}`", later.empty() ? "" : ", ", key.key);
      continue;
    }
    std::string fallback = key.required ? "required" : "";
    if (!key.fallback.empty()) fallback = fmt::format("`{}`", key.fallback);
    text += fmt::format("| `{}` | {} | {} | {} |\n", key.key, Cell(ValueText(key)), fallback,
                        Cell(key.doc));
  }
  if (!later.empty()) text += fmt::format("\nNot in this version: {}.\n", later);
  return text;
}

std::string_view KindText(OptionKind kind) {
  switch (kind) {
    case OptionKind::kText:
      return "text";
    case OptionKind::kInteger:
      return "whole number";
    case OptionKind::kBoolean:
      return "`true`, `false`";
    case OptionKind::kChoice:
      return "";
    case OptionKind::kPath:
      return "path";
    case OptionKind::kSecret:
      return "secret";
  }
  return "";
}

std::string OptionsText() {
  std::string text =
      "\n## source.kafka.options\n\nSettings of the Kafka client (librdkafka) by their own names "
      "and "
      "in their own units. Others are\nrefused: Weir sets them itself, or they do nothing here.\n\n"
      "| option | value | meaning |\n| --- | --- | --- |\n";
  for (const KafkaOption& option : KafkaOptions()) {
    std::string value(KindText(option.kind));
    if (option.kind == OptionKind::kInteger) {
      value += fmt::format(", {} to {}", option.min, option.max);
    }
    for (std::string_view choice : Choices(option.choices)) {
      value += fmt::format("{}`{}`", value.empty() ? "" : ", ", choice);
    }
    text += fmt::format("| `{}` | {} | {} |\n", option.name, value, option.doc);
  }
  return text;
}

}  // namespace

std::string ReferenceMarkdown() {
  std::string text(kIntroduction);
  for (const MappingDescriptor* mapping : AllMappings()) {
    text += MappingText(*mapping);
    if (mapping == &kSecurityKeys) text += OptionsText();
  }
  return text;
}

}  // namespace weir::config
