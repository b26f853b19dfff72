#include "app/terminal.h"

#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace weir::app {
namespace {

std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

}  // namespace

Terminal InspectTerminal(int descriptor) {
  Terminal terminal;
  terminal.is_terminal = isatty(descriptor) == 1;
  if (!terminal.is_terminal) return terminal;
  terminal.color = Variable("NO_COLOR").empty() && Variable("TERM") != "dumb";
  winsize size{};
  constexpr int kUsualWidth = 80;
  terminal.width = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0
                       ? static_cast<int>(size.ws_col)
                       : kUsualWidth;
  return terminal;
}

}  // namespace weir::app
