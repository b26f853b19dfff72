#pragma once
// ErrorReport: how an error reaches a person: once, in two lines, with its code and what to do; and
// which exit code it means.

#include "app/session.h"
#include "base/result.h"

namespace weir::app {

/// The exit code of the error's catalog entry; without a code, one that its kind suggests.
int ExitCodeOf(const Error& error);

/// To the session's error stream, as text or, with `--log-format json`, as a line of JSON.
void PrintError(const Error& error, Session& session);

}  // namespace weir::app
