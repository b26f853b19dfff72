#include "app/scenario_check.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "app/value_text.h"

namespace weir::app {
namespace {

constexpr std::size_t kMostLines = 12;  // of one table and one kind

// The cells of a row that a person named, by column.
using NamedRow = std::vector<std::pair<std::size_t, std::string>>;

std::string RowText(const Schema& schema, const NamedRow& row) {
  std::string text = "{";
  for (const auto& [column, value] : row)
    text +=
        fmt::format("{}{}: {}", text.size() == 1 ? "" : ", ", schema.fields[column].name, value);
  return text + "}";
}

Result<NamedRow> NamedRowOf(const config::YamlNode& row, const Schema& schema,
                            const std::string& table) {
  NamedRow named;
  for (const config::YamlEntry& entry : row.entries) {
    const auto column = schema.IndexOf(entry.key);
    if (!column)
      return InvalidInput(
          fmt::format("line {}: {} has no column `{}`", entry.line, table, entry.key),
          ErrorCode::kBadValue);
    WEIR_ASSIGN_OR_RETURN(std::string value, ValueText(entry.value, schema.fields[*column].type));
    named.emplace_back(*column, std::move(value));
  }
  return named;
}

// Pairs expected rows with rows of the table, each once, as many as can be.
class Pairing {
 public:
  Pairing(const std::vector<NamedRow>& expected, const std::vector<std::vector<std::string>>& rows)
      : expected_(expected), rows_(rows), owner_(rows.size(), kNobody) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      seen_.assign(rows.size(), false);
      if (!Place(i)) missing_.push_back(i);
    }
  }

  const std::vector<std::size_t>& missing() const { return missing_; }
  bool is_paired(std::size_t row) const { return owner_[row] != kNobody; }

 private:
  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

  bool Fits(std::size_t expected, std::size_t row) const {
    return std::ranges::all_of(expected_[expected], [&](const auto& cell) {
      return rows_[row][cell.first] == cell.second;
    });
  }
  bool Place(std::size_t expected) {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (seen_[row] || !Fits(expected, row)) continue;
      seen_[row] = true;
      if (owner_[row] != kNobody && !Place(owner_[row])) continue;
      owner_[row] = expected;
      return true;
    }
    return false;
  }

  const std::vector<NamedRow>& expected_;
  const std::vector<std::vector<std::string>>& rows_;
  std::vector<std::size_t> owner_;
  std::vector<bool> seen_;
  std::vector<std::size_t> missing_;
};

void AddLines(std::vector<std::string> lines, std::vector<std::string>& out) {
  std::ranges::sort(lines);
  const std::size_t all = lines.size();
  if (all > kMostLines) lines.resize(kMostLines);
  for (std::string& line : lines) out.push_back(std::move(line));
  if (all > kMostLines) out.push_back(fmt::format("  ... and {} more", all - kMostLines));
}

Status CheckTable(const std::string& name, const ExpectedTable& expected,
                  const TableContent& content, std::vector<std::string>& out) {
  if (expected.count) {
    if (std::cmp_not_equal(*expected.count, content.rows.size()))
      out.push_back(
          fmt::format("{}: {} rows, expected {}", name, content.rows.size(), *expected.count));
    return Ok();
  }
  std::vector<NamedRow> named;
  std::set<std::size_t> columns;
  for (const config::YamlNode& row : expected.rows) {
    WEIR_ASSIGN_OR_RETURN(NamedRow cells, NamedRowOf(row, content.schema, name));
    for (const auto& [column, value] : cells) columns.insert(column);
    named.push_back(std::move(cells));
  }
  if (columns.empty())
    for (std::size_t i = 0; i < content.schema.fields.size(); ++i) columns.insert(i);
  const Pairing pairing(named, content.rows);
  std::vector<std::string> missing;
  std::vector<std::string> unexpected;
  for (std::size_t i : pairing.missing())
    missing.push_back("  missing    " + RowText(content.schema, named[i]));
  for (std::size_t row = 0; row < content.rows.size(); ++row) {
    if (pairing.is_paired(row)) continue;
    NamedRow cells;
    for (std::size_t column : columns) cells.emplace_back(column, content.rows[row][column]);
    unexpected.push_back("  unexpected " + RowText(content.schema, cells));
  }
  if (missing.empty() && unexpected.empty()) return Ok();
  out.push_back(fmt::format("{}: {} rows, expected {}", name, content.rows.size(), named.size()));
  AddLines(std::move(missing), out);
  AddLines(std::move(unexpected), out);
  return Ok();
}

std::array<std::pair<std::string_view, std::int64_t>, 6> CountsOf(
    const state::LedgerCounts& counts) {
  return {{{"read", counts.read},
           {"good", counts.good},
           {"duplicate", counts.duplicate},
           {"late", counts.late},
           {"quarantined", counts.quarantined},
           {"tombstone", counts.tombstone}}};
}

void CheckError(const Scenario& scenario, const RunOutcome& outcome,
                std::vector<std::string>& out) {
  const std::string code = outcome.error ? ToString(outcome.error->code) : std::string();
  if (code == scenario.refuses) return;
  if (!outcome.error) {
    out.push_back("it was not refused, expected " + scenario.refuses);
  } else if (scenario.refuses.empty()) {
    out.push_back("it ended with " + outcome.error->ToString());
  } else {
    out.push_back(
        fmt::format("it ended with {}, expected {}", outcome.error->ToString(), scenario.refuses));
  }
}

// What the wall clock decides is no part of a comparison.
std::vector<std::string> RowsToCompare(const Scenario& scenario, const std::string& table,
                                       const TableContent& content) {
  const config::PipelineSpec& spec = scenario.parts.front().spec;
  std::set<std::string> by_clock{"ingestion_time"};
  // A log in memory has no timestamps, and those of a real one are its own.
  for (const config::TableSpec& given : spec.tables)
    if (given.name == table && given.from == config::TableFrom::kSource)
      by_clock.insert({"timestamp", "timestamp_ms", "timestamp_type"});
  for (const ContractField& field : spec.contract.fields)
    if (field.from_ingestion) by_clock.insert(field.field.name);
  std::vector<std::string> rows;
  for (const auto& values : content.rows) {
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!by_clock.contains(content.schema.fields[i].name))
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", content.schema.fields[i].name,
                            values[i]);
    rows.push_back("{" + text + "}");
  }
  std::ranges::sort(rows);
  return rows;
}

void CompareTable(const Scenario& scenario, const std::string& name, const TableContent& plain,
                  const TableContent& other, std::vector<std::string>& out) {
  const auto before = RowsToCompare(scenario, name, plain);
  const auto after = RowsToCompare(scenario, name, other);
  if (before == after) return;
  std::vector<std::string> lost;
  std::vector<std::string> gained;
  std::ranges::set_difference(before, after, std::back_inserter(lost));
  std::ranges::set_difference(after, before, std::back_inserter(gained));
  out.push_back(name + ": the rows differ");
  for (std::string& row : lost) row = "  only straight " + row;
  for (std::string& row : gained) row = "  only here     " + row;
  AddLines(std::move(lost), out);
  AddLines(std::move(gained), out);
}

}  // namespace

Result<std::vector<std::string>> CheckExpected(const Scenario& scenario,
                                               const RunOutcome& outcome) {
  std::vector<std::string> out;
  CheckError(scenario, outcome, out);
  for (const auto& [name, expected] : scenario.tables) {
    const auto content = outcome.tables.find(name);
    if (content == outcome.tables.end()) {
      if (!expected.rows.empty() || expected.count)
        out.push_back(name + ": there is no such table");
      continue;
    }
    WEIR_TRY(CheckTable(name, expected, content->second, out));
  }
  for (const auto& [name, count] : CountsOf(outcome.ledger)) {
    const auto expected = scenario.ledger.find(std::string(name));
    if (expected != scenario.ledger.end() && expected->second != count)
      out.push_back(fmt::format("ledger: {} {}, expected {}", count, name, expected->second));
  }
  if (outcome.open.find(scenario.open) == std::string::npos)
    out.push_back(fmt::format(R"(open: "{}", expected "{}")", outcome.open, scenario.open));
  for (const std::string& finding : outcome.unproven) out.push_back("verify: " + finding);
  return out;
}

std::vector<std::string> CompareRuns(const Scenario& scenario, const RunOutcome& plain,
                                     const RunOutcome& other) {
  std::vector<std::string> out;
  CheckError(scenario, other, out);
  for (const std::string& finding : other.unproven) out.push_back("verify: " + finding);
  if (plain.error && plain.read_before_error) return out;
  for (const auto& [name, content] : plain.tables) {
    if (content.by_clock) continue;
    const auto same = other.tables.find(name);
    if (same == other.tables.end()) {
      out.push_back(name + ": there is no such table");
    } else {
      CompareTable(scenario, name, content, same->second, out);
    }
  }
  if (!(plain.ledger == other.ledger)) {
    const auto after = CountsOf(other.ledger);
    for (std::size_t i = 0; const auto& [name, count] : CountsOf(plain.ledger)) {
      if (count != after[i].second)
        out.push_back(fmt::format("ledger: {} {}, straight {}", after[i].second, name, count));
      ++i;
    }
  }
  return out;
}

}  // namespace weir::app
