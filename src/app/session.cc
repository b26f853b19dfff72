#include "app/session.h"

#include "base/bytes.h"
#include "base/log.h"

namespace weir::app {

OutputFormat Session::format() const {
  if (options.format == "json") return OutputFormat::kJson;
  if (options.format == "ndjson") return OutputFormat::kNdjson;
  if (options.format == "csv") return OutputFormat::kCsv;
  return OutputFormat::kTable;
}

void Session::Note(std::string_view text) {
  if (options.quiet) return;
  if (options.log_format == "json") return log::Info(text);
  err << Printable(text, 4'000) << '\n' << std::flush;
}

Result<bool> Session::WantsJson() const {
  if (format() == OutputFormat::kTable) return false;
  if (format() == OutputFormat::kJson) return true;
  return InvalidInput(
      "this command prints one document: `--format` is table or json here, not " + options.format,
      ErrorCode::kUsage);
}

}  // namespace weir::app
