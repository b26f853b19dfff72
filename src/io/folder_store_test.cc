#include "io/folder_store.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <errno.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scratch_folder.h"
#include "io/store.h"

namespace {

// What the store asked of the system, in order, and what the system should fail at.
struct Disk {
  std::mutex mutex;
  bool recording = false;
  std::vector<std::string> steps;
  int link_error = 0;
  int rename_error = 0;
  std::function<int(const std::string&)> sync_error;  // by path; 0: it works

  void Note(const std::string& step) {
    const std::lock_guard lock(mutex);
    if (recording) steps.push_back(step);
  }
};
Disk disk;

int Fail(int error) {
  errno = error;
  return -1;
}

std::string PathOf(int file) {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file), ignored).string();
}

}  // namespace

// The store calls these of the test program instead of the C library's.
extern "C" int fsync(int fd) {
  const std::string path = PathOf(fd);
  disk.Note("sync " + path);
  const int error = disk.sync_error ? disk.sync_error(path) : 0;
  return error != 0 ? Fail(error) : static_cast<int>(syscall(SYS_fsync, fd));
}
extern "C" int link(const char* from, const char* to) noexcept {
  disk.Note(std::string("link ") + to);
  if (disk.link_error != 0) return Fail(disk.link_error);
  return static_cast<int>(syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}
extern "C" int RenameAt(int from_folder, const char* from, int to_folder, const char* to,
                        unsigned flags) noexcept __asm__("renameat2");
extern "C" int RenameAt(int from_folder, const char* from, int to_folder, const char* to,
                        unsigned flags) noexcept {
  disk.Note(std::string("rename ") + to);
  if (disk.rename_error != 0) return Fail(disk.rename_error);
  return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

namespace weir::io {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class FolderStoreTest : public testing::Test {
 protected:
  ~FolderStoreTest() override {
    disk.recording = false;
    disk.link_error = 0;
    disk.rename_error = 0;
    disk.sync_error = nullptr;
  }

  std::unique_ptr<Store> Open(FolderAccess access = FolderAccess::kPrivate) {
    auto opened = OpenFolder(root_, access);
    EXPECT_TRUE(opened) << opened.error().ToString();
    return std::move(*opened);
  }

  // The system calls of a body, with paths below the root and temporary names as "tmp".
  template <typename Body>
  std::vector<std::string> StepsOf(Body body) {
    disk.steps.clear();
    disk.recording = true;
    body();
    disk.recording = false;
    std::vector<std::string> steps = disk.steps;
    for (std::string& step : steps) {
      if (const auto at = step.find(root_); at != std::string::npos) {
        step.replace(at, root_.size(), "");
      }
      if (const auto at = step.find("/.weir-tmp/"); at != std::string::npos) {
        step.replace(at, std::string::npos, "tmp");
      }
    }
    return steps;
  }

  std::size_t Temporaries() {
    const std::filesystem::path folder(root_ + "/.weir-tmp");
    if (!std::filesystem::exists(folder)) return 0;
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }

  unsigned ModeOf(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777;
  }

  ScratchFolder folder_;
  std::string root_ = folder_ / "root";
};

TEST_F(FolderStoreTest, APutIsDurableInOrder) {
  const auto store = Open();
  const auto first = StepsOf([&] { ASSERT_TRUE(store->PutIfAbsent("a/b/1", "x")); });
  EXPECT_THAT(first, ElementsAre("sync tmp", "sync ", "sync /a", "link /a/b/1", "sync /a/b"));
  const auto second = StepsOf([&] { ASSERT_TRUE(store->PutIfAbsent("a/b/2", "x")); });
  EXPECT_THAT(second, ElementsAre("sync tmp", "link /a/b/2", "sync /a/b"));
}

// Nobody looks for them before, so that all syncs can wait for the disk together.
TEST_F(FolderStoreTest, SeveralNewObjectsAreNamedFirstAndSyncedTogether) {
  const auto store = Open();
  ASSERT_TRUE(store->PutIfAbsent("a/0", "x"));
  const std::vector<NewObject> objects = {{"a/1", "x"}, {"a/2", "y"}};
  auto steps = StepsOf([&] { ASSERT_TRUE(store->PutNew(objects)); });
  ASSERT_EQ(steps.size(), 5U);
  std::sort(steps.begin() + 2, steps.end());
  EXPECT_THAT(steps, ElementsAre("link /a/1", "link /a/2", "sync /a", "sync tmp", "sync tmp"));
  EXPECT_EQ(Temporaries(), 0U);
  // What has the name already is made durable as well.
  steps = StepsOf([&] { ASSERT_TRUE(store->PutNew(objects)); });
  EXPECT_EQ(std::ranges::count(steps, "sync /a/1"), 1);
  EXPECT_EQ(std::ranges::count(steps, "sync /a/2"), 1);
}

TEST_F(FolderStoreTest, SeveralNewObjectsAreThereOnlyWhenAllSyncsWorked) {
  const auto store = Open();
  ASSERT_TRUE(store->PutIfAbsent("a/0", "x"));
  const std::vector<NewObject> objects = {{"a/1", "x"}, {"a/2", "y"}};
  for (const std::string broken : {"/a", "/.weir-tmp/"}) {
    disk.sync_error = [&](const std::string& path) {
      return path.find(root_ + broken) == 0 ? EIO : 0;
    };
    const Status put = store->PutNew(objects);
    ASSERT_FALSE(put);
    EXPECT_EQ(put.error().kind, ErrorKind::kUnavailable);
    disk.sync_error = nullptr;
    for (const NewObject& object : objects) ASSERT_TRUE(store->Delete(object.key));
  }
  EXPECT_EQ(Temporaries(), 0U);
}

// Somebody else made the folder, and may have died before he synced the one above it.
TEST_F(FolderStoreTest, AFolderThatWasThereIsMadeDurableToo) {
  ASSERT_TRUE(Open()->PutIfAbsent("a/b/1", "x"));
  const auto store = Open();
  const auto steps = StepsOf([&] { ASSERT_TRUE(store->PutIfAbsent("a/b/2", "x")); });
  EXPECT_THAT(steps, ElementsAre("sync tmp", "sync ", "sync /a", "link /a/b/2", "sync /a/b"));
}

TEST_F(FolderStoreTest, ALostRaceIsDurableBeforeItIsTold) {
  const auto store = Open();
  ASSERT_TRUE(store->PutIfAbsent("a/1", "x"));
  const auto steps = StepsOf([&] { ASSERT_TRUE(store->PutIfAbsent("a/1", "y")); });
  EXPECT_THAT(steps, ElementsAre("sync tmp", "link /a/1", "sync /a"));
}

TEST_F(FolderStoreTest, AReaderSyncsWhatItFound) {
  ASSERT_TRUE(Open()->PutIfAbsent("a/b/1", "x"));
  auto store = Open();
  EXPECT_THAT(StepsOf([&] { ASSERT_TRUE(store->List("")); }),
              ElementsAre("sync ", "sync ", "sync /a", "sync /a", "sync /a/b"));
  EXPECT_THAT(StepsOf([&] { ASSERT_TRUE(store->List("a/b/")); }), ElementsAre("sync /a/b"));
  EXPECT_THAT(StepsOf([&] { ASSERT_TRUE(store->Get("a/b/1")); }), ElementsAre("sync /a/b"));
  store = Open();
  EXPECT_THAT(StepsOf([&] { ASSERT_TRUE(store->Head("a/b/1")); }),
              ElementsAre("sync ", "sync /a", "sync /a/b"));
}

// Folders of journals come and go with every epoch; those above them stay.
TEST_F(FolderStoreTest, AnEmptiedFolderCostsNoSyncOfThoseThatStay) {
  const auto store = Open();
  ASSERT_TRUE(store->PutIfAbsent("a/b/1", "x"));
  ASSERT_TRUE(store->PutIfAbsent("a/c/1", "x"));
  ASSERT_TRUE(store->Delete("a/b/1"));
  EXPECT_THAT(StepsOf([&] { ASSERT_TRUE(store->PutIfAbsent("a/c/2", "x")); }),
              ElementsAre("sync tmp", "link /a/c/2", "sync /a/c"));
  EXPECT_THAT(StepsOf([&] { ASSERT_TRUE(store->PutIfAbsent("a/b/2", "x")); }),
              ElementsAre("sync tmp", "sync /a", "link /a/b/2", "sync /a/b"));
}

TEST_F(FolderStoreTest, AStreamIsDurableInOrder) {
  const auto store = Open();
  ASSERT_TRUE(store->PutIfAbsent("data/0", ""));
  const auto steps = StepsOf([&] {
    auto stream = store->Create("data/1");
    ASSERT_TRUE(stream && (*stream)->Append("rows") && (*stream)->Finish());
  });
  EXPECT_THAT(steps, ElementsAre("sync tmp", "link /data/1", "sync /data"));
}

TEST_F(FolderStoreTest, StateIsItsOwnersAlone) {
  const auto store = Open();
  ASSERT_TRUE(store->PutIfAbsent("a/1", "x") && store->Put("a/2", "x"));
  EXPECT_EQ(ModeOf(root_), 0700U);
  EXPECT_EQ(ModeOf(root_ + "/a"), 0700U);
  EXPECT_EQ(ModeOf(root_ + "/a/1"), 0600U);
  EXPECT_EQ(ModeOf(root_ + "/a/2"), 0600U);
}

TEST_F(FolderStoreTest, ALakeIsReadByOthers) {
  const auto store = Open(FolderAccess::kShared);
  ASSERT_TRUE(store->PutIfAbsent("a/1", "x"));
  auto stream = store->Create("a/2");
  ASSERT_TRUE(stream && (*stream)->Append("x") && (*stream)->Finish());
  EXPECT_EQ(ModeOf(root_), 0755U);
  EXPECT_EQ(ModeOf(root_ + "/a"), 0755U);
  EXPECT_EQ(ModeOf(root_ + "/a/1"), 0644U);
  EXPECT_EQ(ModeOf(root_ + "/a/2"), 0644U);
}

TEST_F(FolderStoreTest, NoTemporaryStaysOrShows) {
  const auto store = Open();
  ASSERT_TRUE(store->PutIfAbsent("a/1", "x") && store->PutIfAbsent("a/1", "y") &&
              store->Put("a/1", "z"));
  auto stream = store->Create("a/2");
  ASSERT_TRUE(stream && (*stream)->Append("x"));
  EXPECT_EQ(Temporaries(), 1U);
  EXPECT_EQ(store->List("")->size(), 1U);
  EXPECT_THAT(*store->List("."), IsEmpty());
  stream = InvalidInput("closed");
  EXPECT_EQ(Temporaries(), 0U);
}

TEST_F(FolderStoreTest, OpeningRemovesWhatDeadWritersLeft) {
  const auto store = Open();
  auto alive = store->Create("a/alive");
  ASSERT_TRUE(alive && (*alive)->Append("x"));
  std::ofstream(root_ + "/.weir-tmp/dead") << "x";
  std::ofstream(root_ + "/.weir-tmp/young") << "x";
  const timespec long_ago[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
  for (const auto& entry : std::filesystem::directory_iterator(root_ + "/.weir-tmp")) {
    if (entry.path().filename() == "young") continue;
    ASSERT_EQ(utimensat(AT_FDCWD, entry.path().c_str(), long_ago, 0), 0);
  }
  Open();
  EXPECT_FALSE(std::filesystem::exists(root_ + "/.weir-tmp/dead"));
  EXPECT_TRUE(std::filesystem::exists(root_ + "/.weir-tmp/young"));
  EXPECT_TRUE((*alive)->Finish());
  EXPECT_TRUE(store->Get("a/alive"));
}

TEST_F(FolderStoreTest, StateFoldersGoWithTheirLastObject) {
  const auto store = Open();
  ASSERT_TRUE(store->PutIfAbsent("j/w/1/a", "") && store->PutIfAbsent("j/w/2/a", ""));
  ASSERT_TRUE(store->Delete("j/w/1/a"));
  EXPECT_FALSE(std::filesystem::exists(root_ + "/j/w/1"));
  EXPECT_TRUE(std::filesystem::exists(root_ + "/j/w/2"));
  ASSERT_TRUE(store->Delete("j/w/2/a"));
  EXPECT_FALSE(std::filesystem::exists(root_ + "/j"));
  const auto steps = StepsOf([&] { ASSERT_TRUE(store->PutIfAbsent("j/w/3", "")); });
  EXPECT_THAT(steps, ElementsAre("sync tmp", "sync ", "sync /j", "link /j/w/3", "sync /j/w"));
}

TEST_F(FolderStoreTest, LakeFoldersStay) {
  const auto store = Open(FolderAccess::kShared);
  ASSERT_TRUE(store->PutIfAbsent("day=1/a", "") && store->Delete("day=1/a"));
  EXPECT_TRUE(std::filesystem::exists(root_ + "/day=1"));
}

TEST_F(FolderStoreTest, AFolderThatAnotherProcessRemovedIsMadeAgain) {
  const auto store = Open();
  ASSERT_TRUE(store->PutIfAbsent("a/b/1", "x"));
  std::filesystem::remove_all(root_ + "/a");
  std::filesystem::remove_all(root_ + "/.weir-tmp");
  EXPECT_EQ(*store->PutIfAbsent("a/b/2", "x"), PutOutcome::kStored);
}

TEST_F(FolderStoreTest, WithoutHardLinksItRenames) {
  const auto store = Open();
  for (const int error : {EPERM, EOPNOTSUPP, EMLINK}) {
    disk.link_error = error;
    const std::string key = "a/" + std::to_string(error);
    EXPECT_EQ(*store->PutIfAbsent(key, "one"), PutOutcome::kStored);
    EXPECT_EQ(*store->PutIfAbsent(key, "two"), PutOutcome::kExists);
    EXPECT_EQ(*store->Get(key), "one");
  }
  EXPECT_EQ(Temporaries(), 0U);
  EXPECT_TRUE(ProbePutIfAbsent(*store));
}

TEST_F(FolderStoreTest, WithNeitherItRefuses) {
  const auto store = Open();
  disk.link_error = EPERM;
  for (const int error : {EINVAL, ENOSYS}) {
    disk.rename_error = error;
    const auto put = store->PutIfAbsent("a/1", "one");
    ASSERT_FALSE(put);
    EXPECT_EQ(put.error().kind, ErrorKind::kRefused);
    EXPECT_EQ(put.error().code, ErrorCode::kStoreUnsafe);
  }
}

TEST_F(FolderStoreTest, AFailedSyncOfTheBytesIsADefiniteFailure) {
  const auto store = Open();
  disk.sync_error = [](const std::string& path) {
    return path.find(".weir-tmp/") != std::string::npos ? EIO : 0;
  };
  const auto put = store->PutIfAbsent("a/1", "x");
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(put.error().code, ErrorCode::kStorageFailed);
  disk.sync_error = nullptr;
  EXPECT_THAT(*store->List(""), IsEmpty());
}

TEST_F(FolderStoreTest, AFailedSyncOfTheNameIsUnknown) {
  const auto store = Open();
  ASSERT_TRUE(store->PutIfAbsent("a/0", "x"));
  disk.sync_error = [this](const std::string& path) { return path == root_ + "/a" ? EIO : 0; };
  const auto put = store->PutIfAbsent("a/1", "x");
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().kind, ErrorKind::kCommitUnknown);
  EXPECT_EQ(put.error().code, ErrorCode::kStorageFailed);
  EXPECT_FALSE(store->Get("a/1")) << "acted on a name that is not durable";
  disk.sync_error = nullptr;
  EXPECT_EQ(*store->Get("a/1"), "x");
}

TEST_F(FolderStoreTest, FoldersThatCannotBeSyncedAreAccepted) {
  const auto store = Open();
  disk.sync_error = [](const std::string& path) {
    return std::filesystem::is_directory(path) ? EINVAL : 0;
  };
  EXPECT_EQ(*store->PutIfAbsent("a/1", "x"), PutOutcome::kStored);
}

TEST_F(FolderStoreTest, WhatIsNotAnObjectIsNotListed) {
  const auto store = Open();
  ASSERT_TRUE(store->PutIfAbsent("a/1", "x"));
  std::filesystem::create_symlink(root_ + "/nowhere", root_ + "/a/dangling");
  std::filesystem::create_directory_symlink(root_, root_ + "/a/loop");
  ASSERT_EQ(mkfifo((root_ + "/a/pipe").c_str(), 0600), 0);
  const auto listed = store->List("");
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ(listed->front().key, "a/1");
}

// Runs the body in a child process; whether it returned true.
template <typename Body>
bool InChild(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool BecomeOrdinaryUser() { return geteuid() != 0 || setuid(65534) == 0; }

TEST_F(FolderStoreTest, AFullDiskIsSaidWithPathAndBytesAndLeavesNothing) {
  EXPECT_TRUE(InChild([&] {
    const auto store = Open();
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto put = store->PutIfAbsent("a/1", std::string(200'000, 'x'));
    if (put || put.error().kind != ErrorKind::kUnavailable ||
        put.error().code != ErrorCode::kStorageFull ||
        put.error().message.find(root_) == std::string::npos ||
        put.error().message.find("200000 bytes") == std::string::npos) {
      return false;
    }
    auto stream = store->Create("a/2");
    if (!stream || (*stream)->Append(std::string(200'000, 'x')).ok()) return false;
    if ((*stream)->Finish().ok()) return false;
    return store->List("")->empty() && *store->PutIfAbsent("a/1", "fits") == PutOutcome::kStored;
  }));
}

TEST_F(FolderStoreTest, WithoutPermissionItIsRefused) {
  ASSERT_TRUE(Open()->PutIfAbsent("a/1", "x"));
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(root_.c_str(), 0555), 0);
  ASSERT_EQ(chmod((root_ + "/a").c_str(), 0555), 0);
  ASSERT_EQ(chmod((root_ + "/a/1").c_str(), 0444), 0);
  EXPECT_TRUE(InChild([&] {
    if (!BecomeOrdinaryUser()) return false;
    auto store = OpenFolder(root_);
    if (!store || *(*store)->Get("a/1") != "x") return false;
    const auto put = (*store)->PutIfAbsent("a/2", "x");
    const Status deleted = (*store)->Delete("a/1");
    return !put && put.error().kind == ErrorKind::kRefused &&
           put.error().code == ErrorCode::kStorageDenied && !deleted &&
           deleted.error().code == ErrorCode::kStorageDenied;
  }));
  EXPECT_TRUE(InChild([&] {
    if (!BecomeOrdinaryUser()) return false;
    const auto store = OpenFolder(root_ + "/new");
    return !store && store.error().code == ErrorCode::kStorageDenied;
  }));
}

TEST_F(FolderStoreTest, APathThatIsAFileIsNoStore) {
  std::ofstream(root_) << "x";
  EXPECT_FALSE(OpenFolder(root_));
  EXPECT_FALSE(OpenFolder(root_ + "/below"));
}

TEST_F(FolderStoreTest, OfManyProcessesOneWins) {
  std::vector<pid_t> children;
  constexpr int kKeys = 20;
  for (int i = 0; i < 6; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      auto store = OpenFolder(root_);
      int wins = 0;
      for (int key = 0; key < kKeys; ++key) {
        const auto put = (*store)->PutIfAbsent("race/" + std::to_string(key), std::to_string(i));
        if (!put) _exit(200);
        wins += *put == PutOutcome::kStored ? 1 : 0;
      }
      _exit(wins);
    }
    children.push_back(child);
  }
  int wins = 0;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    wins += WEXITSTATUS(status);
  }
  EXPECT_EQ(wins, kKeys);
  EXPECT_EQ(Open()->List("race/")->size(), static_cast<std::size_t>(kKeys));
}

TEST_F(FolderStoreTest, AKilledWriterLeavesWholeObjectsOnly) {
  const std::string bytes(100'000, 'x');
  for (int round = 0; round < 5; ++round) {
    const std::string folder = "round-" + std::to_string(round) + "/";
    const pid_t child = fork();
    if (child == 0) {
      auto store = OpenFolder(root_);
      for (int n = 0;; ++n) {
        if (!(*store)->PutIfAbsent(folder + std::to_string(n), bytes)) _exit(1);
      }
    }
    const auto store = Open();
    while (store->List(folder)->size() < 5) usleep(100);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    const auto listed = store->List(folder);
    for (const ObjectInfo& info : *listed) EXPECT_EQ(*store->Get(info.key), bytes) << info.key;
  }
}

TEST_F(FolderStoreTest, DescribesItselfByItsPath) { EXPECT_EQ(Open()->Describe(), root_); }

}  // namespace
}  // namespace weir::io
