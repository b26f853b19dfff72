#pragma once
// SqlPointers: the SQL catalog on SQLite or PostgreSQL, with the tables of Java's JdbcCatalog and
// of PyIceberg's SqlCatalog, so that those open it. Databases with their first schema (V0: no
// iceberg_type column) are used as they are. A database that is away, moved or replaced while in
// use is opened again when it is back; meanwhile every call answers kUnavailable.

#include <mutex>

#include "db/session.h"
#include "iceberg/pointers.h"

namespace weir::iceberg {

class SqlPointers final : public Pointers {
 public:
  /// `catalog` is the catalog_name that all engines must agree on. The tables are made when they
  /// are missing.
  static Result<std::unique_ptr<SqlPointers>> Open(Result<std::unique_ptr<db::Session>> session,
                                                   const std::string& catalog);

  Result<CurrentMetadata> Current(const connect::TableName& name) override;
  std::string NextLocation(std::string_view folder, const Attempt& attempt) const override;
  MetadataWriter metadata_writer() const override { return MetadataWriter::kTable; }
  Result<SwapOutcome> Swap(std::span<const PointerSwap> swaps) override;
  bool joint_swaps() const override { return true; }
  Status Insert(const connect::TableName& name, const std::string& location,
                std::string_view text) override;
  Status Rename(const std::vector<connect::TableRename>& renames) override;
  Result<std::vector<connect::TableName>> List() override;
  Status Check() override;
  std::string Describe() const override;

 private:
  SqlPointers(std::unique_ptr<db::Session> session, std::string catalog)
      : session_(std::move(session)), catalog_(std::move(catalog)) {}
  Status LookAtTables();
  Status MakeTables();
  Status Ensure();
  Status InsertRows(const connect::TableName& name, const std::string& location);
  Status RenameRow(const connect::TableRename& rename);
  /// " AND ..." that leaves out views.
  std::string OnlyTables() const;
  Error Missing(const connect::TableName& name) const;

  std::mutex mutex_;  // a session is one thread's at a time
  std::unique_ptr<db::Session> session_;
  std::string catalog_;
  bool has_tables_ = false;
  bool has_type_ = true;  // V1
};

}  // namespace weir::iceberg
