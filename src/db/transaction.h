#pragma once
// Transaction: all or nothing. Destroyed without Commit it is rolled back.

#include "base/result.h"
#include "db/connection.h"

namespace weir::db {

class Transaction {
 public:
  /// For writing: waits for other writers first (BEGIN IMMEDIATE), so that what is read inside
  /// stays true until the commit. One at a time per connection.
  static Result<Transaction> Begin(Connection& connection);
  /// For reading several things that must fit together.
  static Result<Transaction> BeginRead(Connection& connection);
  ~Transaction();
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;

  /// On the disk when it returns. kCommitUnknown WEIR0503: the disk failed at the last step; the
  /// commit is invisible now, but may come back after a restart: look before doing it again.
  Status Commit();

 private:
  Transaction(Connection& connection, bool writes) : connection_(&connection), writes_(writes) {}
  void End();

  Connection* connection_;  // nullptr: over
  bool writes_;
};

}  // namespace weir::db
