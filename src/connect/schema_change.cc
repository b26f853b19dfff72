#include "connect/schema_change.h"

namespace weir::connect {

std::string ToString(const SchemaChange& change) {
  std::string text;
  const auto path_of = [](const std::vector<std::string>& path) {
    std::string joined;
    for (const std::string& part : path) joined += (joined.empty() ? "" : ".") + part;
    return joined;
  };
  for (const auto& added : change.added) {
    std::vector<std::string> path = added.parent;
    path.push_back(added.field.name);
    text += (text.empty() ? "add `" : ", add `") + path_of(path) + "` " +
            weir::ToString(added.field.type);
  }
  for (const auto& widened : change.widened) {
    text += (text.empty() ? "widen `" : ", widen `") + path_of(widened.path) + "` to " +
            weir::ToString(widened.type);
  }
  return text;
}

}  // namespace weir::connect
