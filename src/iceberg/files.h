#pragma once
// Files: where the files of tables are, by location, and how to reach them.
//
// A location is a URI or an absolute path, in any spelling (io/location.h). What lies below the
// warehouse goes through the warehouse's store, the rest through stores opened on demand. Not
// thread safe: one object a table or catalog.

#include <list>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "io/location.h"
#include "io/store.h"

namespace weir::iceberg {

using io::Below;
using io::FileLocation;
using io::LocalPath;

/// The root of a lake: a store and the location that it is rooted at.
struct Warehouse {
  std::shared_ptr<io::Store> store;
  std::string location;  // "file:///lake"
  /// Whether the files of a commit are put beside each other: on a disk, syncs that wait together
  /// cost one wait. Off where a simulation wants one order of calls.
  bool parallel = false;
  io::StoreOptions stores = {};  // for what lies outside
};

/// A file to be written.
struct NewFile {
  std::string location;
  std::string bytes;
  bool read_again = true;  // soon, by us: worth remembering
};

/// Opens the root of a lake. A folder is created when missing and readable by other users.
Result<Warehouse> OpenWarehouse(const std::string& location, const io::StoreOptions& stores);

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
  /// A file that never changes under its name (a manifest, a manifest list): from memory when it
  /// was written or read here not long ago. A store syncs a folder before it lets us read from it,
  /// which on a disk takes longer than all that we do with the bytes.
  Result<std::shared_ptr<const std::string>> GetImmutable(const std::string& location);
  /// Under names that nobody else uses; kConflict when something else is there nevertheless. After
  /// an error any of them may be there.
  Status PutNew(std::span<const NewFile> files);
  Status Delete(const std::string& location);
  Status DeleteAll(const std::set<std::string>& locations);
  /// Locations of all files directly or deeper in a folder.
  Result<std::vector<io::ObjectInfo>> List(std::string_view folder);

  const Warehouse& warehouse() const { return warehouse_; }

 private:
  using Bytes = std::shared_ptr<const std::string>;
  void Remember(const std::string& location, Bytes bytes);
  void Forget(const std::string& location);

  Warehouse warehouse_;
  std::list<std::pair<std::string, Bytes>> recent_;  // newest first
  std::unordered_map<std::string, decltype(recent_)::iterator> remembered_;
  std::size_t remembered_bytes_ = 0;
  /// By folder or bucket, and the place in it that needs credentials of its own.
  std::map<std::pair<std::string, std::string>, std::unique_ptr<io::Store>> elsewhere_;
};

}  // namespace weir::iceberg
