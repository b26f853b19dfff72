#pragma once
// SqlPointers: the SQL catalog on SQLite, with the tables of Java's JdbcCatalog and of PyIceberg's
// SqlCatalog, so that those open it. Databases with their first schema (V0: no iceberg_type column)
// are used as they are. A database that is moved away or replaced while in use is opened again when
// it is back; meanwhile every call answers kUnavailable.

#include <mutex>

#include "db/connection.h"
#include "iceberg/pointers.h"

namespace weir::iceberg {

class SqlPointers final : public Pointers {
 public:
  /// `catalog` is the catalog_name that all engines must agree on. The database is made when it is
  /// missing.
  static Result<std::unique_ptr<SqlPointers>> Open(const std::string& database,
                                                   const std::string& catalog);

  Result<CurrentMetadata> Current(const connect::TableName& name) override;
  std::string NextLocation(std::string_view folder, const Attempt& attempt) const override;
  bool swap_writes_file() const override { return false; }
  Result<connect::CommitOutcome> Swap(std::span<const PointerSwap> swaps) override;
  bool joint_swaps() const override { return true; }
  Status Insert(const connect::TableName& name, const std::string& location,
                std::string_view text) override;
  Status Rename(const std::vector<connect::TableRename>& renames) override;
  Result<std::vector<connect::TableName>> List() override;
  Status Check() override;
  std::string Describe() const override;

 private:
  SqlPointers(std::unique_ptr<db::Connection> connection, std::string catalog)
      : connection_(std::move(connection)), catalog_(std::move(catalog)) {}
  Status Prepare();
  Status EnsureInPlace();
  Status MakeTables();
  Status InsertRows(const connect::TableName& name, const std::string& location);
  Status RenameRow(const connect::TableRename& rename);
  Result<std::int64_t> UpdateRow(const PointerSwap& swap);

  std::mutex mutex_;  // a connection is one thread's at a time
  std::unique_ptr<db::Connection> connection_;
  std::string catalog_;
  bool has_type_ = true;  // V1
  std::unique_ptr<db::Statement> select_;
  std::unique_ptr<db::Statement> update_;
};

}  // namespace weir::iceberg
