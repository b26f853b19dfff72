#include "http/date.h"

#include <gtest/gtest.h>

namespace weir::http {
namespace {

TEST(HttpDate, IsRead) {
  EXPECT_EQ(ReadHttpDate("Fri, 24 May 2013 00:00:00 GMT"), 1'369'353'600 * kMicrosPerSecond);
  EXPECT_EQ(ReadHttpDate("Thu, 01 Jan 1970 00:00:01 GMT"), kMicrosPerSecond);
}

TEST(HttpDate, AnythingElseIsNone) {
  for (const char* text : {"", "Fri, 24 May 2013 00:00:00 UTC", "Fri, 24 Mai 2013 00:00:00 GMT",
                           "Fri, xx May 2013 00:00:00 GMT", "Fri, 24 May 2013 25:00:00 GMT"}) {
    EXPECT_FALSE(ReadHttpDate(text)) << text;
  }
}

}  // namespace
}  // namespace weir::http
