#include "config/diagnostic.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/bytes.h"

namespace weir::config {
namespace {

bool StartsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }

std::string Count(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string_view Name(Severity severity) {
  return severity == Severity::kError ? "error" : "warning";
}

}  // namespace

void Diagnostics::AddSource(const std::string& file, std::string_view text) {
  Source source{.order = static_cast<int>(sources_.size()), .lines = {}, .hidden = {}};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    source.lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  sources_.emplace(file, std::move(source));
}

void Diagnostics::HideSpan(const std::string& file, int line, int column, int end_line,
                           int end_column) {
  const auto source = sources_.find(file);
  if (source == sources_.end()) return;
  source->second.hidden.push_back({line, column, end_line, end_column});
}

void Diagnostics::Add(Diagnostic diagnostic) {
  (diagnostic.severity == Severity::kError ? errors_ : warnings_) += 1;
  if (reported_.size() < kMaxReported) reported_.push_back(std::move(diagnostic));
}

void Diagnostics::Error(ErrorCode code, Place place, std::string message, std::string help) {
  Add({.severity = Severity::kError,
       .code = code,
       .place = std::move(place),
       .message = std::move(message),
       .allowed = {},
       .suggestion = {},
       .help = std::move(help)});
}

void Diagnostics::Warning(ErrorCode code, Place place, std::string message, std::string help) {
  Add({.severity = Severity::kWarning,
       .code = code,
       .place = std::move(place),
       .message = std::move(message),
       .allowed = {},
       .suggestion = {},
       .help = std::move(help)});
}

std::vector<const Diagnostic*> Diagnostics::Ordered() const {
  std::vector<const Diagnostic*> ordered;
  for (const Diagnostic& diagnostic : reported_) ordered.push_back(&diagnostic);
  const auto rank = [this](const Diagnostic& diagnostic) {
    const auto source = sources_.find(diagnostic.place.file);
    const int order = source == sources_.end() ? -1 : source->second.order;
    return std::tuple(order, diagnostic.place.line, diagnostic.place.column);
  };
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](const Diagnostic* a, const Diagnostic* b) { return rank(*a) < rank(*b); });
  return ordered;
}

int Diagnostics::ColumnOf(const Place& place) const {
  const auto source = sources_.find(place.file);
  const auto number = static_cast<std::size_t>(place.line);
  if (source == sources_.end() || number < 1 || number > source->second.lines.size()) {
    return place.column;
  }
  const std::string_view before =
      std::string_view(source->second.lines[number - 1])
          .substr(0, static_cast<std::size_t>(std::max(place.column, 1)) - 1);
  return 1 + static_cast<int>(std::count_if(before.begin(), before.end(), StartsCharacter));
}

std::vector<Diagnostic> Diagnostics::Sorted() const {
  std::vector<Diagnostic> sorted;
  for (const Diagnostic* diagnostic : Ordered()) {
    sorted.push_back(*diagnostic);
    sorted.back().place.column = ColumnOf(diagnostic->place);
  }
  return sorted;
}

std::string Diagnostics::ToText(bool color) const {
  std::string text;
  for (const Diagnostic* diagnostic : Ordered()) text += Render(*diagnostic, color);
  if (const std::size_t all = errors_ + warnings_; all > reported_.size()) {
    text += fmt::format("... and {} more\n", all - reported_.size());
  }
  return text;
}

std::string Diagnostics::ToJson() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Diagnostic& diagnostic : Sorted()) {
    list.push_back({{"severity", Name(diagnostic.severity)},
                    {"code", weir::ToString(diagnostic.code)},
                    {"file", diagnostic.place.file},
                    {"line", diagnostic.place.line},
                    {"column", diagnostic.place.column},
                    {"key_path", diagnostic.place.key_path},
                    {"message", diagnostic.message},
                    {"allowed", diagnostic.allowed},
                    {"suggestion", diagnostic.suggestion},
                    {"help", diagnostic.help}});
  }
  const nlohmann::ordered_json report = {
      {"errors", errors_}, {"warnings", warnings_}, {"diagnostics", std::move(list)}};
  return report.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string Diagnostics::Summary() const {
  if (errors_ + warnings_ == 0) return {};
  std::set<std::string> files;
  for (const Diagnostic& diagnostic : reported_) files.insert(diagnostic.place.file);
  std::string text;
  if (errors_ > 0) text = Count(errors_, "error");
  if (warnings_ > 0) text += (text.empty() ? "" : ", ") + Count(warnings_, "warning");
  return text + " in " + Count(files.size(), "file");
}

Status Diagnostics::ToStatus() const {
  for (const Diagnostic& diagnostic : Sorted()) {
    if (diagnostic.severity != Severity::kError) continue;
    std::string place = diagnostic.place.file;
    if (diagnostic.place.line > 0) {
      place += fmt::format(":{}:{}", diagnostic.place.line, diagnostic.place.column);
    }
    std::string message = fmt::format("{}: {}", place, diagnostic.message);
    if (errors_ > 1) message += fmt::format(" (and {} more)", Count(errors_ - 1, "error"));
    return WithRemedy(InvalidInput(std::move(message), diagnostic.code), diagnostic.help);
  }
  return Ok();
}

}  // namespace weir::config
