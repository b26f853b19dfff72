#include "app/live_line.h"

#include "app/display_width.h"
#include "base/log.h"

namespace weir::app {
namespace {

constexpr std::string_view kClearLine = "\r\x1b[K";

}  // namespace

LiveLine::LiveLine(Session& session)
    : session_(session),
      active_(session.err_terminal.is_terminal && session.err_terminal.width > 0 &&
              !session.options.quiet && session.options.log_format == "text") {
  if (active_) log::Divert([this](std::string_view line) { WriteAbove(line); });
}

LiveLine::~LiveLine() {
  if (!active_) return;
  log::Divert({});
  session_.err << kClearLine << std::flush;
}

void LiveLine::Show(std::string_view text) {
  if (!active_) return;
  const std::lock_guard lock(mutex_);
  // The last column stays free: some terminals wrap when it is filled.
  text_ = CutToWidth(text, session_.err_terminal.width - 1);
  session_.err << std::string(kClearLine) + text_ << std::flush;
}

void LiveLine::WriteAbove(std::string_view line) {
  const std::lock_guard lock(mutex_);
  session_.err << std::string(kClearLine) + std::string(line) + "\n" + text_ << std::flush;
}

}  // namespace weir::app
