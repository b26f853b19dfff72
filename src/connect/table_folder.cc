#include "connect/table_folder.h"

#include <algorithm>
#include <vector>

namespace weir::connect {
namespace {

constexpr std::size_t kLongest = 200;

bool IsFolder(std::string_view part) {
  return !part.empty() && part != "." && part != ".." && !part.starts_with(".weir-") &&
         part.find_first_of("/\\#?%\n") == std::string_view::npos && part.size() <= kLongest;
}

}  // namespace

std::string TableFolder(const TableName& name) {
  std::string folder;
  for (const std::string& level : name.levels) folder += level + "/";
  return folder + name.name;
}

Result<TableName> TableInFolder(std::string_view folder) {
  std::string dotted(folder);
  std::ranges::replace(dotted, '/', '.');
  return ParseTableName(dotted);
}

Status CheckTableFolder(const TableName& name, std::string_view reserved) {
  std::vector<std::string> parts = name.levels;
  parts.push_back(name.name);
  for (const std::string& part : parts) {
    const bool is_reserved = !reserved.empty() && part.starts_with(reserved);
    if (is_reserved || !IsFolder(part)) {
      return InvalidInput("\"" + part + "\" cannot be a folder, so no part of a table's name");
    }
  }
  return name.levels.empty() ? Status(InvalidInput("a table needs a namespace")) : Ok();
}

}  // namespace weir::connect
