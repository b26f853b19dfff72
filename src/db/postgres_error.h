#pragma once
// What PostgreSQL's error codes mean for the caller.

#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::db {

/// The error of a statement or of connecting. `state`: the SQLSTATE, empty where there is none.
Error PostgresError(std::string_view state, std::string message);

/// Whether a COMMIT that failed with this error may have happened nevertheless.
bool LeavesCommitOpen(std::string_view state, std::string_view severity);

/// The SQLSTATE in a verbose message of a failed connection, which libpq gives as text alone.
std::string StateInMessage(std::string_view message);

/// In one line, without the places in PostgreSQL's own sources.
std::string OneLine(std::string_view message);

}  // namespace weir::db
