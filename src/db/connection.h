#pragma once
// Connection: one open SQLite database. Every commit is on the disk when it returns.
//
// A connection, its statements and its transactions belong to one thread, and do not survive fork.
// Any number of connections, in any number of processes, may be open on one file.
// Errors of all calls in this folder:
//   kUnavailable            busy or locked by others for longer than busy_timeout: try again
//   kUnavailable WEIR0501   the disk is full          kUnavailable WEIR0503   input/output error
//   kUnavailable            somebody removed or replaced the file since it was opened
//   kRefused     WEIR0502   read-only, no permission  kNotFound               no such file
//   kCorrupt                not a database, or a damaged one
//   kConflict               a uniqueness or other constraint is violated
//   kInternal               our SQL is wrong

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/time.h"
#include "db/statement.h"

struct sqlite3;

namespace weir::db {

enum class Journal {
  kWal,   // readers and the writer do not wait for each other; the file says so from then on
  kKeep,  // what the file says: for databases that other programs made
};

struct OpenOptions {
  bool create = true;            // make the file and its folders when not there
  bool others_may_read = false;  // 0644 and 0755 instead of 0600 and 0700, less the umask
  Journal journal = Journal::kWal;
  Micros busy_timeout = 10 * kMicrosPerSecond;
  /// A file that all our writers lock around a transaction. SQLite before 3.51.3 can damage a WAL
  /// database when two connections write and checkpoint at the same instant; the lock excludes that
  /// between our own processes. Empty: the path with "-lock" behind it.
  std::string lock_path;
  int page_bytes = 4096;                                  // of a new file
  std::int64_t checkpoint_bytes = std::int64_t{4} << 20;  // WAL size that starts a checkpoint
};

class Connection {
 public:
  static Result<std::unique_ptr<Connection>> Open(const std::string& path,
                                                  const OpenOptions& options = {});
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs statements that return nothing, separated by semicolons. What writes belongs inside a
  /// Transaction.
  Status Execute(const std::string& sql);
  Result<Statement> Prepare(std::string_view sql);

  /// Rows that the last INSERT, UPDATE or DELETE changed.
  std::int64_t changes() const;
  /// A number that differs from an earlier answer when another connection committed in between.
  Result<std::int64_t> DataVersion();
  const std::string& path() const { return path_; }
  /// Whether the path still leads to the file that is open. What is written to a file that was
  /// removed or replaced is lost, so every Transaction looks first.
  Status CheckInPlace() const;

 private:
  friend class Transaction;
  Connection(std::string path, const OpenOptions& options);
  Status Configure(const OpenOptions& options);
  Status UseWal();
  Status Check(int result) const;
  Status LockForWriting();
  void UnlockAfterWriting() const;

  std::string path_;
  Micros busy_timeout_;
  sqlite3* database_ = nullptr;
  int lock_file_ = -1;
  std::pair<std::uint64_t, std::uint64_t> file_id_;  // device and inode
  std::unique_ptr<Statement> data_version_;
};

}  // namespace weir::db
