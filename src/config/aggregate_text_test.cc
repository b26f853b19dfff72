#include "config/aggregate_text.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::config {
namespace {

using testing::HasSubstr;

TEST(AggregateTextTest, ReadsWhatItWrites) {
  for (const char* text :
       {"count", "count_distinct(user_id)", "sum(price)", "min(at)", "max(a b)", "avg(quantity)"}) {
    const Result<Aggregate> aggregate = ParseAggregate(text);
    ASSERT_TRUE(aggregate) << aggregate.error().message;
    EXPECT_EQ(ToString(*aggregate), text);
    EXPECT_TRUE(aggregate->name.empty());
  }
}

TEST(AggregateTextTest, SpacesAndTheStarAreFine) {
  EXPECT_EQ(ToString(ParseAggregate(" sum ( price ) ").value()), "sum(price)");
  EXPECT_EQ(ToString(ParseAggregate("count(*)").value()), "count");
}

TEST(AggregateTextTest, SaysWhatIsWrong) {
  const auto message = [](const char* text) {
    const Result<Aggregate> aggregate = ParseAggregate(text);
    return aggregate ? std::string() : aggregate.error().message;
  };
  EXPECT_THAT(message("summ(price)"), HasSubstr("did you mean `sum`?"));
  EXPECT_THAT(message(""), HasSubstr("is no aggregate"));
  EXPECT_THAT(message("sum(price"), HasSubstr("lacks the closing"));
  EXPECT_THAT(message("sum"), HasSubstr("write sum(column)"));
  EXPECT_THAT(message("sum()"), HasSubstr("write sum(column)"));
  EXPECT_THAT(message("count(user_id)"), HasSubstr("count_distinct(column)"));
  EXPECT_THAT(message("count()"), HasSubstr("write count"));
}

}  // namespace
}  // namespace weir::config
