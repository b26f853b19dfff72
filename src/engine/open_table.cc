#include "engine/open_table.h"

#include <algorithm>

#include "base/log.h"
#include "engine/produced_tables.h"
#include "engine/table_binding.h"
#include "engine/table_evolution.h"

namespace weir::engine {
namespace {

Result<std::shared_ptr<const connect::TableVersion>> LoadOrCreate(
    const config::PipelineSpec& spec, const config::TableSpec& table_spec,
    connect::Catalog& catalog, connect::Table& table, MissingTable missing) {
  auto version = table.Load();
  if (version || version.error().kind != ErrorKind::kNotFound) return version;
  if (missing == MissingTable::kIsAnError)
    return WithRemedy(
        NotFound("table " + table_spec.name + " does not exist in " + catalog.Describe(),
                 ErrorCode::kTableMissing),
        "bring it back if it was there; `weir run -c " + spec.file + "` makes a table that is new");
  if (table_spec.create == config::CreateMode::kNever)
    return WithRemedy(NotFound("table " + table_spec.name + " does not exist in " +
                                   catalog.Describe() + " and `create: never` is set",
                               ErrorCode::kTableMissing),
                      "make it with `weir tables create -c " + spec.file + "`");
  WEIR_ASSIGN_OR_RETURN(auto definition, DefinitionOf(spec, table_spec));
  // Losing the race to create it is fine: somebody's table is there now. After a lost answer the
  // look at the table tells.
  if (auto created = catalog.Create(definition); !created &&
                                                 created.error().kind != ErrorKind::kConflict &&
                                                 created.error().kind != ErrorKind::kCommitUnknown)
    return std::move(created).error();
  log::Info("created table", {{"table", table_spec.name}});
  return table.Load();
}

// Bronze, quarantine, late, silver, then what is made of silver.
int ApplyOrder(config::TableFrom from) {
  switch (from) {
    case config::TableFrom::kSource:
      return 0;
    case config::TableFrom::kInvalid:
      return 1;
    case config::TableFrom::kLate:
      return 2;
    case config::TableFrom::kValid:
      return 3;
    default:
      return 4;
  }
}

}  // namespace

Result<std::vector<OpenTable>> OpenTables(const config::PipelineSpec& spec,
                                          connect::Catalog& catalog, const StoreOpener& open_store,
                                          MissingTable missing, const Contract* written_with) {
  std::vector<OpenTable> tables;
  for (const auto& table_spec : spec.tables) {
    OpenTable open;
    open.spec = table_spec;
    WEIR_ASSIGN_OR_RETURN(auto name, connect::ParseTableName(table_spec.name));
    open.name = connect::ToString(name);
    WEIR_ASSIGN_OR_RETURN(open.table, catalog.Open(name, spec.name));
    WEIR_ASSIGN_OR_RETURN(open.at_start,
                          LoadOrCreate(spec, table_spec, catalog, *open.table, missing));
    if (written_with != nullptr) {
      WEIR_ASSIGN_OR_RETURN(open.at_start,
                            EvolveTable(spec, table_spec, *written_with, *open.table));
    }
    WEIR_ASSIGN_OR_RETURN(open.file_schema,
                          BindToTable(ProducedSchema(spec, table_spec), *open.at_start, open.name));
    WEIR_ASSIGN_OR_RETURN(open.store, open_store(open.at_start->location));
    tables.push_back(std::move(open));
  }
  std::ranges::stable_sort(tables, {},
                           [](const OpenTable& open) { return ApplyOrder(open.spec.from); });
  return tables;
}

}  // namespace weir::engine
