#include "db/connection.h"

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scratch_folder.h"
#include "db/transaction.h"

namespace {
// What the disk does in these tests: 0, or the error that each sync or write reports.
int sync_error = 0;
int write_error = 0;

int Fail(int error) {
  errno = error;
  return -1;
}

ssize_t WriteAt(int file, const void* bytes, size_t size, off_t offset) {
  return write_error != 0 ? Fail(write_error) : pwrite(file, bytes, size, offset);
}
}  // namespace

// SQLite calls these two of the test program instead of the C library's.
extern "C" int fsync(int fd) {
  return sync_error != 0 ? Fail(sync_error) : static_cast<int>(syscall(SYS_fsync, fd));
}
extern "C" int fdatasync(int fildes) {
  return sync_error != 0 ? Fail(sync_error) : static_cast<int>(syscall(SYS_fdatasync, fildes));
}

namespace weir::db {
namespace {

using testing::HasSubstr;

class ConnectionTest : public testing::Test {
 protected:
  ~ConnectionTest() override {
    sync_error = 0;
    write_error = 0;
  }

  std::unique_ptr<Connection> Open(const OpenOptions& options = {}) {
    auto opened = Connection::Open(path_, options);
    EXPECT_TRUE(opened) << opened.error().ToString();
    return std::move(*opened);
  }

  std::int64_t Count(Connection& connection) {
    auto statement = connection.Prepare("SELECT count(*) FROM item");
    EXPECT_TRUE(statement && *statement->Step());
    return statement->Int64(0);
  }

  ScratchFolder folder_;
  std::string path_ = folder_ / "test.db";
};

constexpr const char* kCreate = "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, data BLOB)";

// Runs the body in a child that may not pass permission checks; whether it returned true.
template <typename Body>
bool AsOrdinaryUser(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(ConnectionTest, BindsAndReadsValuesOfAllKinds) {
  auto connection = Open();
  ASSERT_TRUE(connection->Execute(kCreate));
  auto insert = connection->Prepare("INSERT INTO item VALUES(?, ?, ?)");
  ASSERT_TRUE(insert);
  const std::string bytes("\0\xff", 2);
  ASSERT_TRUE(insert->Run(1, "one", Blob{bytes}));
  ASSERT_TRUE(insert->Run(std::int64_t{1} << 40, std::optional<std::string>(), Blob{""}));
  EXPECT_EQ(connection->changes(), 1);

  auto select = connection->Prepare("SELECT id, name, data FROM item ORDER BY id");
  ASSERT_TRUE(select);
  ASSERT_TRUE(*select->Step());
  EXPECT_EQ(select->Int64(0), 1);
  EXPECT_EQ(select->Text(1), "one");
  EXPECT_EQ(select->Bytes(2), bytes);
  ASSERT_TRUE(*select->Step());
  EXPECT_EQ(select->Int64(0), std::int64_t{1} << 40);
  EXPECT_TRUE(select->IsNull(1));
  EXPECT_FALSE(select->IsNull(2));
  EXPECT_EQ(select->Bytes(2), "");
  EXPECT_FALSE(*select->Step());
}

TEST_F(ConnectionTest, FilesAreTheOwnersAloneUnlessSaidOtherwise) {
  auto connection = Open();
  ASSERT_TRUE(connection->Execute(kCreate));
  for (const char* suffix : {"", "-wal", "-shm", "-lock"}) {
    struct stat info {};
    ASSERT_EQ(stat((path_ + suffix).c_str(), &info), 0) << suffix;
    EXPECT_EQ(info.st_mode & 0777, 0600U) << suffix;
  }
  const std::string shared = folder_ / "shared.db";
  ASSERT_TRUE(Connection::Open(shared, {.others_may_read = true, .lock_path = {}}));
  struct stat info {};
  ASSERT_EQ(stat(shared.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0644U);
}

TEST_F(ConnectionTest, ATransactionIsAllOrNothing) {
  auto connection = Open();
  ASSERT_TRUE(connection->Execute(kCreate));
  {
    auto transaction = Transaction::Begin(*connection);
    ASSERT_TRUE(transaction);
    ASSERT_TRUE(connection->Execute("INSERT INTO item(id) VALUES(1)"));
  }
  EXPECT_EQ(Count(*connection), 0);
  {
    auto transaction = Transaction::Begin(*connection);
    ASSERT_TRUE(transaction);
    ASSERT_TRUE(connection->Execute("INSERT INTO item(id) VALUES(1)"));
    ASSERT_TRUE(transaction->Commit());
  }
  EXPECT_EQ(Count(*Open()), 1);
}

TEST_F(ConnectionTest, AReadTransactionSeesOneState) {
  auto reader = Open();
  ASSERT_TRUE(reader->Execute(kCreate));
  auto transaction = Transaction::BeginRead(*reader);
  ASSERT_TRUE(transaction);
  EXPECT_EQ(Count(*reader), 0);
  auto writer = Open();
  ASSERT_TRUE(writer->Execute("INSERT INTO item(id) VALUES(1)"));
  EXPECT_EQ(Count(*reader), 0);
  ASSERT_TRUE(transaction->Commit());
  EXPECT_EQ(Count(*reader), 1);
}

TEST_F(ConnectionTest, DataVersionTellsOfOthersCommitsOnly) {
  auto reader = Open();
  ASSERT_TRUE(reader->Execute(kCreate));
  auto writer = Open();
  const std::int64_t before = *reader->DataVersion();
  EXPECT_EQ(*reader->DataVersion(), before);
  ASSERT_TRUE(reader->Execute("INSERT INTO item(id) VALUES(1)"));
  EXPECT_EQ(*reader->DataVersion(), before);
  ASSERT_TRUE(writer->Execute("INSERT INTO item(id) VALUES(2)"));
  EXPECT_NE(*reader->DataVersion(), before);
}

TEST_F(ConnectionTest, ASecondWriterIsToldToTryAgain) {
  auto first = Open();
  ASSERT_TRUE(first->Execute(kCreate));
  auto second = Open({.busy_timeout = 0, .lock_path = {}});
  auto transaction = Transaction::Begin(*first);
  ASSERT_TRUE(transaction);
  auto refused = Transaction::Begin(*second);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable);
  EXPECT_THAT(refused.error().message, HasSubstr(path_));
  ASSERT_TRUE(transaction->Commit());
  EXPECT_TRUE(Transaction::Begin(*second));
}

// A writer that does not know of the lock file, as another program.
TEST_F(ConnectionTest, AForeignWriterIsWaitedForToo) {
  auto first = Open();
  ASSERT_TRUE(first->Execute(kCreate));
  ASSERT_TRUE(first->Execute("BEGIN IMMEDIATE"));
  auto second = Open({.busy_timeout = 0, .lock_path = {}});
  auto refused = Transaction::Begin(*second);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable);
  ASSERT_TRUE(first->Execute("COMMIT"));
  EXPECT_TRUE(Transaction::Begin(*second));
}

// What is written to a file without a name is lost, though SQLite says that all is well.
TEST_F(ConnectionTest, AFileThatWasRemovedOrReplacedIsNotWrittenTo) {
  auto connection = Open();
  ASSERT_TRUE(connection->Execute(kCreate));
  std::filesystem::rename(path_, path_ + ".away");
  for (const bool replaced : {false, true}) {
    if (replaced) std::ofstream(path_) << "";
    auto transaction = Transaction::Begin(*connection);
    ASSERT_FALSE(transaction);
    EXPECT_EQ(transaction.error().kind, ErrorKind::kUnavailable);
    EXPECT_THAT(transaction.error().message, HasSubstr(path_));
    EXPECT_FALSE(Transaction::BeginRead(*connection));
  }
  std::filesystem::rename(path_ + ".away", path_);
  EXPECT_TRUE(Transaction::Begin(*connection));
}

TEST_F(ConnectionTest, ViolatedConstraintsAreConflicts) {
  auto connection = Open();
  ASSERT_TRUE(connection->Execute(kCreate));
  auto insert = connection->Prepare("INSERT INTO item(id) VALUES(?)");
  ASSERT_TRUE(insert->Run(1));
  const Status again = insert->Run(1);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::kConflict);
  EXPECT_TRUE(insert->Run(2));
}

TEST_F(ConnectionTest, WrongSqlIsOurFault) {
  auto connection = Open();
  EXPECT_EQ(connection->Prepare("SELEC 1").error().kind, ErrorKind::kInternal);
  EXPECT_EQ(connection->Execute("SELECT * FROM nothing").error().kind, ErrorKind::kInternal);
}

TEST_F(ConnectionTest, AMissingFileIsNotFound) {
  const auto opened = Connection::Open(path_, {.create = false, .lock_path = {}});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::kNotFound);
  const auto below = Connection::Open(folder_ / "no/such.db", {.create = false, .lock_path = {}});
  EXPECT_EQ(below.error().kind, ErrorKind::kNotFound);
}

TEST_F(ConnectionTest, FoldersAreMadeWithTheFile) {
  ASSERT_TRUE(Connection::Open(folder_ / "a/b/test.db"));
  struct stat info {};
  ASSERT_EQ(stat((folder_ / "a/b").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
  std::ofstream(folder_ / "file") << "x";
  EXPECT_FALSE(Connection::Open(folder_ / "file/test.db"));
}

TEST_F(ConnectionTest, AFileThatIsNoDatabaseIsCorrupt) {
  std::ofstream(path_) << std::string(8192, 'x');
  const auto opened = Connection::Open(path_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::kCorrupt);
  EXPECT_THAT(opened.error().message, HasSubstr("not a database"));
}

TEST_F(ConnectionTest, WithoutPermissionItIsRefused) {
  { ASSERT_TRUE(Open()->Execute(kCreate)); }
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(path_.c_str(), 0), 0);
  EXPECT_TRUE(AsOrdinaryUser([&] {
    const auto opened = Connection::Open(path_);
    return !opened && opened.error().kind == ErrorKind::kRefused &&
           opened.error().code == ErrorCode::kStorageDenied;
  }));
}

TEST_F(ConnectionTest, AReadOnlyDatabaseRefusesWrites) {
  { ASSERT_TRUE(Open({.journal = Journal::kKeep, .lock_path = {}})->Execute(kCreate)); }
  ASSERT_EQ(chmod(folder_.path().c_str(), 0555), 0);
  ASSERT_EQ(chmod(path_.c_str(), 0444), 0);
  ASSERT_EQ(chmod((path_ + "-lock").c_str(), 0444), 0);
  EXPECT_TRUE(AsOrdinaryUser([&] {
    auto opened = Connection::Open(path_);
    if (!opened || Count(**opened) != 0) return false;
    const auto begun = Transaction::Begin(**opened);
    return !begun && begun.error().code == ErrorCode::kStorageDenied;
  }));
}

TEST_F(ConnectionTest, AFullDiskIsSaidAndLeavesNothing) {
  auto connection = Open();
  ASSERT_TRUE(connection->Execute(kCreate));
  sqlite3_vfs* files = sqlite3_vfs_find(nullptr);
  for (const char* name : {"pwrite", "pwrite64"}) {
    files->xSetSystemCall(files, name, reinterpret_cast<sqlite3_syscall_ptr>(WriteAt));
  }
  for (const int error : {ENOSPC, EDQUOT, EFBIG}) {
    auto transaction = Transaction::Begin(*connection);
    ASSERT_TRUE(transaction);
    ASSERT_TRUE(connection->Execute("INSERT INTO item(id) VALUES(1)"));
    write_error = error;
    const Status failed = transaction->Commit();
    write_error = 0;
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind, ErrorKind::kUnavailable) << failed.error().ToString();
    EXPECT_EQ(failed.error().code, ErrorCode::kStorageFull) << failed.error().ToString();
  }
  files->xSetSystemCall(files, nullptr, nullptr);
  EXPECT_EQ(Count(*connection), 0);
  ASSERT_TRUE(connection->Execute("INSERT INTO item(id) VALUES(1)"));
  EXPECT_EQ(Count(*Open()), 1);
}

TEST_F(ConnectionTest, AFailedSyncAtCommitIsUnknown) {
  auto connection = Open();
  ASSERT_TRUE(connection->Execute(kCreate));
  auto transaction = Transaction::Begin(*connection);
  ASSERT_TRUE(transaction);
  ASSERT_TRUE(connection->Execute("INSERT INTO item(id) VALUES(1)"));
  sync_error = EIO;
  const Status failed = transaction->Commit();
  sync_error = 0;
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::kCommitUnknown) << failed.error().ToString();
  EXPECT_EQ(failed.error().code, ErrorCode::kStorageFailed);
  EXPECT_EQ(Count(*Open()), 0);
}

TEST_F(ConnectionTest, ManyProcessesOpenANewFileAtOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      auto opened = Connection::Open(path_);
      if (!opened || !(*opened)->Execute("CREATE TABLE IF NOT EXISTS item(id INTEGER)")) _exit(1);
      for (int row = 0; row < 20; ++row) {
        auto transaction = Transaction::Begin(**opened);
        if (!transaction || !(*opened)->Execute("INSERT INTO item VALUES(1)") ||
            !transaction->Commit()) {
          _exit(1);
        }
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(Count(*Open()), 160);
}

TEST_F(ConnectionTest, AKilledWriterLeavesWholeTransactionsAndNoLock) {
  { ASSERT_TRUE(Open()->Execute(kCreate)); }
  for (int round = 0; round < 5; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      auto opened = Connection::Open(path_);
      while (true) {
        auto transaction = Transaction::Begin(**opened);
        if (!transaction ||
            !(*opened)->Execute("INSERT INTO item DEFAULT VALUES;"
                                "INSERT INTO item DEFAULT VALUES") ||
            !transaction->Commit()) {
          _exit(1);
        }
      }
    }
    auto watcher = Open();
    const std::int64_t before = Count(*watcher);
    while (Count(*watcher) < before + 20) std::this_thread::yield();
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(Count(*watcher) % 2, 0);
    auto next = Open({.busy_timeout = 0, .lock_path = {}});
    EXPECT_TRUE(Transaction::Begin(*next));
  }
}

}  // namespace
}  // namespace weir::db
