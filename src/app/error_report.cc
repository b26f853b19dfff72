#include "app/error_report.h"

#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/error_catalog.h"

namespace weir::app {
namespace {

constexpr std::size_t kMostBytes = 8'000;

// What a person can do: the error's own remedy, else the catalog's.
std::string RemedyOf(const Error& error) {
  if (!error.remedy.empty()) return error.remedy;
  const ErrorCatalogEntry* entry = FindError(error.code);
  return entry == nullptr ? std::string() : std::string(entry->remedy);
}

std::string JsonLine(const Error& error, const Session& session) {
  nlohmann::ordered_json line;
  line["time"] = FormatTime(session.clock.Now());
  line["level"] = "error";
  line["message"] = error.message;
  if (error.code != ErrorCode::kNone) line["code"] = ToString(error.code);
  if (const std::string remedy = RemedyOf(error); !remedy.empty()) line["remedy"] = remedy;
  line["exit_code"] = ExitCodeOf(error);
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

int ExitCodeOf(const Error& error) {
  if (const ErrorCatalogEntry* entry = FindError(error.code)) return entry->exit_code;
  switch (error.kind) {
    case ErrorKind::kUnavailable:
      return exit_code::kUnavailable;
    case ErrorKind::kRefused:
      return exit_code::kRefused;
    case ErrorKind::kConflict:
    case ErrorKind::kCommitUnknown:
      return exit_code::kTemporary;
    default:
      return exit_code::kFailed;
  }
}

void PrintError(const Error& error, Session& session) {
  if (session.options.log_format == "json") {
    session.err << JsonLine(error, session) << std::flush;
    return;
  }
  const bool color = session.err_terminal.color && !session.options.no_color;
  std::string head = "error";
  if (error.code != ErrorCode::kNone) head += "[" + ToString(error.code) + "]";
  if (color) head = "\x1b[1;31m" + head + "\x1b[0m";
  session.err << head << ": " << Printable(error.message, kMostBytes) << '\n';
  if (const std::string remedy = RemedyOf(error); !remedy.empty()) {
    session.err << "  = " << Printable(remedy, kMostBytes) << '\n';
  }
  session.err.flush();
}

}  // namespace weir::app
