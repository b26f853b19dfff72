#include "connect/table.h"

#include <utility>

#include "base/bytes.h"

namespace weir::connect {

std::string ToString(const TableName& name) {
  std::string text;
  for (const std::string& level : name.levels) text += level + ".";
  return text + name.name;
}

Result<TableName> ParseTableName(std::string_view text) {
  const auto refuse = [text](std::string_view why) {
    return WithRemedy(InvalidInput("table name '" + Printable(text) + "' " + std::string(why),
                                   ErrorCode::kBadValue),
                      "write it as namespace.table");
  };
  TableName name;
  std::size_t begin = 0;
  while (true) {
    const std::size_t dot = text.find('.', begin);
    const std::string_view part = text.substr(begin, dot - begin);
    if (part.empty()) return refuse("has an empty part");
    if (!IsValidUtf8(part)) return refuse("is not valid UTF-8");
    // Names become folders and catalog keys.
    for (const char c : part) {
      if (static_cast<unsigned char>(c) < 0x20 || c == '/' || c == '\\' || c == 0x7f) {
        return refuse("has a slash or a control character");
      }
    }
    if (dot == std::string_view::npos) {
      name.name = part;
      break;
    }
    name.levels.emplace_back(part);
    begin = dot + 1;
  }
  if (name.levels.empty()) return refuse("has no namespace");
  return name;
}

std::optional<GroupedCommit> Table::Grouped(const TableVersion& base, const TableCommit& commit) {
  return GroupedCommit{.table = this, .base = &base, .commit = commit};
}

Status Table::CheckEvolve(const TableVersion&, const SchemaChange& change) {
  return Unsupported("table " + ToString(name()) + " is of a format whose columns Weir does not " +
                         "change: " + ToString(change),
                     ErrorCode::kTableUnsupported);
}

Result<CommitOutcome> Table::Evolve(const TableVersion& base, const SchemaChange& change) {
  const Status refused = CheckEvolve(base, change);
  return refused ? Internal("a table that can change its columns does not say how")
                 : refused.error();
}

Result<std::vector<DataFile>> Table::LiveFilesAt(const TableVersion&, std::int64_t snapshot_id) {
  return NotFound("snapshot " + std::to_string(snapshot_id) + " of table " + ToString(name()) +
                  " cannot be read");
}

Status Catalog::Rename(const std::vector<TableRename>&) {
  return Unsupported("the catalog " + Describe() + " cannot rename tables");
}

}  // namespace weir::connect
