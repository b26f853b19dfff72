#pragma once
// Files: where the files of tables are, by location, and how to reach them.
//
// A location is a URI or an absolute path. All spellings of a local one ("file:///a", "file:/a",
// "/a") name the same file; we write the first, which Spark, PyIceberg and DuckDB take. What lies
// below the warehouse goes through the warehouse's store, the rest through stores opened on demand.
// Not thread safe: one object a table or catalog.

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/store.h"

namespace weir::iceberg {

/// "/a/b" of a local location in any spelling, without a trailing slash; nullopt for other schemes.
std::optional<std::string> LocalPath(std::string_view location);
/// "file:///a/b" of "/a/b".
std::string FileLocation(std::string_view path);
/// The part of `location` below `folder`, whatever their spellings; nullopt when it is elsewhere.
std::optional<std::string> Below(std::string_view folder, std::string_view location);

/// The root of a lake: a store and the location that it is rooted at.
struct Warehouse {
  std::shared_ptr<io::Store> store;
  std::string location;  // "file:///lake"
};

/// Opens the folder of a lake, created when missing; readable by other users.
Result<Warehouse> OpenWarehouse(const std::string& path);

class Files {
 public:
  explicit Files(Warehouse warehouse) : warehouse_(std::move(warehouse)) {}

  struct Place {
    io::Store* store = nullptr;
    std::string key;
  };
  /// kUnsupported WEIR0403: a scheme that Weir has no store for.
  Result<Place> Resolve(std::string_view location);

  Result<std::string> Get(std::string_view location);
  /// Under a name that nobody else uses; kConflict when something else is there nevertheless.
  Status PutNew(std::string_view location, std::string_view bytes);
  Status Delete(std::string_view location);
  /// Locations of all files directly or deeper in a folder.
  Result<std::vector<io::ObjectInfo>> List(std::string_view folder);

  const Warehouse& warehouse() const { return warehouse_; }

 private:
  Warehouse warehouse_;
  std::map<std::string, std::unique_ptr<io::Store>> elsewhere_;  // by folder
};

}  // namespace weir::iceberg
