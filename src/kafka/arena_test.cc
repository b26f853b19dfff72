#include "kafka/arena.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace weir::kafka {
namespace {

TEST(Arena, KeepsWhatItTookUntilItIsCleared) {
  Arena arena;
  std::vector<std::string> texts;
  std::vector<std::string_view> views;
  for (std::size_t i = 0; i < 3000; ++i) {
    texts.emplace_back(i * 7 % 2000, static_cast<char>('a' + i % 26));
    views.push_back(arena.Copy(texts.back().data(), texts.back().size()));
  }
  texts.emplace_back(5U << 20, 'z');  // larger than a block
  views.push_back(arena.Copy(texts.back().data(), texts.back().size()));
  for (std::size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(views[i], texts[i]) << i;
}

TEST(Arena, GivesAlignedRoom) {
  Arena arena;
  for (std::size_t n : {1, 3, 8, 13, 100}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena.Allocate(n)) % 8, 0U);
  }
}

TEST(Arena, GrowsNoFurtherWhenReused) {
  Arena arena;
  for (int i = 0; i < 100; ++i) arena.Allocate(100'000);
  const std::size_t capacity = arena.capacity();
  for (int round = 0; round < 5; ++round) {
    arena.Clear();
    for (int i = 0; i < 100; ++i) arena.Allocate(100'000);
  }
  EXPECT_EQ(arena.capacity(), capacity);
}

TEST(ArenaPool, HandsOutReturnedArenasAgain) {
  ArenaPool pool;
  auto first = pool.Take();
  first->Allocate(10);
  const Arena* address = first.get();
  first.reset();
  EXPECT_EQ(pool.Take().get(), address);
}

TEST(ArenaPool, MayDieBeforeItsArenas) {
  std::shared_ptr<Arena> arena;
  {
    ArenaPool pool;
    arena = pool.Take();
  }
  EXPECT_EQ(arena->Copy("still here", 10), "still here");
}

}  // namespace
}  // namespace weir::kafka
