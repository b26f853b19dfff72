#include "db/transaction.h"

#include <utility>

#include <sqlite3.h>

namespace weir::db {

Result<Transaction> Transaction::Begin(Connection& connection) {
  WEIR_TRY(connection.LockForWriting());
  Status begun = connection.CheckInPlace();
  if (begun.ok()) begun = connection.Execute("BEGIN IMMEDIATE");
  if (!begun) {
    connection.UnlockAfterWriting();
    return std::move(begun).error();
  }
  return Transaction(connection, true);
}

Result<Transaction> Transaction::BeginRead(Connection& connection) {
  WEIR_TRY(connection.CheckInPlace());
  WEIR_TRY(connection.Execute("BEGIN DEFERRED"));
  return Transaction(connection, false);
}

Transaction::Transaction(Transaction&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)), writes_(other.writes_) {}

Transaction::~Transaction() { End(); }

Status Transaction::Commit() {
  Status committed = connection_->Execute("COMMIT");
  // After a failed sync the commit may be whole in the journal, and what the disk kept decides
  // whether it counts. A write that failed left it incomplete.
  const int result = sqlite3_extended_errcode(connection_->database_);
  const bool unknown = (result & 0xff) == SQLITE_IOERR && result != SQLITE_IOERR_WRITE;
  End();
  if (!committed && unknown) committed.error().kind = ErrorKind::kCommitUnknown;
  return committed;
}

// Some failures end the transaction by themselves; where one is left open it is rolled back.
void Transaction::End() {
  if (connection_ == nullptr) return;
  sqlite3* database = connection_->database_;
  if (sqlite3_get_autocommit(database) == 0) {
    sqlite3_exec(database, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  if (writes_) connection_->UnlockAfterWriting();
  connection_ = nullptr;
}

}  // namespace weir::db
