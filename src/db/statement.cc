#include "db/statement.h"

#include <utility>

#include <sqlite3.h>

#include "base/check.h"
#include "db/sqlite_error.h"

namespace weir::db {

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement::Statement(Statement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(statement_, other.statement_);
  return *this;
}

Status Statement::Check(int result) const {
  if (result == SQLITE_OK) return Ok();
  sqlite3* database = sqlite3_db_handle(statement_);
  return SqliteError(database, result, SqlitePath(database));
}

Result<bool> Statement::Step() {
  WEIR_DCHECK(statement_ != nullptr);
  const int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) {
    sqlite3_reset(statement_);
    return false;
  }
  Status failed = Check(result);
  sqlite3_reset(statement_);
  return std::move(failed).error();
}

Status Statement::StepToEnd() {
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const bool row, Step());
    if (!row) return Ok();
  }
}

// What reset returns is the error of the last step, which Step has reported already.
void Statement::Reset() { sqlite3_reset(statement_); }

Status Statement::BindValue(int position, std::int64_t number) {
  return Check(sqlite3_bind_int64(statement_, position, number));
}

// A null pointer would bind NULL, so an empty value points at something.
Status Statement::BindValue(int position, std::string_view text) {
  return Check(sqlite3_bind_text64(statement_, position, text.empty() ? "" : text.data(),
                                   text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

Status Statement::BindValue(int position, Blob blob) {
  return Check(sqlite3_bind_blob64(statement_, position,
                                   blob.bytes.empty() ? "" : blob.bytes.data(), blob.bytes.size(),
                                   SQLITE_TRANSIENT));
}

Status Statement::BindValue(int position, std::nullopt_t) {
  return Check(sqlite3_bind_null(statement_, position));
}

Status Statement::BindTexts(const std::vector<std::string>& values) {
  Reset();
  WEIR_CHECK(static_cast<std::size_t>(sqlite3_bind_parameter_count(statement_)) == values.size());
  int position = 0;
  for (const std::string& value : values) WEIR_TRY(BindValue(++position, value));
  return Ok();
}

int Statement::columns() const { return sqlite3_column_count(statement_); }

bool Statement::IsNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Statement::Int64(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view Statement::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string_view Statement::Bytes(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

}  // namespace weir::db
