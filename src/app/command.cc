#include "app/command.h"

#include <algorithm>

#include "base/bytes.h"
#include "config/quantity.h"

namespace weir::app {

std::vector<std::string> Option::spellings() const {
  std::vector<std::string> found;
  std::size_t begin = 0;
  while (begin <= names.size()) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    found.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return found;
}

const Command* Command::Find(std::string_view command_name) const {
  const auto found = std::ranges::find(commands, command_name, &Command::name);
  return found == commands.end() ? nullptr : &*found;
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& known) {
  // A third of the letters may be wrong, two at least: `rnu`, `--onec`, `--bokers`.
  std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
  std::string meant;
  for (const std::string& candidate : known) {
    const std::size_t distance = EditDistance(word, candidate);
    // A beginning is meant to be the whole: `vers`.
    if (word.size() >= 3 && candidate.starts_with(word)) return candidate;
    if (distance < best && distance < candidate.size()) {
      best = distance;
      meant = candidate;
    }
  }
  return meant;
}

Result<Micros> ParseSpanOption(std::string_view name, std::string_view text) {
  auto span = config::ParseDuration(text);
  if (!span) {
    return InvalidInput(std::string(name) + ": " + span.error().message, ErrorCode::kUsage);
  }
  if (*span <= 0) return InvalidInput(std::string(name) + " must be above zero", ErrorCode::kUsage);
  return *span;
}

}  // namespace weir::app
