#pragma once
// SqliteSession: a Session on a database file. A file that was moved away or replaced while it was
// in use is opened again when one is back; meanwhile every call answers kUnavailable.

#include <map>
#include <memory>
#include <optional>

#include "db/connection.h"
#include "db/session.h"
#include "db/transaction.h"

namespace weir::db {

class SqliteSession final : public Session {
 public:
  /// The file is made when missing. One that is there keeps its journal mode: others may use it on
  /// a mount that has no WAL.
  static Result<std::unique_ptr<Session>> Open(const std::string& path);

  Result<bool> Ensure() override;
  Result<Answer> Run(const std::string& sql, const std::vector<std::string>& values) override;
  Result<std::vector<std::string>> ColumnsOf(const std::string& table) override;
  std::string Describe() const override;

 private:
  explicit SqliteSession(std::unique_ptr<Connection> connection)
      : connection_(std::move(connection)) {}
  Status Begin() override;
  Status Commit() override;
  void Rollback() override { transaction_.reset(); }
  Result<Statement*> Prepared(const std::string& sql);

  std::unique_ptr<Connection> connection_;
  std::map<std::string, Statement> statements_;  // few, and used again and again
  std::optional<Transaction> transaction_;
};

}  // namespace weir::db
