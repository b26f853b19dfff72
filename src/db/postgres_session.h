#pragma once
// PostgresSession: a Session on a PostgreSQL server. A lost connection is made again at the next
// use that stands outside of a transaction.

#include <memory>
#include <utility>

#include "db/postgres_connection.h"
#include "db/session.h"

namespace weir::db {

class PostgresSession final : public Session {
 public:
  static Result<std::unique_ptr<Session>> Open(const PostgresOptions& options);

  Result<bool> Ensure() override;
  Result<Answer> Run(const std::string& sql, const std::vector<std::string>& values) override;
  Result<std::vector<std::string>> ColumnsOf(const std::string& table) override;
  std::string Describe() const override;

 private:
  PostgresSession(PostgresOptions options, std::unique_ptr<PostgresConnection> connection)
      : options_(std::move(options)), connection_(std::move(connection)) {}
  Status Begin() override;
  Status Commit() override;
  void Rollback() override;
  Result<Answer> RunAgainIfLost(const std::string& sql, const std::vector<std::string>& values);

  PostgresOptions options_;
  std::unique_ptr<PostgresConnection> connection_;
  bool in_transaction_ = false;
  bool made_again_ = false;  // since the last Ensure
};

}  // namespace weir::db
