#include "db/sqlite_error.h"

#include <cerrno>
#include <string>

#include <sqlite3.h>

namespace weir::db {
namespace {

// The file system's own word, where SQLite knows it, says more than SQLite's code.
Error FromErrno(int error, std::string message) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return Unavailable(std::move(message), ErrorCode::kStorageFull);
    case EACCES:
    case EPERM:
    case EROFS:
      return Refused(std::move(message), ErrorCode::kStorageDenied);
    default:
      return Unavailable(std::move(message), ErrorCode::kStorageFailed);
  }
}

}  // namespace

Error SqliteError(sqlite3* database, int result, std::string_view path) {
  // SQLite notes the system's error for some calls only; for the others errno still has it.
  const int last_error = errno;
  const int noted = database == nullptr ? 0 : sqlite3_system_errno(database);
  const int system_error = noted != 0 ? noted : last_error;
  std::string message(path);
  message += ": ";
  message += database == nullptr ? sqlite3_errstr(result) : sqlite3_errmsg(database);
  switch (result & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return Unavailable(std::move(message));
    case SQLITE_FULL:
      return Unavailable(std::move(message), ErrorCode::kStorageFull);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return Refused(std::move(message), ErrorCode::kStorageDenied);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Corrupt(std::move(message));
    case SQLITE_CONSTRAINT:
      return Conflict(std::move(message));
    case SQLITE_CANTOPEN:
      if (system_error == ENOENT || system_error == ENOTDIR) return NotFound(std::move(message));
      return FromErrno(system_error, std::move(message));
    case SQLITE_IOERR:
      return FromErrno(system_error, std::move(message));
    default:
      return Internal(std::move(message));
  }
}

std::string_view SqlitePath(sqlite3* database) {
  const char* path = sqlite3_db_filename(database, "main");
  return path == nullptr ? std::string_view("database") : std::string_view(path);
}

}  // namespace weir::db
