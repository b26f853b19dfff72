#include "app/demo_folder.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "io/store.h"

namespace weir::app {
namespace {

namespace fs = std::filesystem;

TEST(DemoFolder, MakesANewOneWithAPipeline) {
  ScratchFolder scratch;
  auto folder = PrepareDemoFolder(scratch / "new/demo");
  ASSERT_TRUE(folder) << folder.error().ToString();
  EXPECT_EQ(folder->path, scratch / "new/demo");
  EXPECT_TRUE(fs::exists(folder->pipeline));
}

TEST(DemoFolder, ClearsWhatAnEarlierDemoMade) {
  ScratchFolder scratch;
  auto first = PrepareDemoFolder(scratch / "demo");
  ASSERT_TRUE(first);
  fs::create_directories(first->path + "/state/claims");
  fs::create_directories(first->path + "/lake/retail");
  ASSERT_TRUE(PrepareDemoFolder(scratch / "demo"));
  EXPECT_FALSE(fs::exists(first->path + "/state"));
  EXPECT_FALSE(fs::exists(first->path + "/lake"));
}

TEST(DemoFolder, RefusesAFolderOfSomebodyElseAndTouchesNothing) {
  ScratchFolder scratch;
  fs::create_directories(scratch / "mine/state");
  std::ofstream(scratch / "mine/notes.txt") << "keep me";
  auto refused = PrepareDemoFolder(scratch / "mine");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kRefused);
  EXPECT_TRUE(fs::exists(scratch / "mine/notes.txt"));
  EXPECT_TRUE(fs::exists(scratch / "mine/state"));
}

TEST(DemoFolder, RefusesADemoFolderWithAFileOfSomebodyElse) {
  ScratchFolder scratch;
  auto first = PrepareDemoFolder(scratch / "demo");
  ASSERT_TRUE(first);
  std::ofstream(scratch / "demo/notes.txt") << "keep me";
  auto refused = PrepareDemoFolder(scratch / "demo");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("notes.txt"));
  EXPECT_TRUE(fs::exists(first->pipeline));
}

TEST(DemoFolder, RefusesAFolderThatADemoWorksIn) {
  ScratchFolder scratch;
  auto first = PrepareDemoFolder(scratch / "demo");
  ASSERT_TRUE(first);
  fs::create_directories(first->path + "/state");
  auto lock = io::LockFile(first->path + "/state/lock");
  ASSERT_TRUE(lock);
  auto refused = PrepareDemoFolder(scratch / "demo");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kStateLocked);
}

}  // namespace
}  // namespace weir::app
