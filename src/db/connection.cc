#include "db/connection.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "db/sqlite_error.h"

namespace weir::db {
namespace {

constexpr Micros kLockPollInterval = 500;

Status SyncFolder(const std::filesystem::path& folder) {
  const int file = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Ok();  // may be used, but not read: then there is no way to sync it
  const bool synced = fsync(file) == 0 || errno == EINVAL;
  close(file);
  if (synced) return Ok();
  return Unavailable(folder.string() + ": cannot sync the folder", ErrorCode::kStorageFailed);
}

// Makes a folder and those above it. Where that fails, SQLite will say why it cannot open the file.
Status MakeFolder(const std::filesystem::path& folder, mode_t mode) {
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return Ok();
  WEIR_TRY(MakeFolder(folder.parent_path(), mode));
  if (mkdir(folder.c_str(), mode) != 0) return Ok();
  return SyncFolder(folder.parent_path());
}

// SQLite would take the umask's mode. What is there already keeps its mode, and SQLite gives the
// same mode to the files that it makes beside it.
Status MakeFile(const std::filesystem::path& path, bool others_may_read) {
  WEIR_TRY(MakeFolder(path.parent_path(), others_may_read ? 0755 : 0700));
  const int file =
      open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, others_may_read ? 0644 : 0600);
  if (file < 0) return Ok();  // there already, or SQLite will say why not
  close(file);
  return SyncFolder(path.parent_path());
}

// Who may write the database may lock it.
int OpenLock(const std::string& path, const std::string& lock_path) {
  struct stat database {};
  const mode_t mode = stat(path.c_str(), &database) == 0 ? database.st_mode & 0666 : 0600;
  return open((lock_path.empty() ? path + "-lock" : lock_path).c_str(),
              O_RDWR | O_CREAT | O_CLOEXEC, mode);
}

// Device and inode of what is there; nullopt: nothing is.
std::optional<std::pair<std::uint64_t, std::uint64_t>> FileId(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return std::pair<std::uint64_t, std::uint64_t>(info.st_dev, info.st_ino);
}

int BusyMillis(Micros timeout) { return static_cast<int>(timeout / kMicrosPerMilli); }

}  // namespace

Connection::Connection(std::string path, const OpenOptions& options)
    : path_(std::move(path)), busy_timeout_(options.busy_timeout) {}

Connection::~Connection() {
  data_version_.reset();
  const int result = sqlite3_close(database_);
  WEIR_CHECK(result == SQLITE_OK);  // a statement outlived its connection
  if (lock_file_ >= 0) close(lock_file_);
}

Result<std::unique_ptr<Connection>> Connection::Open(const std::string& path,
                                                     const OpenOptions& options) {
  if (options.create) WEIR_TRY(MakeFile(path, options.others_may_read));
  std::unique_ptr<Connection> connection(new Connection(path, options));
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  WEIR_TRY(
      connection->Check(sqlite3_open_v2(path.c_str(), &connection->database_, flags, nullptr)));
  WEIR_TRY(connection->Configure(options));
  // SQLite opens by path, so this is what it opened, or it was replaced since and will never match.
  connection->file_id_ = FileId(path).value_or(connection->file_id_);
  return connection;
}

Status Connection::CheckInPlace() const {
  const auto now = FileId(path_);
  if (now == file_id_) return Ok();
  return Unavailable(path_ + (now ? ": another file was put in place of the one in use"
                                  : ": the file is not there any more"));
}

Status Connection::Configure(const OpenOptions& options) {
  sqlite3_busy_timeout(database_, BusyMillis(busy_timeout_));
  lock_file_ = OpenLock(path_, options.lock_path);
  // A folder that cannot be written cannot be locked; reading still works where SQLite can.
  const bool may_write = lock_file_ >= 0;
  // The last connection must not checkpoint when it closes: it does not hold the write lock then.
  sqlite3_db_config(database_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  WEIR_TRY(Execute("PRAGMA page_size=" + std::to_string(options.page_bytes)));
  if (options.journal == Journal::kWal && may_write) WEIR_TRY(UseWal());
  WEIR_ASSIGN_OR_RETURN(Statement page_size, Prepare("PRAGMA page_size"));
  WEIR_ASSIGN_OR_RETURN(const bool row, page_size.Step());
  WEIR_CHECK(row);
  const std::int64_t pages = options.checkpoint_bytes / page_size.Int64(0);
  return Execute(
      "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF;"
      "PRAGMA wal_autocheckpoint=" +
      std::to_string(pages) +
      "; PRAGMA journal_size_limit=" + std::to_string(options.checkpoint_bytes));
}

// Changing the mode needs the file for itself and fails without waiting when two processes try at
// once, so only one of ours tries at a time.
Status Connection::UseWal() {
  WEIR_ASSIGN_OR_RETURN(Statement mode, Prepare("PRAGMA journal_mode"));
  WEIR_ASSIGN_OR_RETURN(const bool row, mode.Step());
  if (row && mode.Text(0) == "wal") return Ok();
  mode.Reset();
  WEIR_TRY(LockForWriting());
  Status changed = Execute("PRAGMA journal_mode=WAL");
  UnlockAfterWriting();
  return changed;
}

Status Connection::Check(int result) const {
  if (result == SQLITE_OK) return Ok();
  return SqliteError(database_, result, path_);
}

Status Connection::Execute(const std::string& sql) {
  return Check(sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr));
}

Result<Statement> Connection::Prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  WEIR_TRY(Check(sqlite3_prepare_v3(database_, sql.data(), static_cast<int>(sql.size()),
                                    SQLITE_PREPARE_PERSISTENT, &statement, nullptr)));
  return Statement(statement);
}

std::int64_t Connection::changes() const { return sqlite3_changes64(database_); }

Result<std::int64_t> Connection::DataVersion() {
  if (data_version_ == nullptr) {
    WEIR_ASSIGN_OR_RETURN(Statement statement, Prepare("PRAGMA data_version"));
    data_version_ = std::make_unique<Statement>(std::move(statement));
  }
  WEIR_ASSIGN_OR_RETURN(const bool row, data_version_->Step());
  WEIR_CHECK(row);
  const std::int64_t version = data_version_->Int64(0);
  data_version_->Reset();
  return version;
}

// Polls instead of waiting in the kernel, so that a stopped holder costs a timeout, not a hang.
Status Connection::LockForWriting() {
  if (lock_file_ < 0) {
    return Refused(path_ + ": its folder cannot be written", ErrorCode::kStorageDenied);
  }
  Clock& clock = SystemClock();
  const Micros deadline = clock.Monotonic() + busy_timeout_;
  while (flock(lock_file_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) {
      return Unavailable(path_ + ": cannot lock: " + std::strerror(errno),
                         ErrorCode::kStorageFailed);
    }
    if (clock.Monotonic() >= deadline) {
      return Unavailable(path_ + ": another process has been writing to it for " +
                         FormatSpan(busy_timeout_));
    }
    clock.Sleep(kLockPollInterval);
  }
  return Ok();
}

void Connection::UnlockAfterWriting() const { flock(lock_file_, LOCK_UN); }

}  // namespace weir::db
