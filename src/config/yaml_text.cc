#include "config/yaml_text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/bytes.h"
#include "config/yaml_node.h"

namespace weir::config {
namespace {

void Report(Diagnostics& diagnostics, const std::string& file, int line, int column,
            std::string message, std::string help) {
  diagnostics.Error(ErrorCode::kYamlSyntax,
                    {.file = file, .line = line, .column = column, .key_path = {}},
                    std::move(message), std::move(help));
}

bool IsForbidden(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
}

// Checks one line; false when something was reported.
bool CheckLine(std::string_view line, int number, const std::string& file,
               Diagnostics& diagnostics) {
  if (!IsValidUtf8(line)) {
    Report(diagnostics, file, number, 1, "the file is not UTF-8", "save it as UTF-8");
    return false;
  }
  const auto control = std::find_if(line.begin(), line.end(), IsForbidden);
  if (control != line.end()) {
    const auto column = static_cast<int>(control - line.begin()) + 1;
    Report(diagnostics, file, number, column, "a control character", "remove it");
    return false;
  }
  const std::size_t text = line.find_first_not_of(" \t\r");
  const std::size_t tab = line.find('\t');
  if (text != std::string_view::npos && line[text] != '#' && tab < text) {
    Report(diagnostics, file, number, static_cast<int>(tab) + 1,
           "a tab in the indentation; YAML indents by spaces",
           "replace each tab by spaces, two a level");
    return false;
  }
  return true;
}

struct Translation {
  std::string_view theirs;
  std::string_view ours;
  std::string_view help;
};

constexpr std::array kTranslations = {
    Translation{"illegal map value", "a `:` where no key can stand",
                "mend the indentation, or quote text that holds `: `"},
    Translation{"illegal map key", "a key where none can stand", "mend the indentation"},
    Translation{"illegal block entry", "a `- ` where no list entry can stand",
                "mend the indentation"},
    Translation{"end of map not found", "this line fits neither the mapping above nor another one",
                "mend the indentation: keys of one mapping start in one column"},
    Translation{"end of sequence not found", "this line fits neither the list above nor a mapping",
                "mend the indentation: entries of one list start in one column"},
    Translation{"end of map flow not found", "a `{` that is not closed before this",
                "add the `}` or a `,`"},
    Translation{"end of sequence flow not found", "a `[` that is not closed before this",
                "add the `]` or a `,`"},
    Translation{"illegal flow end", "a `}` or `]` that nothing opened", "remove it"},
    Translation{"unknown escape character", "a `\\` before a character that needs none",
                "double the `\\`, or use single quotes"},
    Translation{"the referenced anchor is not defined", "an alias of an anchor that is not defined",
                "define it above as &name, or quote text that starts with `*`"},
};

}  // namespace

bool CheckYamlText(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  if (text.size() > kMaxFileBytes) {
    Report(diagnostics, file, 0, 0, fmt::format("the file is longer than {} bytes", kMaxFileBytes),
           "");
    return false;
  }
  int number = 1;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!CheckLine(text.substr(0, end), number, file, diagnostics)) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
  }
  return true;
}

LineIndex::LineIndex(std::string_view text) : text_(text), starts_{0} {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts_.push_back(i + 1);
  }
}

std::string_view LineIndex::From(int line, int column) const {
  const auto index = static_cast<std::size_t>(std::max(line, 1)) - 1;
  if (index >= starts_.size()) return {};
  const std::size_t at = starts_[index] + static_cast<std::size_t>(std::max(column, 1)) - 1;
  return text_.substr(std::min(at, text_.size()));
}

bool HasOpenQuote(std::string_view text) {
  while (text.starts_with('&')) {
    text.remove_prefix(std::min(text.find_first_of(" \n"), text.size()));
    text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
  }
  if (text.empty() || (text[0] != '"' && text[0] != '\'')) return false;
  const char quote = text[0];
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || i + 1 == text.size() || text[i + 1] != '\'') return false;
      ++i;  // '' stands for one '
    }
  }
  return true;
}

SyntaxMessage ExplainSyntax(const std::string& message, std::string_view text_at_mark,
                            std::string_view text_before_mark) {
  const bool in_flow = message.find("flow") != std::string::npos;
  if (in_flow && text_at_mark.starts_with('{') && text_before_mark.ends_with('$')) {
    return {.message = "a variable without quotes inside `{ }` or `[ ]`",
            .help = "quote it: \"${NAME}\""};
  }
  for (const Translation& known : kTranslations) {
    if (message.starts_with(known.theirs)) {
      return {.message = std::string(known.ours), .help = std::string(known.help)};
    }
  }
  return {.message = Printable(message), .help = {}};
}

}  // namespace weir::config
