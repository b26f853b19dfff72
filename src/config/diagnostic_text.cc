// The text form of diagnostics: lines, carets, colours, and secrets hidden in the snippets.

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "config/diagnostic.h"
#include "config/secret.h"

namespace weir::config {
namespace {

constexpr std::size_t kMaxShown = 120;  // characters of a line
constexpr std::size_t kShownBefore = 40;

struct Paint {
  bool on = false;
  std::string operator()(std::string_view code, std::string_view text) const {
    return on ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }
};

// One character as it is shown; its bytes stand at [first, last) of the line.
struct Glyph {
  std::string shown;
  std::size_t first = 0;
  std::size_t last = 0;
};

std::size_t CharacterEnd(std::string_view line, std::size_t at) {
  ++at;
  while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xc0U) == 0x80U) ++at;
  return at;
}

const LineRange* RangeAt(const std::vector<LineRange>& ranges, std::size_t at) {
  for (const LineRange& range : ranges) {
    if (at >= range.first && at < range.second) return &range;
  }
  return nullptr;
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

std::vector<Glyph> Glyphs(std::string_view line, const std::vector<LineRange>& hidden) {
  std::vector<Glyph> glyphs;
  for (std::size_t at = 0; at < line.size();) {
    const LineRange* range = RangeAt(hidden, at);
    if (range != nullptr) {
      const std::size_t end = std::min(range->second, line.size());
      // White space gives nothing away, and the indentation keeps the picture straight.
      std::size_t text_start = at;
      while (text_start < end && line[text_start] == ' ') ++text_start;
      for (; at < text_start; ++at) glyphs.push_back({" ", at, at + 1});
      if (at < end) glyphs.push_back({std::string(kMask), at, end});
      at = end;
      continue;
    }
    const std::size_t end = CharacterEnd(line, at);
    const std::string_view character = line.substr(at, end - at);
    glyphs.push_back({character == "\t" ? " " : Printable(character), at, end});
    at = end;
  }
  return glyphs;
}

std::size_t Width(const std::string& shown) {
  return static_cast<std::size_t>(std::count_if(shown.begin(), shown.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

}  // namespace

Diagnostics::Snippet Diagnostics::SnippetOf(const Diagnostic& diagnostic) const {
  const auto source = sources_.find(diagnostic.place.file);
  const auto number = static_cast<std::size_t>(diagnostic.place.line);
  if (source == sources_.end() || number < 1 || number > source->second.lines.size()) return {};
  const std::string& line = source->second.lines[number - 1];

  std::vector<LineRange> hidden = UrlPasswords(line);  // wherever they stand
  for (const Span& span : source->second.hidden) {
    const int row = diagnostic.place.line;
    if (row < span.line || (span.end_line != 0 && row > span.end_line)) continue;
    const int first = row == span.line ? span.column - 1 : 0;
    const int last = row == span.end_line ? span.end_column - 1 : static_cast<int>(line.size());
    if (first < last) hidden.emplace_back(first, last);
  }
  if (diagnostic.code == ErrorCode::kYamlSyntax) {
    const auto ranges = SecretRanges(line);
    hidden.insert(hidden.end(), ranges.begin(), ranges.end());
  }

  const auto glyphs = Glyphs(line, hidden);
  const auto caret_first = static_cast<std::size_t>(std::max(diagnostic.place.column, 1)) - 1;
  const auto caret_last =
      caret_first + static_cast<std::size_t>(std::max(diagnostic.place.width, 1));
  std::size_t caret_index = glyphs.size();
  for (std::size_t i = 0; i < glyphs.size() && caret_index == glyphs.size(); ++i) {
    if (caret_first < glyphs[i].last) caret_index = i;
  }
  const std::size_t from =
      glyphs.size() > kMaxShown && caret_index > kShownBefore ? caret_index - kShownBefore : 0;
  const std::size_t to = std::min(glyphs.size(), from + kMaxShown);

  Snippet snippet;
  if (from > 0) snippet.line = "...";
  snippet.caret.assign(snippet.line.size(), ' ');
  for (std::size_t i = from; i < to; ++i) {
    snippet.line += glyphs[i].shown;
    const std::size_t width = Width(glyphs[i].shown);
    const bool under =
        i == caret_index || (glyphs[i].first >= caret_first && glyphs[i].first < caret_last);
    if (i < caret_index || (under && i >= caret_index)) {
      snippet.caret.append(width, under ? '^' : ' ');
    }
  }
  if (caret_index == glyphs.size()) snippet.caret += '^';
  if (to < glyphs.size()) snippet.line += "...";
  if (IsBlank(snippet.line)) return {};
  return snippet;
}

std::string Diagnostics::Render(const Diagnostic& diagnostic, bool color) const {
  const Paint paint{color};
  const Place& place = diagnostic.place;
  const bool error = diagnostic.severity == Severity::kError;
  const std::string_view tone = error ? "1;31" : "1;33";
  std::string text = paint(tone, fmt::format("{}[{}]", error ? "error" : "warning",
                                             weir::ToString(diagnostic.code))) +
                     paint("1", ": " + diagnostic.message) + "\n";

  const std::string number = place.line > 0 ? std::to_string(place.line) : "";
  const std::string gutter(std::max<std::size_t>(number.size(), 2) + 1, ' ');
  text += gutter.substr(1) + paint("34", "--> ") + place.file;
  if (place.line > 0) text += fmt::format(":{}:{}", place.line, ColumnOf(place));
  if (!place.key_path.empty()) text += "  " + place.key_path;
  text += "\n";

  std::string meant;
  if (!diagnostic.suggestion.empty()) {
    meant = fmt::format("did you mean `{}`?", diagnostic.suggestion);
  }
  const Snippet snippet = SnippetOf(diagnostic);
  if (!snippet.line.empty()) {
    const std::string bar = paint("34", "|");
    text += fmt::format("{}{}\n", gutter, bar);
    text += fmt::format("{:>{}} {} {}\n", number, gutter.size() - 1, bar, snippet.line);
    text += fmt::format("{}{} {}", gutter, bar, paint(tone, snippet.caret));
    if (!meant.empty()) text += " " + paint(tone, meant);
    text += "\n";
  } else if (!meant.empty()) {
    text += fmt::format("{}= {}\n", gutter, meant);
  }
  if (!diagnostic.allowed.empty()) {
    const bool keys = diagnostic.code == ErrorCode::kUnknownKey;
    text += fmt::format("{}= {}: {}\n", gutter, keys ? "allowed here" : "allowed",
                        fmt::join(diagnostic.allowed, ", "));
  }
  if (!diagnostic.help.empty()) text += fmt::format("{}= help: {}\n", gutter, diagnostic.help);
  return text;
}

}  // namespace weir::config
