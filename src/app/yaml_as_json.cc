#include "app/yaml_as_json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace weir::app {
namespace {

using config::YamlNode;

bool IsJsonLiteral(const YamlNode& node) {
  if (node.quoted || node.text.empty()) return false;
  if (node.text == "true" || node.text == "false") return true;
  const bool starts_number = node.text[0] == '-' || (node.text[0] >= '0' && node.text[0] <= '9');
  return starts_number && nlohmann::json::accept(node.text);
}

// Plain scalars that no reader of YAML takes for anything else, also between brackets.
bool IsPlain(std::string_view text) {
  return !text.empty() && text.front() != '-' && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '(' || c == ')' || c == '/' || c == '-';
  });
}

template <typename Scalar>
std::string Render(const YamlNode& node, const Scalar& scalar) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "null";
    case YamlNode::Kind::kScalar:
      return scalar(node);
    case YamlNode::Kind::kList: {
      std::string text = "[";
      for (const YamlNode& item : node.items)
        text += (text.size() == 1 ? "" : ", ") + Render(item, scalar);
      return text + "]";
    }
    case YamlNode::Kind::kMapping:
      break;
  }
  std::string text = "{";
  for (const config::YamlEntry& entry : node.entries)
    text +=
        (text.size() == 1 ? "" : ", ") + QuoteText(entry.key) + ": " + Render(entry.value, scalar);
  return text + "}";
}

}  // namespace

std::string QuoteText(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string JsonOf(const YamlNode& node) {
  return Render(node, [](const YamlNode& scalar) {
    return IsJsonLiteral(scalar) ? scalar.text : QuoteText(scalar.text);
  });
}

std::string YamlLineOf(const YamlNode& node) {
  return Render(node, [](const YamlNode& scalar) {
    const bool plain = !scalar.quoted && (IsPlain(scalar.text) || IsJsonLiteral(scalar));
    return plain ? scalar.text : QuoteText(scalar.text);
  });
}

}  // namespace weir::app
