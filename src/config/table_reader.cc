#include "config/table_reader.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "config/partition_text.h"
#include "config/table_columns.h"

namespace weir::config {
namespace {

constexpr std::size_t kMaxNameBytes = 128;

bool IsNameByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

std::string LowerCase(std::string_view text) {
  std::string lower;
  for (char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// A name becomes folders and SQL identifiers.
std::string WhyNoTableName(std::string_view name) {
  std::size_t levels = 0;
  for (std::size_t at = 0; at <= name.size(); ++levels) {
    const std::size_t end = std::min(name.find('.', at), name.size());
    const std::string_view level = name.substr(at, end - at);
    if (level.empty()) return "has an empty part";
    if (level.size() > kMaxNameBytes) return "is too long";
    if (!std::all_of(level.begin(), level.end(), IsNameByte)) {
      return "may hold letters, digits, `_` and `-`";
    }
    at = end + 1;
  }
  return levels < 2 ? "has no namespace" : "";
}

bool IsSimpleName(std::string_view name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         name.find('-') == std::string_view::npos &&
         std::all_of(name.begin(), name.end(), IsNameByte);
}

// "`from: late`", "of windows".
std::string Kind(TableFrom from) {
  if (IsOperator(from)) return fmt::format("of {}", NameOf(from));
  return fmt::format("`from: {}`", NameOf(from));
}

class TableReader {
 public:
  TableReader(Section& section, const Contract* contract)
      : section_(section), diagnostics_(section.context().diagnostics), contract_(contract) {}

  TableSpec Read(const std::string& name, TableRows& rows) {
    table_.name = name;
    const std::size_t errors_before = diagnostics_.errors();
    rows = ReadRows(section_, contract_, table_);
    const bool rows_right = rows.known && diagnostics_.errors() == errors_before;
    table_.create = section_.Text("create").value_or("if_missing") == "never"
                        ? CreateMode::kNever
                        : CreateMode::kIfMissing;
    table_.expire_after = section_.Duration("expire_after").value_or(table_.expire_after);
    table_.keep_snapshots = static_cast<int>(section_.Count("keep_snapshots").value_or(100));
    ReadProperties();
    // Columns follow from the rows; without them nothing can be said about columns.
    if (contract_ != nullptr && (rows_right || (rows.known && !IsOperator(table_.from)))) {
      PipelineSpec pipeline;
      pipeline.contract = *contract_;
      columns_ = TableColumns(pipeline, table_);
      CheckOwnColumns(rows.place);
    }
    ReadPartitions(rows.known);
    ReadOrder();
    return std::move(table_);
  }

 private:
  // A field of the contract cannot be the table's own column as well.
  void CheckOwnColumns(const Place& rows) {
    const bool late = table_.from == TableFrom::kLate;
    if (!late && (table_.from != TableFrom::kValid || !table_.coordinates)) return;
    for (const Field& column : TableSchema(*contract_).fields) {
      const std::string name = LowerCase(column.name);
      const bool coordinate = name == "topic" || name == "partition" || name == "offset";
      const bool of_late = name == "watermark" || name == "lateness_ms" || name == "missed";
      if (late && (coordinate || of_late)) {
        diagnostics_.Error(
            ErrorCode::kPipelineInvalid, rows,
            fmt::format("the contract's field `{}` has the name of a column of the late table",
                        column.name),
            "rename the field, or set `late: count` and leave the table out");
      } else if (!late && coordinate) {
        section_.Error("coordinates", ErrorCode::kPipelineInvalid,
                       fmt::format("the contract's field `{}` has the name of a coordinate column",
                                   column.name),
                       "set `coordinates: false`");
      }
    }
  }

  void ReadProperties() {
    for (auto& [name, text] : section_.TextMap("properties")) {
      if (name.starts_with("weir.")) {
        diagnostics_.Error(ErrorCode::kPipelineInvalid, text.place,
                           fmt::format("the property `{}` is Weir's own", Printable(name, 60)));
      } else if (name == "format-version" && text.text != "2") {
        diagnostics_.Error(ErrorCode::kNotInThisVersion, text.place,
                           "a format version other than 2 is not in this version",
                           "leave it out, or write 2");
      }
      table_.properties[name] = text.text;
    }
  }

  // The column, or nullptr with a report.
  const Field* ColumnOf(const std::string& name, const Place& place) {
    if (columns_->IndexOf(name)) return &columns_->fields[*columns_->IndexOf(name)];
    std::vector<std::string_view> known;
    if (!diagnostics_.full()) {
      for (const Field& field : columns_->fields) known.push_back(field.name);
    }
    Diagnostic diagnostic{
        .severity = Severity::kError,
        .code = ErrorCode::kPipelineInvalid,
        .place = place,
        .message = fmt::format("`{}` is no column of {}", Printable(name, 60), table_.name),
        .allowed = {},
        .suggestion = std::string(ClosestTo(name, known)),
        .help = {}};
    if (contract_->IndexOf(name)) {
      const bool raw = table_.from == TableFrom::kSource || table_.from == TableFrom::kInvalid;
      diagnostic.help = fmt::format("a table {} {}its columns are {}", Kind(table_.from),
                                    raw ? "holds records as they were received; " : "is no copy; ",
                                    fmt::join(known, ", "));
    }
    diagnostics_.Add(std::move(diagnostic));
    return nullptr;
  }

  // Sessions and funnel replace whole partitions by each commit.
  void SetOwnPartitions() {
    std::vector<std::string> columns = {"is_final"};
    if (table_.from == TableFrom::kSessions) columns = {"is_open", "source_partition"};
    if (section_.Has("partition_by")) {
      section_.Error("partition_by", ErrorCode::kPipelineInvalid,
                     fmt::format("the partitioning of a table {} is given: {}", Kind(table_.from),
                                 fmt::join(columns, ", ")),
                     "leave `partition_by` out; `sort_by` may be set");
    }
    for (std::string& column : columns) {
      table_.partition_by.push_back({.transform = "identity", .column = std::move(column)});
    }
  }

  void ReadPartitions(bool rows_known) {
    if (rows_known && (table_.from == TableFrom::kSessions || table_.from == TableFrom::kFunnel)) {
      SetOwnPartitions();
      return;
    }
    for (const PlacedText& text : section_.Texts("partition_by")) {
      Result<PartitionBy> partition = ParsePartition(text.text);
      if (!partition) {
        diagnostics_.Error(ErrorCode::kBadValue, text.place, partition.error().message);
        continue;
      }
      CheckPartition(*partition, text.place);
      table_.partition_by.push_back(std::move(partition).value());
    }
  }

  void CheckPartition(const PartitionBy& partition, const Place& place) {
    if (!columns_) return;
    const Field* column = ColumnOf(partition.column, place);
    if (column == nullptr) return;
    if (!IsSimpleName(column->name)) {
      diagnostics_.Error(ErrorCode::kPipelineInvalid, place,
                         fmt::format("a table cannot be partitioned by a column named `{}`",
                                     Printable(column->name, 60)),
                         "only names of letters, digits and `_` can name a partition");
    }
    if (const Status status = CheckTransform(partition, column->type); !status) {
      diagnostics_.Error(ErrorCode::kPipelineInvalid, place, status.error().message);
    }
    const bool by_time = partition.width == 0 && partition.transform != "identity";
    for (const PartitionBy& other : table_.partition_by) {
      const bool other_by_time = other.width == 0 && other.transform != "identity";
      if (other.column == partition.column &&
          (other.transform == partition.transform || (by_time && other_by_time))) {
        diagnostics_.Error(ErrorCode::kPipelineInvalid, place,
                           fmt::format("`{}` and `{}` partition by one column twice",
                                       ToString(other), ToString(partition)),
                           "keep the finer one");
      }
    }
  }

  void ReadOrder() {
    for (PlacedText& text : section_.Texts("sort_by")) {
      const Field* column = columns_ ? ColumnOf(text.text, text.place) : nullptr;
      if (column != nullptr && column->type.is_nested()) {
        diagnostics_.Error(ErrorCode::kPipelineInvalid, text.place,
                           fmt::format("rows cannot be sorted by `{}`, which is nested",
                                       Printable(text.text, 60)));
      }
      if (std::find(table_.sort_by.begin(), table_.sort_by.end(), text.text) !=
          table_.sort_by.end()) {
        diagnostics_.Error(ErrorCode::kPipelineInvalid, text.place,
                           fmt::format("`{}` is there twice", Printable(text.text, 60)));
      }
      table_.sort_by.push_back(std::move(text.text));
    }
  }

  Section& section_;
  Diagnostics& diagnostics_;
  const Contract* contract_;
  std::optional<Schema> columns_;
  TableSpec table_;
};

}  // namespace

TableList ReadTables(Section& pipeline, const Contract* contract) {
  Diagnostics& diagnostics = pipeline.context().diagnostics;
  TableList list;
  std::map<std::string, std::string> seen;
  for (Section::Named& named : pipeline.Children("tables")) {
    if (const std::string why = WhyNoTableName(named.name); !why.empty()) {
      diagnostics.Error(ErrorCode::kPipelineInvalid, named.place,
                        fmt::format("the table name `{}` {}", Printable(named.name, 60), why),
                        "write it as namespace.table");
    }
    const auto [other, fresh] = seen.emplace(LowerCase(named.name), named.name);
    if (!fresh) {
      diagnostics.Error(ErrorCode::kPipelineInvalid, named.place,
                        fmt::format("`{}` and `{}` are one name to engines that ignore case",
                                    Printable(other->second, 60), Printable(named.name, 60)));
    }
    TableRows rows;
    list.tables.push_back(TableReader(*named.section, contract).Read(named.name, rows));
    list.rows.push_back(std::move(rows));
  }
  const bool given = pipeline.Has("tables");
  if (given && list.tables.empty() && diagnostics.ok()) {
    pipeline.Error("tables", ErrorCode::kPipelineInvalid, "there is no table");
  }
  return list;
}

}  // namespace weir::config
