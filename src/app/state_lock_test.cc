#include "app/state_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/scratch_folder.h"

namespace weir::app {
namespace {

TEST(StateLock, ASecondOneIsRefusedAndNamesThePid) {
  ScratchFolder folder;
  ManualClock clock(0);
  EXPECT_FALSE(StateLockHolder(folder.path()));
  auto lock = LockState(folder.path(), clock);
  ASSERT_TRUE(lock);
  EXPECT_EQ(StateLockHolder(folder.path()), getpid());
  auto second = LockState(folder.path(), clock);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kStateLocked);
  EXPECT_THAT(second.error().message, testing::HasSubstr(std::to_string(getpid())));
  lock->reset();
  EXPECT_FALSE(StateLockHolder(folder.path()));
  EXPECT_TRUE(LockState(folder.path(), clock));
}

}  // namespace
}  // namespace weir::app
