#pragma once
// StateLock: one process at a time on a state folder, as a courtesy between processes: safety does
// not rest on it (docs/PROTOCOL.md). The file `lock` in the folder holds the pid. A
// state in an object store has no such lock: there is none to be had, and none is needed.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "io/store.h"

namespace weir::app {

/// nullptr for an object store. kRefused WEIR0211 naming the pid that has it.
Result<std::unique_ptr<io::FileLock>> LockState(const std::string& state_folder, Clock& clock);

/// The process that has the folder; nullopt: nobody. pid 0: unknown.
std::optional<std::int64_t> StateLockHolder(const std::string& state_folder);

}  // namespace weir::app
