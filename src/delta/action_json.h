#pragma once
// The JSON form of a commit: one action a line. Pure functions, safe from any thread.

#include <string>
#include <string_view>

#include "base/result.h"
#include "delta/action.h"

namespace weir::delta {

/// Actions of unknown names are left out: a feature that needs them is refused by the protocol
/// action that must name it (protocol_check.h). kCorrupt WEIR0405 naming `file` and the line.
Result<LogCommit> ParseCommit(std::string_view text, const std::string& file);

std::string CommitToText(const LogCommit& commit);

}  // namespace weir::delta
