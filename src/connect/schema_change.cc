#include "connect/schema_change.h"

namespace weir::connect {

std::string PathText(std::span<const std::string> path) {
  std::string joined;
  for (const std::string& part : path) joined += (joined.empty() ? "" : ".") + part;
  return joined;
}

std::string ToString(const SchemaChange& change) {
  std::string text;
  for (const auto& added : change.added) {
    std::vector<std::string> path = added.parent;
    path.push_back(added.field.name);
    text += (text.empty() ? "add `" : ", add `") + PathText(path) + "` " +
            weir::ToString(added.field.type);
  }
  for (const auto& widened : change.widened) {
    text += (text.empty() ? "widen `" : ", widen `") + PathText(widened.path) + "` to " +
            weir::ToString(widened.type);
  }
  return text;
}

}  // namespace weir::connect
