#include "db/sqlite_session.h"

#include <filesystem>
#include <utility>

namespace weir::db {

Result<std::unique_ptr<Session>> SqliteSession::Open(const std::string& path) {
  std::error_code ignored;
  OpenOptions options;
  options.others_may_read = true;
  if (std::filesystem::exists(path, ignored)) {
    options.journal = Journal::kKeep;
  } else if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty()) {
    std::filesystem::create_directories(folder, ignored);
  }
  WEIR_ASSIGN_OR_RETURN(auto connection, Connection::Open(path, options));
  return std::unique_ptr<Session>(new SqliteSession(std::move(connection)));
}

// An open file that was moved away would take our commits with it, so the path is looked at before
// each use, and opened anew once another file is there.
Result<bool> SqliteSession::Ensure() {
  if (connection_->CheckInPlace()) return false;
  OpenOptions options;
  options.create = false;
  options.others_may_read = true;
  options.journal = Journal::kKeep;
  WEIR_ASSIGN_OR_RETURN(auto connection, Connection::Open(connection_->path(), options));
  statements_.clear();
  connection_ = std::move(connection);
  return true;
}

Result<Statement*> SqliteSession::Prepared(const std::string& sql) {
  if (const auto found = statements_.find(sql); found != statements_.end()) return &found->second;
  WEIR_ASSIGN_OR_RETURN(Statement statement, connection_->Prepare(sql));
  return &statements_.emplace(sql, std::move(statement)).first->second;
}

Result<Session::Answer> SqliteSession::Run(const std::string& sql,
                                           const std::vector<std::string>& values) {
  WEIR_ASSIGN_OR_RETURN(Statement * statement, Prepared(sql));
  WEIR_TRY(statement->BindTexts(values));
  Answer answer;
  while (true) {
    auto row = statement->Step();
    if (!row) {
      statement->Reset();
      return std::move(row).error();
    }
    if (!*row) break;
    Row& out = answer.rows.emplace_back();
    for (int i = 0; i < statement->columns(); ++i) {
      out.push_back(statement->IsNull(i)
                        ? std::nullopt
                        : std::optional<std::string>(std::string(statement->Text(i))));
    }
  }
  answer.changed = connection_->changes();
  return answer;
}

Result<std::vector<std::string>> SqliteSession::ColumnsOf(const std::string& table) {
  WEIR_ASSIGN_OR_RETURN(const Answer answer,
                        Run("SELECT name FROM pragma_table_info($1)", {table}));
  std::vector<std::string> names;
  for (const Row& row : answer.rows) names.push_back(row.front().value_or(""));
  return names;
}

Status SqliteSession::Begin() {
  WEIR_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(*connection_));
  transaction_.emplace(std::move(transaction));
  return Ok();
}

Status SqliteSession::Commit() {
  Status committed = transaction_->Commit();
  transaction_.reset();
  return committed;
}

std::string SqliteSession::Describe() const { return "sqlite:" + connection_->path(); }

}  // namespace weir::db
