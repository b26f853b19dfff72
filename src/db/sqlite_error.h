#pragma once
// Translates SQLite's result codes into our errors (the list is in connection.h).

#include <string_view>

#include "base/result.h"

struct sqlite3;

namespace weir::db {

/// The error of the last call on a database that did not return SQLITE_OK, SQLITE_ROW or
/// SQLITE_DONE. `database` may be nullptr when opening failed for lack of memory.
Error SqliteError(sqlite3* database, int result, std::string_view path);

/// The path of a database's file, for messages.
std::string_view SqlitePath(sqlite3* database);

}  // namespace weir::db
