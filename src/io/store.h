#pragma once
// Store: the object-store port. A folder, memory, a faulty wrapper for tests, later S3.
//
// Keys are '/'-separated relative paths without "." or ".." parts. Objects are written whole. A put
// that returned is durable and visible to every later Get and List of any process. Safe from
// several threads. Error kinds of every call: kUnavailable (retry), kRefused (permission,
// WEIR0502), kUnavailable with WEIR0501 when the storage is full, kCommitUnknown where said. Order
// of durability on a folder: docs/PROTOCOL.md, section "Durability".

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace weir::io {

/// What a put-if-absent found.
enum class PutOutcome {
  kStored,  // the object is ours
  kExists,  // something was there already (possibly our own earlier try: compare bytes)
};

struct ObjectInfo {
  std::string key;
  std::int64_t size = 0;
  std::int64_t modified_ms = 0;  // Unix milliseconds
};

class Store {
 public:
  virtual ~Store() = default;

  /// Decides a race: of all callers with one key exactly one gets kStored. kCommitUnknown when the
  /// answer was lost.
  virtual Result<PutOutcome> PutIfAbsent(std::string_view key, std::string_view bytes) = 0;
  /// Creates or replaces. For hints and caches only, never for decisions.
  virtual Status Put(std::string_view key, std::string_view bytes) = 0;
  /// kNotFound when it is not there.
  virtual Result<std::string> Get(std::string_view key) = 0;
  virtual Result<ObjectInfo> Head(std::string_view key) = 0;
  /// All objects whose key starts with the prefix, sorted by key. Sees every finished put, and what
  /// it returns is durable (a folder is synced before its names are acted on).
  virtual Result<std::vector<ObjectInfo>> List(std::string_view prefix) = 0;
  /// Deleting what is not there is fine.
  virtual Status Delete(std::string_view key) = 0;
  /// Opens a new object for streaming; it appears under its key when Finish returns.
  virtual Result<std::unique_ptr<class OutputStream>> Create(std::string_view key) = 0;
  /// For people: "/var/lib/weir/state", "s3://bucket/prefix".
  virtual std::string Describe() const = 0;
};

/// A new object being written. Destroyed without Finish: nothing is left behind.
class OutputStream {
 public:
  virtual ~OutputStream() = default;
  virtual Status Append(std::string_view bytes) = 0;
  virtual std::int64_t size() const = 0;
  /// Makes it durable and visible.
  virtual Status Finish() = 0;
};

/// Who may read what a folder store writes.
enum class FolderAccess {
  kPrivate,  // folders 0700, files 0600: state, which only Weir reads
  kShared,   // folders 0755, files 0644: a lake, whose readers run as other users
};

/// A folder of the local file system, created when missing. Errors: WEIR0502, WEIR0503.
Result<std::unique_ptr<Store>> OpenFolder(const std::string& path,
                                          FolderAccess access = FolderAccess::kPrivate);

/// Objects in memory, for tests and dry runs. The clock dates them and must outlive the store.
std::unique_ptr<Store> NewMemoryStore(const Clock& clock = SystemClock());

/// Proves that the store decides races: puts a throw-away key twice and expects the second to be
/// refused. Errors: kRefused WEIR0210.
Status ProbePutIfAbsent(Store& store);

/// An OS lock on a file, held until destroyed. A courtesy between processes, never a safety net.
class FileLock {
 public:
  virtual ~FileLock() = default;
};
/// Errors: kRefused WEIR0211 naming the pid that holds it.
Result<std::unique_ptr<FileLock>> LockFile(const std::string& path);

}  // namespace weir::io
