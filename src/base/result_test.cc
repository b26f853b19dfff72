#include "base/result.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace weir {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) return InvalidInput("odd", ErrorCode::kBadValue);
  return value / 2;
}

Result<int> Quarter(int value) {
  WEIR_ASSIGN_OR_RETURN(const int half, Half(value));
  WEIR_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

Status CheckEven(int value) {
  WEIR_TRY(Half(value));
  return Ok();
}

TEST(Result, CarriesAValueOrAnError) {
  const Result<int> good = Half(4);
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 2);
  const Result<int> bad = Half(3);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().kind, ErrorKind::kInvalidInput);
  EXPECT_EQ(bad.error().code, ErrorCode::kBadValue);
}

TEST(Result, MacrosPassTheErrorOn) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(6).error().message, "odd");
  EXPECT_TRUE(CheckEven(2).ok());
  EXPECT_EQ(CheckEven(1).error().message, "odd");
}

TEST(Result, HoldsWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 5);
}

TEST(Result, WhatATemporaryGivesOutlivesIt) {
  const auto make = []() -> Result<std::vector<int>> { return std::vector<int>{1, 2, 3}; };
  int sum = 0;
  for (const int value : *make()) sum += value;
  EXPECT_EQ(sum, 6);
}

TEST(Result, TakesWhatConvertsToItsValue) {
  struct Base {
    virtual ~Base() = default;
  };
  struct Derived : Base {};
  const auto make = []() -> Result<std::unique_ptr<Base>> { return std::make_unique<Derived>(); };
  EXPECT_NE(*make(), nullptr);
  const auto text = []() -> Result<std::string> { return "literal"; };
  EXPECT_EQ(*text(), "literal");
}

TEST(Error, OneLineSaysCodeContextAndRemedy) {
  Error error = Refused("pid 12 holds it", ErrorCode::kStateLocked);
  error = WithContext(std::move(error), "./state");
  error = WithRemedy(std::move(error), "stop that process");
  EXPECT_EQ(error.ToString(), "[WEIR0211] ./state: pid 12 holds it; stop that process");
  EXPECT_EQ(Cancelled("stop was asked for").ToString(), "stop was asked for");
}

TEST(Error, EachMakerSetsItsKind) {
  EXPECT_EQ(NotFound("").kind, ErrorKind::kNotFound);
  EXPECT_EQ(Conflict("").kind, ErrorKind::kConflict);
  EXPECT_EQ(CommitUnknown("").kind, ErrorKind::kCommitUnknown);
  EXPECT_EQ(Unavailable("").kind, ErrorKind::kUnavailable);
  EXPECT_EQ(Corrupt("").kind, ErrorKind::kCorrupt);
  EXPECT_EQ(Unsupported("").kind, ErrorKind::kUnsupported);
  EXPECT_EQ(Refused("").kind, ErrorKind::kRefused);
  EXPECT_EQ(Internal("").kind, ErrorKind::kInternal);
  EXPECT_EQ(Internal("").code, ErrorCode::kInternalError);
  EXPECT_EQ(ToString(ErrorKind::kCommitUnknown), "commit unknown");
}

}  // namespace
}  // namespace weir
