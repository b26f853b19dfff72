#include "app/listing.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/display_width.h"
#include "base/bytes.h"
#include "base/check.h"
#include "base/digits.h"

namespace weir::app {
namespace {

constexpr std::size_t kMostShownBytes = 10'000;

bool IsNumber(const Cell& cell) { return std::holds_alternative<std::int64_t>(cell.value); }

std::string ShownText(const Cell& cell) {
  if (!cell.shown.empty()) return Printable(cell.shown, kMostShownBytes);
  if (const auto* text = std::get_if<std::string>(&cell.value)) {
    return Printable(*text, kMostShownBytes);
  }
  if (const auto* number = std::get_if<std::int64_t>(&cell.value)) return GroupDigits(*number);
  if (const auto* truth = std::get_if<bool>(&cell.value)) return *truth ? "yes" : "no";
  return "-";
}

// --- table ---------------------------------------------------------------------------------------

std::string HeadOf(std::string name) {
  for (char& c : name)
    c = c == '_' ? ' ' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

// Takes columns away from the widest one until the line fits.
void FitToWidth(std::vector<int>& widths, int width) {
  constexpr int kGap = 2;
  constexpr int kLeast = 8;
  int total = static_cast<int>(widths.size() - 1) * kGap;
  for (const int column : widths) total += column;
  while (total > width) {
    auto widest = std::ranges::max_element(widths);
    if (*widest <= kLeast) return;
    --*widest;
    --total;
  }
}

void WriteTable(const Listing& listing, int width, std::ostream& out) {
  std::vector<std::vector<std::string>> texts;
  std::vector<int> widths;
  std::vector<bool> right(listing.columns.size(), !listing.rows.empty());
  for (const std::string& column : listing.columns) widths.push_back(DisplayWidth(HeadOf(column)));
  for (const auto& row : listing.rows) {
    auto& line = texts.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      line.push_back(ShownText(row[i]));
      widths[i] = std::max(widths[i], DisplayWidth(line.back()));
      if (!IsNumber(row[i]) && row[i].value.index() != 0) right[i] = false;
    }
  }
  if (width > 0) FitToWidth(widths, width);
  const auto write_line = [&](const std::vector<std::string>& line) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string cell = CutToWidth(line[i], widths[i]);
      const std::string pad(static_cast<std::size_t>(widths[i] - DisplayWidth(cell)), ' ');
      text += (i == 0 ? "" : "  ") + (right[i] ? pad + cell : cell + pad);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  };
  std::vector<std::string> head;
  for (const std::string& column : listing.columns) head.push_back(HeadOf(column));
  write_line(head);
  for (const auto& line : texts) write_line(line);
}

// --- JSON ----------------------------------------------------------------------------------------

std::string JsonOf(const std::vector<std::string>& columns, const std::vector<Cell>& row) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < row.size(); ++i) {
    std::visit(
        [&](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
            object[columns[i]] = nullptr;
          } else {
            object[columns[i]] = value;
          }
        },
        row[i].value);
  }
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// --- CSV -----------------------------------------------------------------------------------------

std::string CsvText(std::string text) {
  if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) {
    text.insert(text.begin(), '\'');
  }
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string CsvOf(const std::vector<Cell>& row) {
  std::string line;
  for (const Cell& cell : row) {
    if (&cell != &row.front()) line += ',';
    if (const auto* text = std::get_if<std::string>(&cell.value)) {
      line += CsvText(*text);
    } else if (const auto* number = std::get_if<std::int64_t>(&cell.value)) {
      line += std::to_string(*number);
    } else if (const auto* truth = std::get_if<bool>(&cell.value)) {
      line += *truth ? "true" : "false";
    }
  }
  return line;
}

std::string CsvHead(const std::vector<std::string>& columns) {
  return fmt::format("{}\n", fmt::join(columns, ","));
}

}  // namespace

void Listing::Add(std::vector<Cell> cells) {
  WEIR_CHECK(cells.size() == columns.size());
  rows.push_back(std::move(cells));
}

void WriteListing(const Listing& listing, OutputFormat format, int width, std::ostream& out) {
  if (format == OutputFormat::kTable) return WriteTable(listing, width, out);
  ListingStream stream(listing.columns, format, out);
  for (const auto& row : listing.rows) stream.Add(row);
  stream.Finish();
}

void WriteListing(const Listing& listing, Session& session) {
  WriteListing(listing, session.format(), session.out_terminal.width, session.out);
}

void WriteProperties(const std::vector<std::pair<std::string, Cell>>& properties,
                     Session& session) {
  const OutputFormat format = session.format();
  if (format == OutputFormat::kJson || format == OutputFormat::kNdjson) {
    std::vector<std::string> names;
    std::vector<Cell> values;
    for (const auto& [name, value] : properties) {
      names.push_back(name);
      values.push_back(value);
    }
    session.out << JsonOf(names, values) << '\n';
    return;
  }
  Listing listing{.columns = {"property", "value"}, .rows = {}};
  for (const auto& [name, value] : properties) listing.Add({name, value});
  WriteListing(listing, session);
}

ListingStream::ListingStream(std::vector<std::string> columns, OutputFormat format,
                             std::ostream& out)
    : columns_(std::move(columns)), format_(format), out_(out) {
  if (format_ == OutputFormat::kCsv) out_ << CsvHead(columns_);
}

void ListingStream::Add(const std::vector<Cell>& cells) {
  switch (format_) {
    case OutputFormat::kTable: {
      std::string line;
      for (const Cell& cell : cells) line += (line.empty() ? "" : "  ") + ShownText(cell);
      out_ << line << '\n';
      break;
    }
    case OutputFormat::kJson:
      out_ << (first_ ? "[\n" : ",\n") << JsonOf(columns_, cells);
      break;
    case OutputFormat::kNdjson:
      out_ << JsonOf(columns_, cells) << '\n';
      break;
    case OutputFormat::kCsv:
      out_ << CsvOf(cells) << '\n';
      break;
  }
  first_ = false;
}

void ListingStream::Finish() {
  if (format_ == OutputFormat::kJson) out_ << (first_ ? "[]\n" : "\n]\n");
}

std::string CountOf(std::int64_t number, std::string_view noun) {
  return GroupDigits(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

std::string ShowBytes(std::int64_t bytes) {
  constexpr auto kUnits = std::to_array<std::string_view>({"KiB", "MiB", "GiB", "TiB", "PiB"});
  constexpr double kStep = 1024;
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double shown = static_cast<double>(bytes) / kStep;
  std::size_t unit = 0;
  while (shown >= kStep && unit + 1 < kUnits.size()) {
    shown /= kStep;
    ++unit;
  }
  return fmt::format("{:.1f} {}", shown, kUnits[unit]);
}

}  // namespace weir::app
