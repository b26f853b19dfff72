#include "connect/table.h"

#include <gtest/gtest.h>

namespace weir::connect {
namespace {

TEST(TableNameTest, SplitsAtDots) {
  const auto name = ParseTableName("lake.retail.events");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->levels, (std::vector<std::string>{"lake", "retail"}));
  EXPECT_EQ(name->name, "events");
  EXPECT_EQ(ToString(*name), "lake.retail.events");
}

TEST(TableNameTest, RefusesEmptyPartsAndMissingNamespace) {
  for (const char* text : {"", "events", ".events", "retail.", "a..b"}) {
    const auto name = ParseTableName(text);
    ASSERT_FALSE(name) << text;
    EXPECT_EQ(name.error().kind, ErrorKind::kInvalidInput);
  }
}

}  // namespace
}  // namespace weir::connect
