// Does to tables what it reads from standard input, one JSON object a line, and answers each with
// one line: {"ok": ...} or {"error": ...}. iceberg_test.py and delta_test.py drive it between other
// writers.
//
//   {"op": "open", "catalog": "sql" | "postgres", "name", "database", "warehouse"}
//   {"op": "open", "catalog": "folder" | "delta", "warehouse"}
//   {"op": "open", "catalog": "rest", "uri", "warehouse", "token", "credential"}
//   {"op": "create", "table", "columns": [{"name", "type", "required"}], "partition_by", "sort_by",
//    "properties"}             types in the contract's own spelling are too much here: see TypeOf
//   {"op": "load", "table", "pipeline"}        keeps the version that the next append is based on
//   {"op": "append", "rows": [{...}], "progress": {"t/0": [since, epoch, next]}, "expiry": {...}}
//   {"op": "evolve", "add": [{"name", "type"}], "widen": [...]}     the columns of that version
//   {"op": "clean_up" | "files" | "snapshots" | "accept_rollback" | "list"}
//   {"op": "rename", "from", "to"}

#include <cstdio>
#include <iostream>
#include <map>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/json_document.h"
#include "base/must.h"
#include "base/random.h"
#include "connect/column_file.h"
#include "connect/transform.h"
#include "delta/catalog.h"
#include "iceberg/catalog.h"
#include "iceberg/files.h"
#include "iceberg/schema_json.h"
#include "io/store.h"
#include "parquet/data_file_writer.h"

namespace weir {
namespace {

using nlohmann::json;

Int128 UnscaledOf(std::string text, int scale) {
  const std::size_t dot = text.find('.');
  const std::size_t digits = dot == std::string::npos ? 0 : text.size() - dot - 1;
  if (dot != std::string::npos) text.erase(dot, 1);
  text.append(static_cast<std::size_t>(scale) - digits, '0');
  const bool negative = text.starts_with('-');
  Int128 number = 0;
  for (char c : text) {
    if (c >= '0' && c <= '9') number = number * 10 + (c - '0');
  }
  return negative ? -number : number;
}

void Append(Column& column, const json& value) {
  if (value.is_null()) return column.AppendNull();
  switch (column.type().kind) {
    case TypeKind::kBoolean:
      return column.AppendBoolean(value.get<bool>());
    case TypeKind::kInt:
    case TypeKind::kDate:
      return column.AppendInt(value.get<std::int32_t>());
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return column.AppendLong(value.get<std::int64_t>());
    case TypeKind::kFloat:
      return column.AppendFloat(value.get<float>());
    case TypeKind::kDouble:
      return column.AppendDouble(value.get<double>());
    case TypeKind::kDecimal:
      return column.AppendDecimal(UnscaledOf(value.get<std::string>(), column.type().scale));
    case TypeKind::kString:
      return column.AppendString(value.get<std::string>());
    case TypeKind::kBinary:
      return column.AppendString(HexDecode(value.get<std::string>()).value());
    case TypeKind::kUuid: {
      const std::string bytes = HexDecode(value.get<std::string>()).value();
      return column.AppendUuid(std::span<const std::uint8_t, 16>(
          reinterpret_cast<const std::uint8_t*>(bytes.data()), 16));
    }
    case TypeKind::kStruct: {
      for (Column& child : column.children()) {
        const std::size_t i = static_cast<std::size_t>(&child - column.children().data());
        Append(child, value.value(column.type().children[i].name, json()));
      }
      return column.AppendStruct();
    }
    case TypeKind::kList: {
      for (const json& item : value) Append(column.children()[0], item);
      return column.AppendList(value.size());
    }
    case TypeKind::kMap: {
      for (const auto& [key, item] : value.items()) {
        Append(column.children()[0], key);
        Append(column.children()[1], item);
      }
      return column.AppendList(value.size());
    }
  }
}

class Driver {
 public:
  json Do(const json& command) {
    const std::string op = command.at("op");
    if (op == "open") return Open(command);
    if (op == "create") return Create(command);
    if (op == "load") return Load(command);
    if (op == "append") return AppendRows(command);
    if (op == "evolve") return Evolve(command);
    if (op == "clean_up") return Must(table_->CleanUp()), json(true);
    if (op == "accept_rollback") return Outcome(Must(table_->AcceptRollback(*version_)));
    if (op == "files") return LiveFiles();
    if (op == "snapshots") return Snapshots();
    if (op == "list") return List();
    if (op == "rename") return Rename(command);
    throw std::runtime_error("unknown op " + op);
  }

 private:
  json Open(const json& command) {
    const std::string kind = command.at("catalog");
    const std::string warehouse = command.value("warehouse", "");
    if (kind == "delta") {
      catalog_ = Must(delta::OpenCatalog(warehouse, {}, SystemClock()));
    } else if (kind == "folder") {
      catalog_ = Must(iceberg::OpenFolderCatalog(warehouse, {}, SystemClock()));
    } else if (kind == "rest") {
      iceberg::RestOptions options;
      options.uri = command.at("uri");
      options.warehouse = warehouse;
      options.token = command.value("token", "");
      options.credential = command.value("credential", "");
      catalog_ = iceberg::OpenRestCatalog(options, {}, SystemClock());
    } else if (kind == "postgres") {
      catalog_ = Must(iceberg::OpenPostgresCatalog(command.at("name"),
                                                   {.url = command.at("database"), .password = {}},
                                                   warehouse, {}, SystemClock()));
    } else {
      catalog_ = Must(iceberg::OpenSqlCatalog(command.at("name"), command.at("database"), warehouse,
                                              {}, SystemClock()));
    }
    Must(catalog_->Check());
    return catalog_->Describe();
  }

  static Schema SchemaOf(const json& columns) {
    // The table format's own JSON, without ids.
    int id = 0;
    json fields = columns;
    for (json& field : fields) {
      field["id"] = ++id;
      if (!field.contains("required")) field["required"] = false;
    }
    const std::string text = json{{"fields", fields}}.dump();
    Schema schema = Must(iceberg::SchemaFromJson(Must(ParseJson(text)))).schema;
    ClearIds(schema.fields);
    return schema;
  }

  static void ClearIds(std::vector<Field>& fields) {
    for (Field& field : fields) {
      field.id = 0;
      ClearIds(field.type.children);
    }
  }

  json Create(const json& command) {
    connect::TableDefinition definition;
    definition.name = Must(connect::ParseTableName(command.at("table").get<std::string>()));
    definition.schema = SchemaOf(command.at("columns"));
    const json partition_by = command.value("partition_by", json::array());
    for (const json& by : partition_by) {
      const auto known = connect::ParseTransform(by.at("transform").get<std::string>()).value();
      definition.partition_by.push_back(
          {.name = by.value("name", ""), .transform = known.transform, .width = known.width});
      definition.partition_sources.push_back(by.at("column"));
    }
    definition.sort_by = command.value("sort_by", std::vector<std::string>());
    definition.properties = command.value("properties", std::map<std::string, std::string>());
    Must(catalog_->Create(definition));
    return true;
  }

  json Load(const json& command) {
    if (command.contains("table")) {
      const auto name = Must(connect::ParseTableName(command.at("table").get<std::string>()));
      table_ = Must(catalog_->Open(name, command.value("pipeline", "")));
    }
    version_ = Must(table_->Load());
    json out = {{"uuid", version_->uuid},
                {"location", version_->location},
                {"total_records", version_->total_records},
                {"lineage", static_cast<int>(version_->lineage)},
                {"properties", version_->properties}};
    out["snapshot"] = version_->snapshot_id ? json(*version_->snapshot_id) : json();
    if (version_->progress) {
      for (const auto& [name, part] : version_->progress->partitions) {
        out["progress"][name] = {part.position.since, part.position.epoch,
                                 part.next_offset.value()};
      }
    }
    return out;
  }

  json AppendRows(const json& command) {
    connect::TableCommit commit;
    commit.files = WriteFiles(command.value("rows", json::array()));
    for (const json& rows : command.value("replaced", json::array())) {
      for (const auto& [column, value] : rows.items()) {
        connect::RowsWhere where;
        if (value.is_string()) {
          where.columns[column].text = value.get<std::string>();
        } else {
          where.columns[column].number = value.get<std::int64_t>();
        }
        commit.replaced.push_back(std::move(where));
      }
    }
    const json progress = command.value("progress", json::object());
    for (const auto& [name, part] : progress.items()) {
      commit.progress[name] = {{part.at(0), part.at(1)}, Offset(part.at(2))};
    }
    const json expiry = command.value("expiry", json::object());
    commit.expiry.max_age = expiry.value("max_age_us", commit.expiry.max_age);
    commit.expiry.keep_at_least = expiry.value("keep_at_least", commit.expiry.keep_at_least);
    commit.expiry.keep_at_most = expiry.value("keep_at_most", commit.expiry.keep_at_most);
    commit.expiry.reader_grace = expiry.value("reader_grace_us", commit.expiry.reader_grace);
    return Outcome(Must(table_->Commit(*version_, commit)));
  }

  json Evolve(const json& command) {
    connect::SchemaChange change;
    for (Field& field : SchemaOf(command.value("add", json::array())).fields) {
      change.added.push_back({.parent = {}, .field = std::move(field)});
    }
    for (Field& field : SchemaOf(command.value("widen", json::array())).fields) {
      change.widened.push_back({.path = {field.name}, .type = std::move(field.type)});
    }
    return Outcome(Must(table_->Evolve(*version_, change)));
  }

  std::vector<connect::DataFile> WriteFiles(const json& rows) {
    std::map<connect::PartitionTuple, std::vector<Column>> groups;
    for (const json& row : rows) {
      std::vector<Column> one = NewColumns();
      for (std::size_t i = 0; i < one.size(); ++i) {
        Append(one[i], row.value(version_->schema.fields[i].name, json()));
      }
      connect::PartitionTuple tuple;
      for (const connect::PartitionField& field : version_->spec.fields) {
        for (std::size_t i = 0; i < one.size(); ++i) {
          if (version_->schema.fields[i].id != field.source_id) continue;
          tuple.push_back(connect::TransformRow(field.transform, field.width, one[i], 0));
        }
      }
      auto [group, fresh] = groups.try_emplace(tuple);
      if (fresh) group->second = NewColumns();
      for (std::size_t i = 0; i < one.size(); ++i) group->second[i].AppendAll(one[i]);
    }
    std::vector<connect::DataFile> files;
    files.reserve(groups.size());
    for (const auto& [tuple, columns] : groups) files.push_back(WriteFile(tuple, columns));
    return files;
  }

  std::vector<Column> NewColumns() const {
    std::vector<Column> columns;
    for (const Field& field : version_->schema.fields) columns.emplace_back(field.type);
    return columns;
  }

  connect::DataFile WriteFile(const connect::PartitionTuple& tuple,
                              const std::vector<Column>& columns) {
    const auto store = Must(
        io::OpenFolder(iceberg::LocalPath(version_->location).value(), io::FolderAccess::kShared));
    const std::string path = table_->DataFolder(*version_, tuple) + "/" + NewUuid() + ".parquet";
    auto writer = Must(parquet::DataFileWriter::Create(
        version_->schema, connect::SettingsFrom(version_->properties), Must(store->Create(path))));
    std::vector<const Column*> pointers;
    pointers.reserve(columns.size());
    for (const Column& column : columns) pointers.push_back(&column);
    Must(writer->WriteRowGroup(pointers, columns.front().size()));
    connect::DataFile file = Must(writer->Finish());
    file.path = path;
    file.spec_id = version_->spec.spec_id;
    file.sort_order_id = version_->sort_order.order_id;
    file.partition = tuple;
    return file;
  }

  static json Outcome(connect::CommitOutcome outcome) {
    switch (outcome) {
      case connect::CommitOutcome::kCommitted:
        return "committed";
      case connect::CommitOutcome::kConflict:
        return "conflict";
      case connect::CommitOutcome::kUnknown:
        return "unknown";
    }
    return nullptr;
  }

  json LiveFiles() {
    json out = json::array();
    for (const connect::DataFile& file : Must(table_->LiveFiles(*version_))) {
      out.push_back({{"path", file.path}, {"records", file.record_count}});
    }
    return out;
  }

  json Snapshots() {
    json out = json::array();
    for (const connect::SnapshotInfo& snapshot : table_->Snapshots(*version_)) {
      out.push_back({{"id", snapshot.snapshot_id},
                     {"operation", snapshot.operation},
                     {"summary", snapshot.summary}});
    }
    return out;
  }

  json List() {
    json out = json::array();
    for (const auto& name : Must(catalog_->List())) out.push_back(connect::ToString(name));
    return out;
  }

  json Rename(const json& command) {
    const auto name = [&](const char* key) {
      return Must(connect::ParseTableName(command.at(key).get<std::string>()));
    };
    return Must(catalog_->Rename({{.from = name("from"), .to = name("to")}})), json(true);
  }

  std::unique_ptr<connect::Catalog> catalog_;
  std::unique_ptr<connect::Table> table_;
  std::shared_ptr<const connect::TableVersion> version_;
};

int Run() {
  Driver driver;
  std::string line;
  while (std::getline(std::cin, line)) {
    json answer;
    try {
      answer["ok"] = driver.Do(json::parse(line));
    } catch (const std::exception& exception) {
      answer = {{"error", exception.what()}};
    }
    std::cout << answer.dump() << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace weir

int main() { return weir::Run(); }
