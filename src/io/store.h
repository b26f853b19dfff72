#pragma once
// Store: the object-store port. A folder, an S3 bucket, memory, a faulty wrapper for tests.
// io/location.h opens the one that a location names.
//
// Keys are '/'-separated relative paths without "." or ".." parts. Objects are written whole. A put
// that returned is durable and visible to every later Get and List of any process. Safe from
// several threads. Error kinds of every call: kUnavailable (retry), kRefused (permission,
// WEIR0502), kUnavailable with WEIR0501 when the storage is full, kCommitUnknown where said. Order
// of durability on a folder: docs/PROTOCOL.md, section "Durability".

#include <cstdint>
#include <memory>
#include <span>
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

/// One of several objects to be put.
struct NewObject {
  std::string_view key;
  std::string_view bytes;
};

class Store {
 public:
  virtual ~Store() = default;

  /// Decides a race: of all callers with one key exactly one gets kStored. kCommitUnknown when the
  /// answer was lost.
  virtual Result<PutOutcome> PutIfAbsent(std::string_view key, std::string_view bytes) = 0;
  /// Objects that nobody looks for before this has returned, all beside each other. kConflict where
  /// something else has such a name. After an error any of them may be there; after a loss of power
  /// on the way also a part of one.
  virtual Status PutNew(std::span<const NewObject> objects);
  /// Creates or replaces. For hints and caches only, never for decisions.
  virtual Status Put(std::string_view key, std::string_view bytes) = 0;
  /// kNotFound when it is not there.
  virtual Result<std::string> Get(std::string_view key) = 0;
  /// So many bytes from `offset`, fewer where the object ends.
  virtual Result<std::string> GetRange(std::string_view key, std::int64_t offset,
                                       std::int64_t length);
  virtual Result<ObjectInfo> Head(std::string_view key) = 0;
  /// Whether it is there at this moment. Unlike Head's, the answer may rest on a name that is not
  /// durable yet.
  virtual Result<bool> IsThere(std::string_view key);
  /// All objects whose key starts with the prefix, sorted by key. Sees every finished put, and what
  /// it returns is durable (a folder is synced before its names are acted on).
  virtual Result<std::vector<ObjectInfo>> List(std::string_view prefix) = 0;
  /// Deleting what is not there is fine.
  virtual Status Delete(std::string_view key) = 0;
  /// Many at once, in any order. After an error some may be gone.
  virtual Status DeleteAll(std::span<const std::string> keys);
  /// Deletes an object that a writer which is dead now may have been writing, with whatever he left
  /// of it under other names.
  virtual Status Discard(std::string_view key) { return Delete(key); }
  /// Opens a new object for streaming; it appears under its key when Finish returns.
  virtual Result<std::unique_ptr<class OutputStream>> Create(std::string_view key) = 0;
  /// Whether calls take a network's time, so that several at once pay.
  virtual bool remote() const { return false; }
  /// For people: "/var/lib/weir/state", "s3://bucket/prefix".
  virtual std::string Describe() const = 0;
};

/// A new object being written. Destroyed without Finish: nothing is left behind.
class OutputStream {
 public:
  virtual ~OutputStream() = default;
  virtual Status Append(std::string_view bytes) = 0;
  virtual std::int64_t size() const = 0;
  /// Nothing more will be appended: starts what Finish waits for, where the store can do that
  /// beside other work.
  virtual void BeginFinish() {}
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

struct S3Options;
/// The part of a bucket below `prefix` (empty: all of it). Asks nothing of the server yet. Errors:
/// kInvalidInput for options that cannot work.
Result<std::unique_ptr<Store>> OpenS3(std::string bucket, std::string prefix,
                                      const S3Options& options);

/// Objects in memory, for tests and dry runs. The clock dates them and must outlive the store.
std::unique_ptr<Store> NewMemoryStore(const Clock& clock = SystemClock());

/// Proves that the store decides races: two puts of one throw-away name at the same time have one
/// winner, and a third one after them is refused. Errors: kRefused WEIR0210.
Status ProbePutIfAbsent(Store& store);

/// An OS lock on a file, held until destroyed. A courtesy between processes, never a safety net.
class FileLock {
 public:
  virtual ~FileLock() = default;
};
/// Errors: kRefused WEIR0211 naming the pid that holds it.
Result<std::unique_ptr<FileLock>> LockFile(const std::string& path);

}  // namespace weir::io
