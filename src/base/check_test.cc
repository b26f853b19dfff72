#include "base/check.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Check, ATrueConditionDoesNothing) {
  int evaluated = 0;
  WEIR_CHECK(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

TEST(CheckDeathTest, AFalseConditionEndsTheProcessAndSaysWhere) {
  EXPECT_DEATH(WEIR_CHECK(1 + 1 == 3), "an invariant is broken.*1 \\+ 1 == 3.*check_test.cc:");
}

#ifdef NDEBUG
TEST(Check, DcheckIsNotEvaluatedInReleaseBuilds) {
  int evaluated = 0;
  WEIR_DCHECK(++evaluated == 99);
  EXPECT_EQ(evaluated, 0);
}
#else
TEST(CheckDeathTest, DcheckChecksInDebugBuilds) {
  EXPECT_DEATH(WEIR_DCHECK(false), "an invariant is broken");
}
#endif

}  // namespace
}  // namespace weir
