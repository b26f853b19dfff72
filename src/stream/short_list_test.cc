#include "stream/short_list.h"

#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::stream {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

using List = ShortList<int, 3>;

[[gnu::noinline]] List ListOf(int n) {
  List list;
  for (int i = 1; i <= n; ++i) list.push_back(i);
  return list;
}

// Not inlined: GCC 12 would warn of lists that cannot be.
[[gnu::noinline]] void Push(int value, List& list) { list.push_back(value); }

TEST(ShortList, KeepsTheFirstFewInside) {
  EXPECT_THAT(List(), IsEmpty());
  const List list = ListOf(3);
  EXPECT_THAT(list, ElementsAre(1, 2, 3));
  EXPECT_EQ(list.heap_bytes(), 0U);
}

TEST(ShortList, GrowsBeyondThem) {
  const List list = ListOf(50);
  std::vector<int> expected;
  for (int i = 1; i <= 50; ++i) expected.push_back(i);
  EXPECT_THAT(list, ElementsAreArray(expected));
  EXPECT_EQ(list[49], 50);
  EXPECT_GE(list.heap_bytes(), 50 * sizeof(int));
}

TEST(ShortList, CopiesAreTheirOwn) {
  for (const int size : {2, 9}) {
    List list = ListOf(size);
    List copy(list);
    copy[0] = 100;
    EXPECT_EQ(list[0], 1);
    copy = list;
    EXPECT_EQ(copy.size(), list.size());
    EXPECT_EQ(copy[0], 1);
    const List& same = copy;
    copy = same;  // itself
    EXPECT_EQ(copy.size(), list.size());
  }
}

TEST(ShortList, WhatWasMovedFromIsEmptyAndOfUse) {
  for (const int size : {2, 9}) {
    List list = ListOf(size);
    List moved(std::move(list));
    EXPECT_EQ(moved.size(), static_cast<std::size_t>(size));
    EXPECT_EQ(moved[1], 2);
    list = ListOf(0);
    Push(5, list);
    EXPECT_THAT(list, ElementsAre(5));
  }
}

TEST(ShortList, AShortOneTakesTheRoomOfALongOne) {
  List list = ListOf(9);
  list = ListOf(2);
  EXPECT_THAT(list, ElementsAre(1, 2));
  for (int i = 3; i <= 20; ++i) Push(i, list);
  EXPECT_EQ(list.size(), 20U);
  EXPECT_EQ(list[19], 20);
}

TEST(ShortList, TruncateAndClearKeepTheRoom) {
  List list = ListOf(9);
  const std::size_t room = list.heap_bytes();
  list.Truncate(2);
  EXPECT_THAT(list, ElementsAre(1, 2));
  list.clear();
  EXPECT_TRUE(list.empty());
  Push(8, list);
  EXPECT_THAT(list, ElementsAre(8));
  EXPECT_EQ(list.heap_bytes(), room);
}

TEST(ShortList, FromASpan) {
  const std::vector<int> values = {4, 5, 6, 7};
  EXPECT_THAT(List(std::span<const int>(values)), ElementsAreArray(values));
}

}  // namespace
}  // namespace weir::stream
