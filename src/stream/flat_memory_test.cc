#include "stream/flat_memory.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace weir::stream {
namespace {

void Fill(const FlatMemory& memory, std::uint8_t value) {
  std::memset(memory.data(), value, memory.bytes());
}

bool IsFilled(const FlatMemory& memory, std::uint8_t value) {
  // Every byte equals its neighbour and the first one the value.
  return memory.data()[0] == std::byte{value} &&
         std::memcmp(memory.data(), memory.data() + 1, memory.bytes() - 1) == 0;
}

bool IsZero(const FlatMemory& memory) { return IsFilled(memory, 0); }

TEST(FlatMemory, IsZeroedAndAlignedWhateverItsSize) {
  FlatArena arena;
  for (const std::size_t bytes :
       {1U, 63U, 64U, 4'096U, 16'384U, 100'000U, 5'000'000U, 70'000'000U}) {
    const FlatMemory memory(bytes, arena);
    ASSERT_EQ(memory.bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 64, 0U) << bytes;
    EXPECT_TRUE(IsZero(memory)) << bytes;
    Fill(memory, 0xA5);  // what comes next must not see it
  }
}

TEST(FlatMemory, OfNothingIsEmpty) {
  FlatArena arena;
  const FlatMemory memory(0, arena);
  EXPECT_EQ(memory.data(), nullptr);
  EXPECT_EQ(memory.bytes(), 0U);
}

TEST(FlatMemory, MovesWithItsBytes) {
  FlatArena arena;
  FlatMemory first(20'000, arena);
  Fill(first, 7);
  FlatMemory second(std::move(first));
  EXPECT_TRUE(IsFilled(second, 7));
  FlatMemory third;
  third = std::move(second);
  EXPECT_EQ(third.bytes(), 20'000U);
  EXPECT_TRUE(IsFilled(third, 7));
}

TEST(FlatArena, GivesABlockThatWasGivenBackAgain) {
  FlatArena arena;
  std::byte* const first = arena.Take(1 << 20);
  std::byte* const behind = arena.Take(1 << 20);
  std::memset(first, 1, 1 << 20);
  arena.Give(first, 1 << 20);
  std::byte* const again = arena.Take(1 << 20);
  EXPECT_EQ(again, first);
  EXPECT_TRUE(std::all_of(again, again + (1 << 20), [](std::byte b) { return b == std::byte{0}; }));
  arena.Give(again, 1 << 20);
  arena.Give(behind, 1 << 20);
}

TEST(FlatArena, JoinsNeighboursThatAreFree) {
  FlatArena arena;
  std::byte* const first = arena.Take(1 << 20);
  std::byte* const second = arena.Take(1 << 20);
  arena.Give(first, 1 << 20);
  arena.Give(second, 1 << 20);
  EXPECT_EQ(arena.Take(2 << 20), std::min(first, second));
}

// Blocks of any size that come and go: none may overlap another, and each comes zeroed.
TEST(FlatArena, BlocksNeverOverlap) {
  FlatArena arena;
  Random random(11);
  std::vector<std::pair<FlatMemory, std::uint8_t>> blocks;
  for (int step = 0; step < 600; ++step) {
    if (blocks.size() < 40 && (blocks.empty() || random.Chance(0.6))) {
      const auto mark = static_cast<std::uint8_t>(1 + step % 250);
      blocks.emplace_back(FlatMemory(16'384 + random.Below(3'000'000), arena), mark);
      ASSERT_TRUE(IsZero(blocks.back().first)) << step;
      Fill(blocks.back().first, mark);
    } else {
      const std::size_t at = random.Below(blocks.size());
      ASSERT_TRUE(IsFilled(blocks[at].first, blocks[at].second)) << step;
      std::swap(blocks[at], blocks.back());
      blocks.pop_back();
    }
  }
}

}  // namespace
}  // namespace weir::stream
