#include "app/tables_command.h"

#include <memory>

#include <fmt/format.h>

#include "app/listing.h"
#include "app/pipeline_file.h"
#include "app/session.h"
#include "app/table_scan.h"
#include "app/wiring.h"
#include "connect/partition_path.h"
#include "connect/transform.h"
#include "engine/produced_tables.h"

namespace weir::app {
namespace {

using connect::TableVersion;

// What every one of the commands starts with.
struct Opened {
  config::PipelineSpec spec;
  std::unique_ptr<connect::Catalog> catalog;
};

// Runs `work` with the catalog of the session's pipeline.
template <typename Work>
Result<int> WithCatalog(Session& session, Work work, bool only_look = true) {
  LoadedPipeline loaded = LoadPipelineFile(session);
  if (!loaded.spec) return loaded.exit_code;
  Opened opened{std::move(*loaded.spec), nullptr};
  WEIR_ASSIGN_OR_RETURN(opened.catalog,
                        only_look ? OpenCatalogToRead(opened.spec) : OpenCatalog(opened.spec));
  WEIR_TRY(work(opened));
  return exit_code::kOk;
}

template <typename Work>
Result<int> WithTable(Session& session, const std::string& name, Work work) {
  return WithCatalog(session, [&](Opened& opened) -> Status {
    WEIR_ASSIGN_OR_RETURN(OpenedTable table, OpenTableByName(*opened.catalog, name, opened.spec));
    return work(table);
  });
}

Cell TimeCell(Micros time) { return time == 0 ? Cell() : Cell(FormatTime(time)); }

Micros LastCommit(const OpenedTable& opened) {
  Micros last = 0;
  for (const auto& snapshot : opened.table->Snapshots(*opened.version)) {
    last = std::max(last, snapshot.time);
  }
  return last;
}

std::string NameOf(const Schema& schema, int field_id) {
  const Field* field = connect::FindField(schema.fields, field_id);
  return field == nullptr ? "#" + std::to_string(field_id) : field->name;
}

std::string PartitioningText(const TableVersion& version) {
  std::string text;
  for (const auto& field : version.spec.fields) {
    text += fmt::format("{}{}({})", text.empty() ? "" : ", ",
                        connect::ToString(field.transform, field.width),
                        NameOf(version.schema, field.source_id));
  }
  return text.empty() ? "none" : text;
}

std::string SortText(const TableVersion& version) {
  std::string text;
  for (const auto& field : version.sort_order.fields) {
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", NameOf(version.schema, field.source_id),
                        field.ascending ? "" : " desc");
  }
  return text.empty() ? "none" : text;
}

// --- ls ------------------------------------------------------------------------------------------

Status ListTables(Opened& opened, Session& session) {
  WEIR_ASSIGN_OR_RETURN(const auto names, opened.catalog->List());
  Listing listing{.columns = {"table", "rows", "snapshots", "last_commit", "problem"}, .rows = {}};
  for (const connect::TableName& name : names) {
    auto table = OpenTableByName(*opened.catalog, ToString(name), opened.spec);
    if (!table) {
      listing.Add({ToString(name), Cell(), Cell(), Cell(), table.error().ToString()});
      continue;
    }
    const auto snapshots = table->table->Snapshots(*table->version);
    listing.Add({ToString(name), table->version->total_records,
                 static_cast<std::int64_t>(snapshots.size()), TimeCell(LastCommit(*table)),
                 Cell()});
  }
  WriteListing(listing, session);
  return Ok();
}

// --- show ----------------------------------------------------------------------------------------

Status ShowTable(OpenedTable& opened, Session& session) {
  const TableVersion& version = *opened.version;
  WEIR_ASSIGN_OR_RETURN(const auto files, opened.table->LiveFiles(version));
  std::int64_t bytes = 0;
  for (const auto& file : files) bytes += file.file_bytes;
  std::vector<std::pair<std::string, Cell>> properties{
      {"table", ToString(opened.table->name())},
      {"location", version.location},
      {"uuid", version.uuid},
      {"format_version", version.format_version},
      {"columns", static_cast<std::int64_t>(version.schema.fields.size())},
      {"partitioning", PartitioningText(version)},
      {"sort_order", SortText(version)},
      {"rows", version.total_records},
      {"files", static_cast<std::int64_t>(files.size())},
      {"bytes", {bytes, ShowBytes(bytes)}},
      {"snapshots", static_cast<std::int64_t>(opened.table->Snapshots(version).size())},
      {"last_commit", TimeCell(LastCommit(opened))}};
  if (version.progress) {
    for (const auto& [partition, progress] : version.progress->partitions) {
      properties.emplace_back("next_offset." + partition, progress.next_offset.value());
    }
  }
  for (const auto& [name, value] : version.properties) {
    properties.emplace_back("property." + name, value);
  }
  WriteProperties(properties, session);
  return Ok();
}

// --- schema --------------------------------------------------------------------------------------

void AddFields(const std::vector<Field>& fields, const std::string& prefix, Listing& listing) {
  for (const Field& field : fields) {
    listing.Add({field.id, prefix + field.name, ToString(field.type), field.required,
                 field.doc.empty() ? Cell() : Cell(field.doc)});
    AddFields(field.type.children, prefix + field.name + ".", listing);
  }
}

Status ShowSchema(OpenedTable& opened, Session& session) {
  Listing listing{.columns = {"id", "column", "type", "required", "doc"}, .rows = {}};
  AddFields(opened.version->schema.fields, "", listing);
  WriteListing(listing, session);
  return Ok();
}

// --- snapshots -----------------------------------------------------------------------------------

Cell CountIn(const connect::SnapshotInfo& snapshot, const std::string& key) {
  const auto found = snapshot.summary.find(key);
  if (found == snapshot.summary.end()) return {};
  return std::int64_t{std::strtoll(found->second.c_str(), nullptr, 10)};
}

Status ShowSnapshots(OpenedTable& opened, Session& session) {
  Listing listing{.columns = {"snapshot", "parent", "sequence", "time", "operation", "added_rows",
                              "added_files", "rows"},
                  .rows = {}};
  for (const auto& snapshot : opened.table->Snapshots(*opened.version)) {
    // Ids are names, not quantities: people see them without gaps.
    listing.Add({Cell(snapshot.snapshot_id, std::to_string(snapshot.snapshot_id)),
                 snapshot.parent_id ? Cell(*snapshot.parent_id, std::to_string(*snapshot.parent_id))
                                    : Cell(),
                 snapshot.sequence, FormatTime(snapshot.time), snapshot.operation,
                 CountIn(snapshot, "added-records"), CountIn(snapshot, "added-data-files"),
                 CountIn(snapshot, "total-records")});
  }
  WriteListing(listing, session);
  return Ok();
}

// --- files ---------------------------------------------------------------------------------------

Status ShowFiles(OpenedTable& opened, Session& session) {
  const TableVersion& version = *opened.version;
  WEIR_ASSIGN_OR_RETURN(const auto files, opened.table->LiveFiles(version));
  Listing listing{.columns = {"path", "partition", "rows", "bytes"}, .rows = {}};
  for (const connect::DataFile& file : files) {
    const bool is_current =
        file.spec_id == version.spec.spec_id && file.partition.size() == version.spec.fields.size();
    listing.Add({FileLocation(version, file),
                 is_current && !file.partition.empty()
                     ? Cell(connect::PartitionPath(version.schema, version.spec, file.partition))
                     : Cell(),
                 file.record_count,
                 {file.file_bytes, ShowBytes(file.file_bytes)}});
  }
  WriteListing(listing, session);
  return Ok();
}

// --- create --------------------------------------------------------------------------------------

Result<std::vector<config::TableSpec>> Chosen(const config::PipelineSpec& spec,
                                              const std::vector<std::string>& names) {
  if (names.empty()) return spec.tables;
  std::vector<config::TableSpec> chosen;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(spec.tables, name, &config::TableSpec::name);
    if (found == spec.tables.end()) {
      return InvalidInput("the pipeline has no table " + name, ErrorCode::kUsage);
    }
    chosen.push_back(*found);
  }
  return chosen;
}

Status CreateTables(Opened& opened, const std::vector<std::string>& names, Session& session) {
  WEIR_ASSIGN_OR_RETURN(const auto tables, Chosen(opened.spec, names));
  Listing listing{.columns = {"table", "result"}, .rows = {}};
  for (const config::TableSpec& table : tables) {
    WEIR_ASSIGN_OR_RETURN(const auto definition, engine::DefinitionOf(opened.spec, table));
    Status created = opened.catalog->Create(definition);
    if (!created && created.error().kind != ErrorKind::kConflict) return created;
    listing.Add({table.name, created ? "created" : "was there"});
  }
  WriteListing(listing, session);
  return Ok();
}

// --- the tree ------------------------------------------------------------------------------------

Command OfOneTable(std::string name, std::string summary, Status (*show)(OpenedTable&, Session&)) {
  auto table = std::make_shared<std::string>();
  Command command;
  command.name = std::move(name);
  command.summary = std::move(summary);
  command.examples = {{"weir tables " + command.name + " retail.events -c pipeline.yaml", ""},
                      {"weir tables " + command.name + " retail.events --format json", ""}};
  command.options = {{.names = "TABLE",
                      .value = "TABLE",
                      .help = "the table, as NAMESPACE.NAME",
                      .target = table.get(),
                      .required = true}};
  command.run = [table, show](Session& session) {
    return WithTable(session, *table, [&](OpenedTable& opened) { return show(opened, session); });
  };
  return command;
}

Command MakeList() {
  Command command;
  command.name = "ls";
  command.summary = "Lists the tables of the catalog";
  command.examples = {{"weir tables ls -c pipeline.yaml", ""}, {"weir tables ls --format csv", ""}};
  command.run = [](Session& session) {
    return WithCatalog(session, [&](Opened& opened) { return ListTables(opened, session); });
  };
  return command;
}

Command MakeCreate() {
  auto names = std::make_shared<std::vector<std::string>>();
  Command command;
  command.name = "create";
  command.summary = "Creates the tables of the pipeline from its contract";
  command.examples = {{"weir tables create -c pipeline.yaml", "all that are missing"},
                      {"weir tables create retail.events -c pipeline.yaml", "this one"}};
  command.options = {{.names = "TABLE",
                      .value = "TABLE",
                      .help = "tables of the pipeline; all unless given",
                      .target = names.get()}};
  command.run = [names](Session& session) {
    return WithCatalog(
        session, [&](Opened& opened) { return CreateTables(opened, *names, session); }, false);
  };
  return command;
}

}  // namespace

Command MakeTablesCommand() {
  Command command;
  command.name = "tables";
  command.summary = "Lists, shows and creates tables";
  command.examples = {
      {"weir tables ls -c pipeline.yaml", "what is there"},
      {"weir tables files retail.events --format csv", "live files of a table"},
      {"weir tables create -c pipeline.yaml", "make what `create: never` asks for"}};
  command.commands.push_back(MakeList());
  command.commands.push_back(OfOneTable("show", "Shows a table with its properties", ShowTable));
  command.commands.push_back(OfOneTable("schema", "Shows the columns of a table", ShowSchema));
  command.commands.push_back(
      OfOneTable("snapshots", "Lists the snapshots of a table", ShowSnapshots));
  command.commands.push_back(
      OfOneTable("files", "Lists the live data files of a table", ShowFiles));
  command.commands.push_back(MakeCreate());
  return command;
}

}  // namespace weir::app
