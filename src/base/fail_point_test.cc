#include "base/fail_point.h"

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scratch_folder.h"

namespace weir {
namespace {

// Runs the body in a child process with the environment armed; the child's wait status.
template <typename Body>
int RunArmed(const std::string& point, const std::string& log, Body body) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("WEIR_FAIL_POINT", point.c_str(), 1);
    setenv("WEIR_FAIL_POINT_LOG", log.c_str(), 1);
    ArmFailPoints();
    body();
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

bool Killed(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }
bool Finished(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 7; }

void ReachThree() {
  Reach(FailPoint::kRecordBefore);
  Reach(FailPoint::kRecordAfter);
  Reach(FailPoint::kRecordBefore);
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(FailPoint, NothingHappensWhenNothingIsArmed) {
  EXPECT_TRUE(Finished(RunArmed("", "", ReachThree)));
}

TEST(FailPoint, KillsAtTheNamedPlace) {
  EXPECT_TRUE(Killed(RunArmed("record.after", "", ReachThree)));
  EXPECT_TRUE(Finished(RunArmed("seal.before", "", ReachThree)));
}

TEST(FailPoint, KillsTheNthTimeOnly) {
  ScratchFolder folder;
  const std::string log = folder / "hits";
  EXPECT_TRUE(Killed(RunArmed("record.before:2", log, ReachThree)));
  EXPECT_EQ(ReadAll(log), "record.before\nrecord.after\nrecord.before\n");
  EXPECT_TRUE(Finished(RunArmed("record.before:3", "", ReachThree)));
}

TEST(FailPoint, TheLogOfSeveralProcessesIsAppended) {
  ScratchFolder folder;
  const std::string log = folder / "hits";
  RunArmed("", log, [] { Reach(FailPoint::kSealBefore); });
  RunArmed("", log, [] { Reach(FailPoint::kSealAfter); });
  EXPECT_EQ(ReadAll(log), "seal.before\nseal.after\n");
}

TEST(FailPoint, AWrongNameOrCountEndsTheProcessAtOnce) {
  for (const char* text : {"no.such.place", "record.before:", "record.before:0", "record.before:x",
                           "record.before:1x", ":1"}) {
    const int status = RunArmed(text, "", [] {});
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 64) << text;
  }
}

TEST(FailPoint, AnObserverTakesOver) {
  std::vector<FailPoint> seen;
  ObserveFailPoints([&](FailPoint point) { seen.push_back(point); });
  ReachThree();
  ObserveFailPoints(nullptr);
  ReachThree();
  EXPECT_EQ(seen, (std::vector<FailPoint>{FailPoint::kRecordBefore, FailPoint::kRecordAfter,
                                          FailPoint::kRecordBefore}));
}

TEST(FailPoint, NamesAreDifferent) {
  const auto names = FailPointNames();
  const std::set<std::string_view> different(names.begin(), names.end());
  EXPECT_EQ(different.size(), names.size());
  EXPECT_EQ(names[static_cast<std::size_t>(FailPoint::kSealBefore)], "seal.before");
}

}  // namespace
}  // namespace weir
