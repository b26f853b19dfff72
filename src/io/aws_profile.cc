#include "io/aws_profile.h"

#include <algorithm>

namespace weir::io {
namespace {

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// "[profile x]" of the config file and "[x]" of the credentials file.
std::string_view SectionName(std::string_view line) {
  std::string_view name = Trimmed(line.substr(1, std::min(line.find(']'), line.size()) - 1));
  if (name.starts_with("profile ")) name = Trimmed(name.substr(8));
  return name;
}

}  // namespace

AwsProfile ReadAwsProfile(std::string_view text, std::string_view name) {
  AwsProfile profile;
  bool inside = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view line = Trimmed(whole);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      inside = SectionName(line) == name;
      continue;
    }
    const std::size_t equals = line.find('=');
    const bool nested = whole.front() == ' ' || whole.front() == '\t';
    if (!inside || nested || equals == std::string_view::npos) continue;
    profile[std::string(Trimmed(line.substr(0, equals)))] = Trimmed(line.substr(equals + 1));
  }
  return profile;
}

}  // namespace weir::io
