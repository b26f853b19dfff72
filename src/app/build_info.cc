#include "app/build_info.h"

#include "build_info.inc"  // made by cmake/BuildInfo.cmake

namespace weir::app {

std::string_view ProgramVersion() { return WEIR_VERSION; }
std::string_view GitCommit() { return WEIR_GIT_COMMIT; }
std::string_view CompilerName() { return WEIR_COMPILER; }
std::string_view BuildType() { return WEIR_BUILD_TYPE; }
std::string_view ArrowVersion() { return WEIR_ARROW_VERSION; }
std::string_view SqliteVersion() { return WEIR_SQLITE_VERSION; }

}  // namespace weir::app
