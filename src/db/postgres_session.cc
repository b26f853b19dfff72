#include "db/postgres_session.h"

#include <utility>

namespace weir::db {

Result<std::unique_ptr<Session>> PostgresSession::Open(const PostgresOptions& options) {
  WEIR_ASSIGN_OR_RETURN(auto connection, PostgresConnection::Open(options));
  return std::unique_ptr<Session>(new PostgresSession(options, std::move(connection)));
}

Result<bool> PostgresSession::Ensure() {
  if (!connection_->is_open()) {
    WEIR_ASSIGN_OR_RETURN(connection_, PostgresConnection::Open(options_));
    made_again_ = true;
  }
  return std::exchange(made_again_, false);
}

// A connection that broke while nobody used it is noticed by the next statement only. One that
// changes nothing yet can simply be asked again on a new connection.
Result<Session::Answer> PostgresSession::RunAgainIfLost(const std::string& sql,
                                                        const std::vector<std::string>& values) {
  auto answer = connection_->Run(sql, values);
  if (answer || connection_->is_open()) return answer;
  WEIR_ASSIGN_OR_RETURN(connection_, PostgresConnection::Open(options_));
  made_again_ = true;
  return connection_->Run(sql, values);
}

Result<Session::Answer> PostgresSession::Run(const std::string& sql,
                                             const std::vector<std::string>& values) {
  return in_transaction_ ? connection_->Run(sql, values) : RunAgainIfLost(sql, values);
}

Result<std::vector<std::string>> PostgresSession::ColumnsOf(const std::string& table) {
  WEIR_ASSIGN_OR_RETURN(const Answer answer,
                        Run("SELECT attname FROM pg_attribute WHERE attrelid = to_regclass($1) AND "
                            "attnum > 0 AND NOT attisdropped ORDER BY attnum",
                            {table}));
  std::vector<std::string> names;
  for (const Row& row : answer.rows) names.push_back(row.front().value_or(""));
  return names;
}

// The level is named since a server may have a stricter one as its default, under which a row that
// somebody else changed is an error instead of a row that no longer fits.
Status PostgresSession::Begin() {
  auto begun = RunAgainIfLost("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", {});
  if (!begun) return std::move(begun).error();
  in_transaction_ = true;
  return Ok();
}

Status PostgresSession::Commit() {
  in_transaction_ = false;
  return connection_->Commit();
}

void PostgresSession::Rollback() {
  in_transaction_ = false;
  if (connection_->is_open()) static_cast<void>(connection_->Run("ROLLBACK", {}));
}

std::string PostgresSession::Describe() const { return PostgresPlace(options_.url); }

}  // namespace weir::db
