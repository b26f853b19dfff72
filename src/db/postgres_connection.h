#pragma once
// PostgresConnection: one connection to a PostgreSQL server, with an end to every wait.
//
// libpq's own calls wait without a limit for a server that is frozen or cut off, so all waiting is
// done here, on its socket. After an error that ended the connection is_open() is false and the
// object is of no more use. One thread at a time. Errors are those of session.h; kConflict is a
// violated constraint. No message holds a password.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "db/session.h"

typedef struct pg_conn PGconn;      // NOLINT(modernize-use-using): as libpq declares it
typedef struct pg_result PGresult;  // NOLINT(modernize-use-using)

namespace weir::db {

struct PostgresOptions {
  std::string url;       // "postgresql://user@host:port/database?sslmode=...", without a password
  std::string password;  // empty: what PGPASSWORD or the password file says
  Micros connect_timeout = 10 * kMicrosPerSecond;
  Micros statement_timeout = 30 * kMicrosPerSecond;
  Micros lock_timeout = 10 * kMicrosPerSecond;  // for a row that another transaction holds
  /// When the server ends a transaction whose client says nothing more: a frozen writer must not
  /// hold its rows for long.
  Micros idle_timeout = 60 * kMicrosPerSecond;
};

class PostgresConnection {
 public:
  static Result<std::unique_ptr<PostgresConnection>> Open(const PostgresOptions& options);
  ~PostgresConnection();
  PostgresConnection(const PostgresConnection&) = delete;
  PostgresConnection& operator=(const PostgresConnection&) = delete;

  Result<Session::Answer> Run(const std::string& sql, const std::vector<std::string>& values);
  /// Ends a transaction. kCommitUnknown: the answer was lost, or the server went down over it.
  Status Commit();
  bool is_open() const { return connection_ != nullptr; }

 private:
  class Reply;
  explicit PostgresConnection(PostgresOptions options) : options_(std::move(options)) {}
  Status Connect();
  Status Prepare();
  Result<Reply> Ask(const std::string& sql, const std::vector<std::string>& values);
  Status AwaitReply(Micros deadline);
  Error Lost(const std::string& what);
  void Close();

  PostgresOptions options_;
  PGconn* connection_ = nullptr;
};

/// "postgresql://user@host:port/database" of a URL that may hold more than that; for messages.
std::string PostgresPlace(const std::string& url);

}  // namespace weir::db
