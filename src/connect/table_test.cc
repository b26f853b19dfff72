#include "connect/table.h"

#include <gtest/gtest.h>

namespace weir::connect {
namespace {

TEST(ParseTableName, SplitsAtDots) {
  const auto name = ParseTableName("retail.events");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->levels, std::vector<std::string>{"retail"});
  EXPECT_EQ(name->name, "events");
  const auto deep = ParseTableName("lake.retail.events");
  ASSERT_TRUE(deep);
  EXPECT_EQ(deep->levels, (std::vector<std::string>{"lake", "retail"}));
  EXPECT_EQ(ToString(*deep), "lake.retail.events");
}

TEST(ParseTableName, RefusesWhatNamesNoTable) {
  for (const char* bad :
       {"", "events", ".", "retail.", ".events", "retail..events", "a.b/c", "a.b\nc", "a.\xff"}) {
    const auto name = ParseTableName(bad);
    ASSERT_FALSE(name) << bad;
    EXPECT_EQ(name.error().kind, ErrorKind::kInvalidInput) << bad;
    EXPECT_EQ(name.error().code, ErrorCode::kBadValue) << bad;
  }
}

}  // namespace
}  // namespace weir::connect
