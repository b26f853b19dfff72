#pragma once
// Key paths: how messages name a place in a file, "tables.retail.events.sort_by[1]".

#include <string>
#include <string_view>

namespace weir::config {

inline std::string KeyPath(std::string_view parent, std::string_view key) {
  if (parent.empty()) return std::string(key);
  return std::string(parent) + "." + std::string(key);
}

inline std::string ItemPath(std::string_view parent, std::size_t index) {
  return std::string(parent) + "[" + std::to_string(index) + "]";
}

}  // namespace weir::config
