#include "iceberg/sql_pointers.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "db/transaction.h"

namespace weir::iceberg {
namespace {

constexpr const char* kMakeTables =
    "CREATE TABLE IF NOT EXISTS iceberg_tables("
    "catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL, "
    "table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), "
    "previous_metadata_location VARCHAR(1000), iceberg_type VARCHAR(5), "
    "PRIMARY KEY (catalog_name, table_namespace, table_name));"
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

Result<std::unique_ptr<SqlPointers>> SqlPointers::Open(const std::string& database,
                                                       const std::string& catalog) {
  // A database that others made keeps its journal mode: they may be on a mount that has no WAL.
  std::error_code ignored;
  db::OpenOptions options;
  options.others_may_read = true;
  if (std::filesystem::exists(database, ignored)) {
    options.journal = db::Journal::kKeep;
  } else if (const auto folder = std::filesystem::path(database).parent_path(); !folder.empty()) {
    std::filesystem::create_directories(folder, ignored);
  }
  auto connection = db::Connection::Open(database, options);
  if (!connection) return AsCatalogError(std::move(connection).error());
  std::unique_ptr<SqlPointers> pointers(new SqlPointers(std::move(connection).value(), catalog));
  if (Status made = pointers->MakeTables(); !made) return AsCatalogError(std::move(made).error());
  if (Status ready = pointers->Prepare(); !ready) return AsCatalogError(std::move(ready).error());
  return pointers;
}

Status SqlPointers::MakeTables() {
  WEIR_ASSIGN_OR_RETURN(
      db::Statement there,
      connection_->Prepare("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN "
                           "('iceberg_tables', 'iceberg_namespace_properties')"));
  WEIR_ASSIGN_OR_RETURN(const bool row, there.Step());
  if (row && there.Int64(0) == 2) return Ok();
  there.Reset();
  WEIR_ASSIGN_OR_RETURN(db::Transaction transaction, db::Transaction::Begin(*connection_));
  WEIR_TRY(connection_->Execute(kMakeTables));
  return transaction.Commit();
}

Status SqlPointers::Prepare() {
  WEIR_ASSIGN_OR_RETURN(
      db::Statement column,
      connection_->Prepare(
          "SELECT count(*) FROM pragma_table_info('iceberg_tables') WHERE name = 'iceberg_type'"));
  WEIR_ASSIGN_OR_RETURN(const bool row, column.Step());
  has_type_ = row && column.Int64(0) == 1;
  const std::string only_tables =
      has_type_ ? " AND (iceberg_type = 'TABLE' OR iceberg_type IS NULL)" : "";
  WEIR_ASSIGN_OR_RETURN(
      db::Statement select,
      connection_->Prepare(
          "SELECT metadata_location FROM iceberg_tables WHERE catalog_name = ? AND "
          "table_namespace = ? AND table_name = ?" +
          only_tables));
  WEIR_ASSIGN_OR_RETURN(
      db::Statement update,
      connection_->Prepare("UPDATE iceberg_tables SET metadata_location = ?, "
                           "previous_metadata_location = ? WHERE catalog_name = ? AND "
                           "table_namespace = ? AND table_name = ? AND metadata_location = ?" +
                           only_tables));
  select_ = std::make_unique<db::Statement>(std::move(select));
  update_ = std::make_unique<db::Statement>(std::move(update));
  return Ok();
}

// An open database that was moved away would take our commits with it, so the path is looked at
// before each use, and opened anew once another file is there.
Status SqlPointers::EnsureInPlace() {
  if (select_ != nullptr && connection_->CheckInPlace()) return Ok();
  db::OpenOptions options;
  options.create = false;
  options.others_may_read = true;
  options.journal = db::Journal::kKeep;
  auto connection = db::Connection::Open(connection_->path(), options);
  if (!connection) return AsCatalogError(std::move(connection).error());
  select_.reset();
  update_.reset();
  connection_ = *std::move(connection);
  Status ready = Prepare();
  if (ready.ok()) return ready;
  if (ready.error().kind == ErrorKind::kInternal) {
    return AsCatalogError(Unavailable(connection_->path() + ": it holds no Iceberg catalog now"));
  }
  return AsCatalogError(std::move(ready).error());
}

Result<CurrentMetadata> SqlPointers::Current(const connect::TableName& name) {
  const std::lock_guard lock(mutex_);
  WEIR_TRY(EnsureInPlace());
  if (Status bound = select_->Bind(catalog_, NamespaceOf(name), name.name); !bound) {
    return AsCatalogError(std::move(bound).error());
  }
  auto row = select_->Step();
  if (!row) return AsCatalogError(std::move(row).error());
  std::string location;
  if (*row && !select_->IsNull(0)) location = select_->Text(0);
  select_->Reset();
  if (!location.empty()) return CurrentMetadata{.location = std::move(location), .size = {}};
  return NotFound(fmt::format("table {} is not in the catalog {} of {}", ToString(name), catalog_,
                              connection_->path()),
                  ErrorCode::kTableMissing);
}

std::string SqlPointers::NextLocation(std::string_view folder, const Attempt& attempt) const {
  return fmt::format("{}/{}", folder, MetadataName(attempt));
}

Result<std::int64_t> SqlPointers::UpdateRow(const PointerSwap& swap) {
  WEIR_TRY(update_->Run(swap.next, swap.base, catalog_, NamespaceOf(swap.name), swap.name.name,
                        swap.base));
  return connection_->changes();
}

Result<connect::CommitOutcome> SqlPointers::Swap(std::span<const PointerSwap> swaps) {
  const std::lock_guard lock(mutex_);
  WEIR_TRY(EnsureInPlace());
  // In one order for everybody, so that two joint swaps cannot wait for each other.
  std::vector<const PointerSwap*> sorted;
  for (const PointerSwap& swap : swaps) sorted.push_back(&swap);
  std::ranges::sort(sorted, {}, [](const PointerSwap* swap) { return swap->name; });

  auto transaction = db::Transaction::Begin(*connection_);
  if (!transaction) return AsCatalogError(std::move(transaction).error());
  for (const PointerSwap* swap : sorted) {
    auto rows = UpdateRow(*swap);
    if (!rows) return AsCatalogError(std::move(rows).error());
    if (*rows != 1) return connect::CommitOutcome::kConflict;
  }
  Status committed = transaction->Commit();
  if (committed.ok()) return connect::CommitOutcome::kCommitted;
  if (committed.error().kind == ErrorKind::kCommitUnknown) return connect::CommitOutcome::kUnknown;
  return AsCatalogError(std::move(committed).error());
}

Status SqlPointers::InsertRows(const connect::TableName& name, const std::string& location) {
  const std::string space = NamespaceOf(name);
  WEIR_ASSIGN_OR_RETURN(
      db::Statement insert_space,
      connection_->Prepare("INSERT OR IGNORE INTO iceberg_namespace_properties(catalog_name, "
                           "namespace, property_key, property_value) VALUES (?, ?, 'exists', "
                           "'true')"));
  WEIR_TRY(insert_space.Run(catalog_, space));
  WEIR_ASSIGN_OR_RETURN(
      db::Statement insert,
      connection_->Prepare(has_type_ ? "INSERT INTO iceberg_tables(catalog_name, table_namespace, "
                                       "table_name, metadata_location, iceberg_type) "
                                       "VALUES (?, ?, ?, ?, 'TABLE')"
                                     : "INSERT INTO iceberg_tables(catalog_name, table_namespace, "
                                       "table_name, metadata_location) VALUES (?, ?, ?, ?)"));
  return insert.Run(catalog_, space, name.name, location);
}

Status SqlPointers::Insert(const connect::TableName& name, const std::string& location,
                           std::string_view /*text*/) {
  const std::lock_guard lock(mutex_);
  WEIR_TRY(EnsureInPlace());
  auto transaction = db::Transaction::Begin(*connection_);
  if (!transaction) return AsCatalogError(std::move(transaction).error());
  Status inserted = InsertRows(name, location);
  if (!inserted && inserted.error().kind == ErrorKind::kConflict) {
    return Conflict(fmt::format("table {} exists already", ToString(name)));
  }
  if (inserted.ok()) inserted = transaction->Commit();
  if (inserted.ok() || inserted.error().kind == ErrorKind::kCommitUnknown) return inserted;
  return AsCatalogError(std::move(inserted).error());
}

Status SqlPointers::RenameRow(const connect::TableRename& rename) {
  WEIR_ASSIGN_OR_RETURN(
      db::Statement update,
      connection_->Prepare("UPDATE iceberg_tables SET table_namespace = ?, table_name = ? WHERE "
                           "catalog_name = ? AND table_namespace = ? AND table_name = ?"));
  const Status renamed = update.Run(NamespaceOf(rename.to), rename.to.name, catalog_,
                                    NamespaceOf(rename.from), rename.from.name);
  if (!renamed && renamed.error().kind == ErrorKind::kConflict) {
    return Conflict(fmt::format("table {} exists already", ToString(rename.to)));
  }
  WEIR_TRY(Status(renamed));
  if (connection_->changes() == 1) return Ok();
  return NotFound(fmt::format("table {} is not in the catalog {} of {}", ToString(rename.from),
                              catalog_, connection_->path()),
                  ErrorCode::kTableMissing);
}

Status SqlPointers::Rename(const std::vector<connect::TableRename>& renames) {
  const std::lock_guard lock(mutex_);
  WEIR_TRY(EnsureInPlace());
  auto transaction = db::Transaction::Begin(*connection_);
  if (!transaction) return AsCatalogError(std::move(transaction).error());
  for (const connect::TableRename& rename : renames) WEIR_TRY(RenameRow(rename));
  return transaction->Commit();
}

Result<std::vector<connect::TableName>> SqlPointers::List() {
  const std::lock_guard lock(mutex_);
  WEIR_TRY(EnsureInPlace());
  auto select = connection_->Prepare(
      std::string("SELECT table_namespace, table_name FROM iceberg_tables WHERE catalog_name = ?") +
      (has_type_ ? " AND (iceberg_type = 'TABLE' OR iceberg_type IS NULL)" : "") +
      " ORDER BY 1, 2");
  if (!select) return AsCatalogError(std::move(select).error());
  if (Status bound = select->Bind(catalog_); !bound) {
    return AsCatalogError(std::move(bound).error());
  }
  std::vector<connect::TableName> names;
  while (true) {
    auto row = select->Step();
    if (!row) return AsCatalogError(std::move(row).error());
    if (!*row) return names;
    auto name = connect::ParseTableName(fmt::format("{}.{}", select->Text(0), select->Text(1)));
    if (name) names.push_back(*std::move(name));
  }
}

Status SqlPointers::Check() {
  const auto names = List();
  return names ? Ok() : Status(names.error());
}

std::string SqlPointers::Describe() const { return "sqlite:" + connection_->path(); }

}  // namespace weir::iceberg
