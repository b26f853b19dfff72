#include "config/contract_patch.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "config/contract_writer.h"
#include "config/yaml_node.h"

namespace weir::config {
namespace {

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

const YamlEntry* Find(const YamlNode& node, std::string_view key) {
  for (const YamlEntry& entry : node.entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

bool IsBlankOrComment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  return first == std::string_view::npos || line[first] == '#';
}

std::size_t IndentOf(std::string_view line) { return line.find_first_not_of(' '); }

// The field as it stands below `fields:`, a line or a few.
std::vector<std::string> FieldLines(const ContractField& field, std::size_t indent) {
  Contract alone;
  alone.fields = {field};
  const std::string text = ContractText(alone);
  std::vector<std::string> lines;
  bool inside = false;
  for (const std::string_view line : LinesOf(text)) {
    if (inside && IndentOf(line) == 0) break;
    if (inside) lines.push_back(std::string(indent, ' ') + std::string(line.substr(2)));
    inside = inside || line == "fields:";
  }
  return lines;
}

}  // namespace

std::string PatchWithField(std::string_view text, const std::string& file,
                           const ContractField& field) {
  Diagnostics ignored;
  const auto root = ReadYaml(text, file, ignored);
  if (!root || !root->is_mapping()) return {};
  const YamlNode* contract = &*root;
  if (const YamlEntry* inside = Find(*root, "contract")) contract = &inside->value;
  const YamlEntry* fields = Find(*contract, "fields");
  if (fields == nullptr || fields->value.entries.empty()) return {};
  const YamlEntry& last = fields->value.entries.back();
  if (last.line <= fields->line || last.column < 2) return {};  // in braces
  const std::vector<std::string_view> lines = LinesOf(text);
  const auto indent = static_cast<std::size_t>(last.column) - 1;
  // The last field goes on while lines are indented deeper.
  auto end = static_cast<std::size_t>(last.line);
  std::size_t behind = end;
  while (end < lines.size() && (IsBlankOrComment(lines[end]) || IndentOf(lines[end]) > indent)) {
    if (!IsBlankOrComment(lines[end++])) behind = end;
  }
  constexpr std::size_t kContext = 3;
  const std::size_t first = behind - std::min(behind, kContext);
  const std::size_t after = std::min(lines.size(), behind + kContext);
  const auto added = FieldLines(field, indent);
  std::string patch = fmt::format("--- {}\n+++ {}\n@@ -{},{} +{},{} @@\n", file, file, first + 1,
                                  after - first, first + 1, after - first + added.size());
  for (std::size_t i = first; i < behind; ++i) patch += fmt::format(" {}\n", lines[i]);
  for (const std::string& line : added) patch += "+" + line + "\n";
  for (std::size_t i = behind; i < after; ++i) patch += fmt::format(" {}\n", lines[i]);
  return patch;
}

}  // namespace weir::config
