#include "record/rejection.h"

#include <set>

#include <gtest/gtest.h>

#include "record/offsets.h"

namespace weir {
namespace {

// The spellings stand in tables that users query, so they are pinned here.
TEST(Rejection, ReasonsKeepTheirSpelling) {
  EXPECT_EQ(ToString(RejectReason::kMalformed), "malformed");
  EXPECT_EQ(ToString(RejectReason::kTrailingData), "trailing_data");
  EXPECT_EQ(ToString(RejectReason::kTooDeep), "too_deep");
  EXPECT_EQ(ToString(RejectReason::kInvalidUtf8), "invalid_utf8");
  EXPECT_EQ(ToString(RejectReason::kWrongType), "wrong_type");
  EXPECT_EQ(ToString(RejectReason::kOutOfRange), "out_of_range");
  EXPECT_EQ(ToString(RejectReason::kScaleLoss), "scale_loss");
  EXPECT_EQ(ToString(RejectReason::kBadTimestamp), "bad_timestamp");
  EXPECT_EQ(ToString(RejectReason::kNoZone), "no_zone");
  EXPECT_EQ(ToString(RejectReason::kMissingForType), "missing_for_type");
  EXPECT_EQ(ToString(RejectReason::kEventFromFuture), "event_from_future");
}

TEST(Rejection, EveryReasonHasItsOwnName) {
  std::set<std::string_view> names;
  const int last = static_cast<int>(RejectReason::kEventFromFuture);
  for (int i = 0; i <= last; ++i) names.insert(ToString(static_cast<RejectReason>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(last) + 1);
}

TEST(Position, ComparesTheClaimFirst) {
  EXPECT_LT((Position{1, 9}), (Position{2, 0}));
  EXPECT_EQ(ToString(Position{3, 17}), "(3, 17)");
}

}  // namespace
}  // namespace weir
