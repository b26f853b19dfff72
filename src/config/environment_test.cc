#include "config/environment.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace weir::config {
namespace {

using testing::HasSubstr;

class EnvironmentTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("weir_environment_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  std::filesystem::path folder_;
  ProcessEnvironment environment_;
};

TEST_F(EnvironmentTest, ReadsVariables) {
  ::setenv("WEIR_ENVIRONMENT_TEST", "x", 1);
  EXPECT_EQ(environment_.Variable("WEIR_ENVIRONMENT_TEST"), "x");
  ::unsetenv("WEIR_ENVIRONMENT_TEST");
  EXPECT_EQ(environment_.Variable("WEIR_ENVIRONMENT_TEST"), std::nullopt);
}

TEST_F(EnvironmentTest, ReadsFilesUpToALimit) {
  const std::string path = Write("f", "12345");
  EXPECT_EQ(*environment_.ReadFile(path, 5), "12345");
  EXPECT_THAT(environment_.ReadFile(path, 4).error().message, HasSubstr("longer than 4 bytes"));
  EXPECT_EQ(*environment_.ReadFile(Write("empty", ""), 5), "");
}

TEST_F(EnvironmentTest, SaysWhyAFileCannotBeRead) {
  const auto missing = environment_.ReadFile((folder_ / "none").string(), 5);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kFileUnreadable);
  EXPECT_THAT(missing.error().message, HasSubstr("No such file"));
  EXPECT_THAT(environment_.ReadFile(folder_.string(), 5).error().message, HasSubstr("a folder"));
}

TEST(PathTest, CountFromTheirFolder) {
  EXPECT_EQ(AbsolutePath("/a/b", "c"), "/a/b/c");
  EXPECT_EQ(AbsolutePath("/a/b", "./c/"), "/a/b/c");
  EXPECT_EQ(AbsolutePath("/a/b", "../c"), "/a/c");
  EXPECT_EQ(AbsolutePath("/a/b", "/c"), "/c");
  EXPECT_EQ(AbsolutePath("/a/b", "."), "/a/b");
  EXPECT_EQ(AbsolutePath("/", "."), "/");
  EXPECT_EQ(FolderOf("/a/b.yaml"), "/a");
  EXPECT_EQ(FolderOf("/b.yaml"), "/");
}

}  // namespace
}  // namespace weir::config
