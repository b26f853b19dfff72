#include "config/descriptor.h"

#include <algorithm>

#include "base/bytes.h"

namespace weir::config {

const KeyDescriptor* MappingDescriptor::Find(std::string_view key) const {
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [key](const KeyDescriptor& known) { return known.key == key; });
  return found == keys.end() ? nullptr : &*found;
}

std::vector<std::string_view> AllowedKeys(const MappingDescriptor& mapping) {
  std::vector<std::string_view> names;
  for (const KeyDescriptor& known : mapping.keys) {
    if (known.kind != ValueKind::kLater) names.push_back(known.key);
  }
  return names;
}

std::vector<std::string_view> Choices(std::string_view choices) {
  std::vector<std::string_view> split;
  while (!choices.empty()) {
    const std::size_t end = std::min(choices.find('|'), choices.size());
    split.push_back(choices.substr(0, end));
    choices.remove_prefix(std::min(end + 1, choices.size()));
  }
  return split;
}

std::string_view Describe(ValueKind kind) {
  switch (kind) {
    case ValueKind::kText:
      return "text";
    case ValueKind::kChoice:
      return "one of a few words";
    case ValueKind::kBoolean:
      return "true or false";
    case ValueKind::kCount:
      return "a whole number, such as 2_000_000";
    case ValueKind::kDuration:
      return "a duration, such as 500ms, 1s, 10m, 2h, 5d";
    case ValueKind::kSize:
      return "a size, such as 64KiB, 512MiB, 1GiB";
    case ValueKind::kPath:
      return "a path";
    case ValueKind::kLocation:
      return "a path or s3://bucket/prefix";
    case ValueKind::kTexts:
      return "a list of texts";
    case ValueKind::kTextMap:
      return "a mapping of names to texts";
    case ValueKind::kMapping:
      return "a mapping";
    case ValueKind::kNamed:
      return "a mapping of names";
    case ValueKind::kLater:
      return "not in this version";
  }
  return "";
}

std::string_view ClosestTo(std::string_view text, std::span<const std::string_view> known) {
  constexpr std::size_t kMaxCompared = 64;
  if (text.size() > kMaxCompared) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(text.size() / 3, 1) + 1;
  for (std::string_view candidate : known) {
    const std::size_t distance = EditDistance(text, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace weir::config
