#include "app/error_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/test_session.h"

namespace weir::app {
namespace {

TEST(ErrorReport, TheCatalogDecidesTheExitCode) {
  EXPECT_EQ(ExitCodeOf(Refused("x", ErrorCode::kStateMissing)), 3);
  EXPECT_EQ(ExitCodeOf(InvalidInput("x", ErrorCode::kUsage)), 64);
  EXPECT_EQ(ExitCodeOf(InvalidInput("x", ErrorCode::kBadRecord)), 65);
  EXPECT_EQ(ExitCodeOf(Unavailable("x", ErrorCode::kSourceUnavailable)), 69);
  EXPECT_EQ(ExitCodeOf(Refused("x", ErrorCode::kStateLocked)), 75);
  EXPECT_EQ(ExitCodeOf(InvalidInput("x", ErrorCode::kMissingVariable)), 78);
  EXPECT_EQ(ExitCodeOf(Internal("x")), 1);
}

TEST(ErrorReport, WithoutACodeTheKindSuggestsOne) {
  EXPECT_EQ(ExitCodeOf(Unavailable("x")), 69);
  EXPECT_EQ(ExitCodeOf(Refused("x")), 3);
  EXPECT_EQ(ExitCodeOf(Conflict("x")), 75);
  EXPECT_EQ(ExitCodeOf(Corrupt("x")), 1);
}

TEST(ErrorReport, SaysWhatWhereAndWhatToDo) {
  TestSession test;
  PrintError(WithRemedy(NotFound("table a.b does not exist", ErrorCode::kTableMissing), "make it"),
             test.session);
  EXPECT_EQ(test.err.str(), "error[WEIR0401]: table a.b does not exist\n  = make it\n");
}

TEST(ErrorReport, TakesTheRemedyOfTheCatalogWhereThereIsNone) {
  TestSession test;
  PrintError(NotFound("table a.b does not exist", ErrorCode::kTableMissing), test.session);
  EXPECT_THAT(test.err.str(), testing::HasSubstr("weir tables create"));
}

TEST(ErrorReport, OutsideDataCannotControlTheTerminal) {
  TestSession test;
  PrintError(Corrupt("a\x1b[2Jb\nc"), test.session);
  EXPECT_THAT(test.err.str(), testing::Not(testing::HasSubstr("\x1b")));
  EXPECT_EQ(test.err.str(), "error: a\\x1b[2Jb\\x0ac\n");
}

TEST(ErrorReport, IsRedOnlyWhereColourIsWanted) {
  TestSession test;
  test.session.err_terminal = {.is_terminal = true, .color = true, .width = 80};
  PrintError(Corrupt("x"), test.session);
  EXPECT_THAT(test.err.str(), testing::StartsWith("\x1b[1;31merror\x1b[0m"));
  test.err.str("");
  test.session.options.no_color = true;
  PrintError(Corrupt("x"), test.session);
  EXPECT_EQ(test.err.str(), "error: x\n");
}

}  // namespace
}  // namespace weir::app
