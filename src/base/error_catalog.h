#pragma once
// The catalog of all errors that a person can meet: one line of base/error_catalog.inc each.
//
// docs/ERRORS.md is printed from this table (`weir help errors`), and a test fails when they
// differ. Codes are never reused. Ranges: 01xx pipeline file and contract, 02xx start-up refusals,
// 03xx sources and sinks, 04xx tables and catalogs, 05xx state and storage, 06xx bad data, 07xx
// command line, 09xx internal.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weir {

enum class ErrorCode : std::uint16_t {
  kNone = 0,
#define WEIR_ERROR(number, name, exit_code, meaning, cause, remedy) name = number,
#include "base/error_catalog.inc"
#undef WEIR_ERROR
};

/// Documented exit codes of the program (docs/CLI.md).
namespace exit_code {
inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;
inline constexpr int kRefused = 3;
inline constexpr int kUnhealthy = 10;
inline constexpr int kUsage = 64;
inline constexpr int kBadData = 65;
inline constexpr int kUnavailable = 69;
inline constexpr int kTemporary = 75;
inline constexpr int kConfig = 78;
}  // namespace exit_code

struct ErrorCatalogEntry {
  ErrorCode code;
  int exit_code;
  std::string_view meaning;
  std::string_view cause;
  std::string_view remedy;
};

/// All entries, in the order of their codes.
std::span<const ErrorCatalogEntry> ErrorCatalog();

/// The entry of a code; nullptr for kNone.
const ErrorCatalogEntry* FindError(ErrorCode code);

/// "WEIR0107"; empty for kNone.
std::string ToString(ErrorCode code);

}  // namespace weir
