#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scratch_folder.h"
#include "io/store.h"

namespace weir::io {
namespace {

using testing::HasSubstr;

TEST(FileLock, ASecondHolderIsRefusedAndToldThePid) {
  ScratchFolder folder;
  const auto held = LockFile(folder / "lock");
  ASSERT_TRUE(held);
  const auto second = LockFile(folder / "lock");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::kRefused);
  EXPECT_EQ(second.error().code, ErrorCode::kStateLocked);
  EXPECT_THAT(second.error().message, HasSubstr("process " + std::to_string(getpid()) + " "));
}

TEST(FileLock, IsFreeAgainWhenDestroyed) {
  ScratchFolder folder;
  { ASSERT_TRUE(LockFile(folder / "lock")); }
  EXPECT_TRUE(LockFile(folder / "lock"));
}

TEST(FileLock, EndsWithItsProcessHoweverThatEnds) {
  ScratchFolder folder;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto held = LockFile(folder / "lock");
    const char answer = held ? 'y' : 'n';
    if (write(ready[1], &answer, 1) != 1) _exit(1);
    while (true) pause();
  }
  char answer = 0;
  ASSERT_EQ(read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  EXPECT_THAT(LockFile(folder / "lock").error().message, HasSubstr(std::to_string(child)));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(LockFile(folder / "lock"));
  close(ready[0]);
  close(ready[1]);
}

TEST(FileLock, AMissingFolderIsNotFound) {
  ScratchFolder folder;
  EXPECT_EQ(LockFile(folder / "no/lock").error().kind, ErrorKind::kNotFound);
}

}  // namespace
}  // namespace weir::io
