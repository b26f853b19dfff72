#include "iceberg/sql_pointers.h"

#include <algorithm>

#include <fmt/format.h>

namespace weir::iceberg {
namespace {

constexpr const char* kMakeTables =
    "CREATE TABLE IF NOT EXISTS iceberg_tables("
    "catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL, "
    "table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), "
    "previous_metadata_location VARCHAR(1000), iceberg_type VARCHAR(5), "
    "PRIMARY KEY (catalog_name, table_namespace, table_name))";
constexpr const char* kMakeNamespaces =
    "CREATE TABLE IF NOT EXISTS iceberg_namespace_properties("
    "catalog_name VARCHAR(255) NOT NULL, namespace VARCHAR(255) NOT NULL, "
    "property_key VARCHAR(255), property_value VARCHAR(1000), "
    "PRIMARY KEY (catalog_name, namespace, property_key))";

std::string NamespaceOf(const connect::TableName& name) {
  std::string text;
  for (const std::string& level : name.levels) text += (text.empty() ? "" : ".") + level;
  return text;
}

// Whatever is wrong with the database, the catalog is what cannot be used.
Error AsCatalogError(Error error) {
  if (error.kind == ErrorKind::kUnavailable || error.kind == ErrorKind::kCorrupt ||
      error.kind == ErrorKind::kNotFound || error.kind == ErrorKind::kConflict) {
    if (error.kind != ErrorKind::kCorrupt) error.kind = ErrorKind::kUnavailable;
    if (error.code == ErrorCode::kNone) error.code = ErrorCode::kCatalogUnavailable;
  }
  return WithContext(std::move(error), "catalog");
}

}  // namespace

Result<std::unique_ptr<SqlPointers>> SqlPointers::Open(Result<std::unique_ptr<db::Session>> session,
                                                       const std::string& catalog) {
  if (!session) return AsCatalogError(std::move(session).error());
  std::unique_ptr<SqlPointers> pointers(new SqlPointers(*std::move(session), catalog));
  Status ready = pointers->LookAtTables();
  if (ready.ok() && !pointers->has_tables_) {
    // Somebody else may have made them meanwhile, which some databases report as a conflict.
    ready = pointers->MakeTables();
    if (ready.ok() || ready.error().kind == ErrorKind::kConflict) ready = pointers->LookAtTables();
  }
  if (!ready) return AsCatalogError(std::move(ready).error());
  return pointers;
}

Status SqlPointers::MakeTables() {
  WEIR_ASSIGN_OR_RETURN(db::Work work, db::Work::Begin(*session_));
  for (const char* statement : {kMakeTables, kMakeNamespaces}) {
    auto made = session_->Run(statement, {});
    if (!made) return std::move(made).error();
  }
  return work.Commit();
}

Status SqlPointers::LookAtTables() {
  WEIR_ASSIGN_OR_RETURN(const auto columns, session_->ColumnsOf("iceberg_tables"));
  WEIR_ASSIGN_OR_RETURN(const auto others, session_->ColumnsOf("iceberg_namespace_properties"));
  has_tables_ = !columns.empty() && !others.empty();
  has_type_ = std::ranges::find(columns, "iceberg_type") != columns.end();
  return Ok();
}

// What is there after a loss may be another database.
Status SqlPointers::Ensure() {
  auto again = session_->Ensure();
  if (!again) return AsCatalogError(std::move(again).error());
  if (!*again && has_tables_) return Ok();
  if (Status looked = LookAtTables(); !looked) return AsCatalogError(std::move(looked).error());
  if (has_tables_) return Ok();
  return AsCatalogError(Unavailable(session_->Describe() + ": it holds no Iceberg catalog now"));
}

std::string SqlPointers::OnlyTables() const {
  return has_type_ ? " AND (iceberg_type = 'TABLE' OR iceberg_type IS NULL)" : "";
}

Error SqlPointers::Missing(const connect::TableName& name) const {
  return NotFound(fmt::format("table {} is not in the catalog {} of {}", ToString(name), catalog_,
                              session_->Describe()),
                  ErrorCode::kTableMissing);
}

Result<CurrentMetadata> SqlPointers::Current(const connect::TableName& name) {
  const std::lock_guard lock(mutex_);
  WEIR_TRY(Ensure());
  auto found = session_->Run(
      "SELECT metadata_location FROM iceberg_tables WHERE catalog_name = $1 AND "
      "table_namespace = $2 AND table_name = $3" +
          OnlyTables(),
      {catalog_, NamespaceOf(name), name.name});
  if (!found) return AsCatalogError(std::move(found).error());
  if (found->rows.empty() || !found->rows.front().front()) return Missing(name);
  return CurrentMetadata{.location = *std::move(found->rows.front().front()), .size = {}};
}

std::string SqlPointers::NextLocation(std::string_view folder, const Attempt& attempt) const {
  return fmt::format("{}/{}", folder, MetadataName(attempt));
}

Result<SwapOutcome> SqlPointers::Swap(std::span<const PointerSwap> swaps) {
  const std::lock_guard lock(mutex_);
  WEIR_TRY(Ensure());
  // In one order for everybody, so that two joint swaps cannot wait for each other.
  std::vector<const PointerSwap*> sorted;
  for (const PointerSwap& swap : swaps) sorted.push_back(&swap);
  std::ranges::sort(sorted, {}, [](const PointerSwap* swap) { return swap->name; });

  auto work = db::Work::Begin(*session_);
  if (!work) return AsCatalogError(std::move(work).error());
  for (const PointerSwap* swap : sorted) {
    auto updated = session_->Run(
        "UPDATE iceberg_tables SET metadata_location = $1, previous_metadata_location = $2 WHERE "
        "metadata_location = $2 AND catalog_name = $3 AND table_namespace = $4 AND "
        "table_name = $5" +
            OnlyTables(),
        {swap->next, swap->base, catalog_, NamespaceOf(swap->name), swap->name.name});
    if (!updated) return AsCatalogError(std::move(updated).error());
    if (updated->changed != 1) return connect::CommitOutcome::kConflict;
  }
  Status committed = work->Commit();
  if (committed.ok()) return connect::CommitOutcome::kCommitted;
  if (committed.error().kind == ErrorKind::kCommitUnknown) return connect::CommitOutcome::kUnknown;
  return AsCatalogError(std::move(committed).error());
}

Status SqlPointers::InsertRows(const connect::TableName& name, const std::string& location) {
  const std::string space = NamespaceOf(name);
  auto inserted = session_->Run(
      "INSERT INTO iceberg_namespace_properties(catalog_name, namespace, property_key, "
      "property_value) VALUES ($1, $2, 'exists', 'true') ON CONFLICT DO NOTHING",
      {catalog_, space});
  if (!inserted) return std::move(inserted).error();
  inserted = session_->Run(has_type_ ? "INSERT INTO iceberg_tables(catalog_name, table_namespace, "
                                       "table_name, metadata_location, iceberg_type) "
                                       "VALUES ($1, $2, $3, $4, 'TABLE')"
                                     : "INSERT INTO iceberg_tables(catalog_name, table_namespace, "
                                       "table_name, metadata_location) VALUES ($1, $2, $3, $4)",
                           {catalog_, space, name.name, location});
  return inserted ? Ok() : Status(std::move(inserted).error());
}

Status SqlPointers::Insert(const connect::TableName& name, const std::string& location,
                           std::string_view /*text*/) {
  const std::lock_guard lock(mutex_);
  WEIR_TRY(Ensure());
  auto work = db::Work::Begin(*session_);
  if (!work) return AsCatalogError(std::move(work).error());
  Status inserted = InsertRows(name, location);
  if (!inserted && inserted.error().kind == ErrorKind::kConflict) {
    return Conflict(fmt::format("table {} exists already", ToString(name)));
  }
  if (inserted.ok()) inserted = work->Commit();
  if (inserted.ok() || inserted.error().kind == ErrorKind::kCommitUnknown) return inserted;
  return AsCatalogError(std::move(inserted).error());
}

Status SqlPointers::RenameRow(const connect::TableRename& rename) {
  auto updated = session_->Run(
      "UPDATE iceberg_tables SET table_namespace = $1, table_name = $2 WHERE "
      "catalog_name = $3 AND table_namespace = $4 AND table_name = $5",
      {NamespaceOf(rename.to), rename.to.name, catalog_, NamespaceOf(rename.from),
       rename.from.name});
  if (!updated && updated.error().kind == ErrorKind::kConflict) {
    return Conflict(fmt::format("table {} exists already", ToString(rename.to)));
  }
  if (!updated) return AsCatalogError(std::move(updated).error());
  return updated->changed == 1 ? Ok() : Status(Missing(rename.from));
}

Status SqlPointers::Rename(const std::vector<connect::TableRename>& renames) {
  const std::lock_guard lock(mutex_);
  WEIR_TRY(Ensure());
  auto work = db::Work::Begin(*session_);
  if (!work) return AsCatalogError(std::move(work).error());
  for (const connect::TableRename& rename : renames) WEIR_TRY(RenameRow(rename));
  return work->Commit();
}

Result<std::vector<connect::TableName>> SqlPointers::List() {
  const std::lock_guard lock(mutex_);
  WEIR_TRY(Ensure());
  auto found = session_->Run(
      "SELECT table_namespace, table_name FROM iceberg_tables WHERE catalog_name = $1" +
          OnlyTables() + " ORDER BY 1, 2",
      {catalog_});
  if (!found) return AsCatalogError(std::move(found).error());
  std::vector<connect::TableName> names;
  for (const db::Session::Row& row : found->rows) {
    auto name = connect::ParseTableName(row[0].value_or("") + "." + row[1].value_or(""));
    if (name) names.push_back(*std::move(name));
  }
  return names;
}

Status SqlPointers::Check() {
  const auto names = List();
  return names ? Ok() : Status(names.error());
}

std::string SqlPointers::Describe() const { return session_->Describe(); }

}  // namespace weir::iceberg
