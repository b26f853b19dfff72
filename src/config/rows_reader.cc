#include "config/rows_reader.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "config/key_path.h"
#include "config/operator_reader.h"

namespace weir::config {
namespace {

constexpr std::array<std::pair<std::string_view, TableFrom>, 10> kNames = {{
    {"source", TableFrom::kSource},
    {"valid", TableFrom::kValid},
    {"invalid", TableFrom::kInvalid},
    {"late", TableFrom::kLate},
    {"decisions", TableFrom::kDecisions},
    {"windows", TableFrom::kWindows},
    {"sessions", TableFrom::kSessions},
    {"funnel", TableFrom::kFunnel},
    {"active_users", TableFrom::kActiveUsers},
    {"session_stats", TableFrom::kSessionStats},
}};

TableFrom FromOf(std::string_view text) {
  const auto* at = std::ranges::find(kNames, text, &std::pair<std::string_view, TableFrom>::first);
  return at->second;
}

class RowsReader {
 public:
  RowsReader(Section& section, const Contract* contract, TableSpec& table)
      : section_(section), contract_(contract), table_(table) {}

  TableRows Read() {
    const bool has_from = section_.Has("from");
    if (const auto from = section_.Text("from")) Choose(FromOf(*from), "from");
    bool chosen = has_from;
    for (const auto& [key, from] : kNames) {
      if (!IsOperator(from)) continue;
      auto child = section_.Child(key);
      if (!child) continue;
      if (chosen) {
        section_.Error(key, ErrorCode::kPipelineInvalid,
                       fmt::format("`{}` beside `{}`: a table has one kind of rows", key,
                                   has_from ? "from" : NameOf(table_.from)),
                       "make another table for it");
        rows_.known = false;
        continue;
      }
      chosen = true;
      Choose(from, key);
      ReadOperator(*child, contract_, table_);
    }
    if (!chosen) ReportMissing();
    ReadCoordinates();
    ReadDedupeOf();
    return std::move(rows_);
  }

 private:
  void Choose(TableFrom from, std::string_view key) {
    table_.from = from;
    rows_.known = true;
    rows_.place = section_.At(key);
  }

  void ReportMissing() {
    Place place = section_.place();
    place.key_path = KeyPath(place.key_path, "from");
    section_.context().diagnostics.Error(
        ErrorCode::kMissingKey, std::move(place), "`from` is missing",
        "say where the rows come from: `from: valid`, or an operator such as `windows`");
  }

  void ReadCoordinates() {
    table_.coordinates = section_.Boolean("coordinates").value_or(true);
    if (!rows_.known || table_.from == TableFrom::kValid) return;
    const bool has_them = table_.from == TableFrom::kSource || table_.from == TableFrom::kInvalid ||
                          table_.from == TableFrom::kLate;
    if (has_them && !table_.coordinates) {
      section_.Error("coordinates", ErrorCode::kPipelineInvalid,
                     fmt::format("a table `from: {}` always has topic, partition and offset",
                                 NameOf(table_.from)),
                     "leave `coordinates` out");
    } else if (!has_them && section_.Has("coordinates")) {
      section_.Error("coordinates", ErrorCode::kPipelineInvalid,
                     fmt::format("`coordinates` is for tables `from: valid`; rows of {} stand for "
                                 "more than one record",
                                 NameOf(table_.from)),
                     "leave `coordinates` out");
    }
    if (!has_them) table_.coordinates = false;
  }

  void ReadDedupeOf() {
    auto dedupe = section_.Child("dedupe");
    if (!dedupe) return;
    rows_.dedupe = dedupe->place();
    rows_.own_horizon = dedupe->Has("horizon");
    const std::size_t errors_before = section_.context().diagnostics.errors();
    DedupeRules rules = ReadDedupe(*dedupe, contract_);
    const bool right =
        dedupe->complete() && section_.context().diagnostics.errors() == errors_before;
    if (!rows_.known) return;
    if (table_.from != TableFrom::kValid) {
      section_.Error("dedupe", ErrorCode::kPipelineInvalid, "`dedupe` is for tables `from: valid`",
                     "tables of windows and sessions see the rows that it leaves");
      return;
    }
    if (right) table_.dedupe = std::move(rules);
  }

  Section& section_;
  const Contract* contract_;
  TableSpec& table_;
  TableRows rows_;
};

}  // namespace

TableRows ReadRows(Section& section, const Contract* contract, TableSpec& table) {
  return RowsReader(section, contract, table).Read();
}

std::string_view NameOf(TableFrom from) {
  return std::ranges::find(kNames, from, &std::pair<std::string_view, TableFrom>::second)->first;
}

bool IsOperator(TableFrom from) {
  switch (from) {
    case TableFrom::kSource:
    case TableFrom::kValid:
    case TableFrom::kInvalid:
    case TableFrom::kLate:
    case TableFrom::kDecisions:
      return false;
    case TableFrom::kWindows:
    case TableFrom::kSessions:
    case TableFrom::kFunnel:
    case TableFrom::kActiveUsers:
    case TableFrom::kSessionStats:
      return true;
  }
  return false;
}

}  // namespace weir::config
