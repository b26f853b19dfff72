#pragma once
// BuildInfo: which program this is. Filled in by the build (cmake/BuildInfo.cmake).

#include <string_view>

namespace weir::app {

/// "0.1.0".
std::string_view ProgramVersion();
/// Short commit hash, with "+" behind it where files had changed; empty when not built from git.
std::string_view GitCommit();
/// "g++ 12.2.0".
std::string_view CompilerName();
/// "release", "dev", ...
std::string_view BuildType();
/// Of the libraries that the program was built against.
std::string_view ArrowVersion();
std::string_view SqliteVersion();

}  // namespace weir::app
