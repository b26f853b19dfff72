#pragma once
// Session: one open database for code that runs on SQLite and on PostgreSQL alike.
//
// Statements take text parameters $1, $2, ... which must first appear in this order, and give text
// back. What writes stands in a Work, one at a time; a statement outside of one only reads, and is
// tried again where the connection turns out to be lost. One thread at a time.
// Errors as in connection.h, and of a server: kUnavailable WEIR0404 (away, overloaded, a standby),
// kRefused WEIR0502 (user, password, rights), kInvalidInput (a value does not fit its column).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace weir::db {

class Session {
 public:
  using Row = std::vector<std::optional<std::string>>;  // nullopt: NULL
  struct Answer {
    std::vector<Row> rows;
    std::int64_t changed = 0;  // rows that an INSERT, UPDATE or DELETE changed
  };

  virtual ~Session() = default;
  /// Before each use: opens again what was lost, where it is back. True: another database may be
  /// there than last time.
  virtual Result<bool> Ensure() = 0;
  virtual Result<Answer> Run(const std::string& sql, const std::vector<std::string>& values) = 0;
  /// The columns of a table; empty: there is no such table.
  virtual Result<std::vector<std::string>> ColumnsOf(const std::string& table) = 0;
  /// For people; without secrets.
  virtual std::string Describe() const = 0;

 protected:
  friend class Work;
  virtual Status Begin() = 0;
  virtual Status Commit() = 0;
  virtual void Rollback() = 0;
};

/// A transaction of a session. Destroyed without Commit it is rolled back.
class Work {
 public:
  static Result<Work> Begin(Session& session);
  ~Work();
  Work(Work&& other) noexcept;
  Work& operator=(Work&&) = delete;

  /// Durable when it returns. kCommitUnknown: it may or may not be; look before doing it again.
  Status Commit();

 private:
  explicit Work(Session& session) : session_(&session) {}
  Session* session_;  // nullptr: over
};

}  // namespace weir::db
