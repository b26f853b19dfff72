#include "state/state_object.h"

#include <gtest/gtest.h>

namespace weir::state {
namespace {

std::vector<StateSection> SomeSections() {
  return {{.partition = Partition(3), .base = true, .parts = {{"dedupe", std::string("\0\1", 2)}}},
          {.partition = Partition(0), .base = false, .parts = {{"dedupe", ""}, {"sessions", "s"}}},
          {.partition = std::nullopt, .base = false, .parts = {{"windows gold.x", "w"}}}};
}

TEST(StateObjectTest, SurvivesEncoding) {
  auto read = DecodeState(EncodeState(SomeSections()));
  ASSERT_TRUE(read) << read.error().ToString();
  ASSERT_EQ(read->size(), 3U);
  EXPECT_EQ(read->at(0).partition, Partition(3));
  EXPECT_TRUE(read->at(0).base);
  EXPECT_EQ(read->at(0).parts.at("dedupe"), std::string("\0\1", 2));
  EXPECT_FALSE(read->at(1).base);
  EXPECT_EQ(read->at(1).parts.size(), 2U);
  EXPECT_FALSE(read->at(2).partition.has_value());
  EXPECT_EQ(DecodeState(EncodeState({}))->size(), 0U);
}

TEST(StateObjectTest, EveryFlippedBitAndEveryCutIsNoticed) {
  const std::string good = EncodeState(SomeSections());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    auto read = DecodeState(bad);
    ASSERT_FALSE(read) << i;
    EXPECT_EQ(read.error().code, ErrorCode::kStateCorrupt);
    EXPECT_FALSE(DecodeState(good.substr(0, i))) << i;
  }
}

}  // namespace
}  // namespace weir::state
