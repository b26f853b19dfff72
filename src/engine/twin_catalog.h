#pragma once
// TwinCatalog: tables that are in two formats at once, over one set of data files.
//
// Each table is two: the leading one, whose schema, folders and settings hold, and the following
// one. Each keeps its own progress in its own commit, and an epoch record is applied to both,
// leading one first. After a crash between the two, the pair shows the progress of the side that is
// behind, so the record is applied once more, and the side that has it already is passed over.

#include <map>
#include <memory>
#include <string>

#include "connect/table.h"

namespace weir::engine {

/// What the two sides must be told when a table is made.
struct TwinProperties {
  /// For the leading side, by the folder of the table ("retail/events"): where its metadata goes.
  std::string metadata_root;  // "file:///lake"; empty: wherever it likes
  std::map<std::string, std::string> following;
};

std::unique_ptr<connect::Catalog> NewTwinCatalog(std::unique_ptr<connect::Catalog> leading,
                                                 std::unique_ptr<connect::Catalog> following,
                                                 TwinProperties properties);

}  // namespace weir::engine
