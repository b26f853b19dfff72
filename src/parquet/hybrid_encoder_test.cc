#include "parquet/hybrid_encoder.h"

#include <bit>
#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace weir::parquet {
namespace {

using testing::ElementsAre;

// An independent reader of the format.
std::vector<std::uint32_t> Decode(const Buffer<std::uint8_t>& bytes, std::size_t n, int width) {
  std::vector<std::uint32_t> values;
  std::size_t at = 0;
  const auto bit = [&](std::size_t from, std::size_t i) {
    return static_cast<std::uint32_t>(bytes[from + i / 8] >> (i % 8) & 1);
  };
  while (values.size() < n) {
    std::uint64_t header = 0;
    int shift = 0;
    do {
      header |= static_cast<std::uint64_t>(bytes[at] & 0x7f) << shift;
      shift += 7;
    } while (bytes[at++] & 0x80);
    const std::size_t w = static_cast<std::size_t>(width);
    if (header & 1) {
      const std::size_t count = (header >> 1) * 8;
      for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t value = 0;
        for (std::size_t b = 0; b < w; ++b) value |= bit(at, i * w + b) << b;
        values.push_back(value);
      }
      at += (header >> 1) * w;
    } else {
      std::uint32_t value = 0;
      std::memcpy(&value, &bytes[at], (w + 7) / 8);
      values.insert(values.end(), header >> 1, value);
      at += (w + 7) / 8;
    }
  }
  EXPECT_EQ(at, bytes.size());
  for (std::size_t i = n; i < values.size(); ++i) EXPECT_EQ(values[i], 0U) << "padding";
  values.resize(n);
  return values;
}

std::vector<std::uint8_t> Bytes(const Buffer<std::uint8_t>& buffer) {
  return {buffer.begin(), buffer.end()};
}

TEST(HybridEncoder, PacksLowestBitsFirst) {
  const std::vector<std::uint32_t> values{0, 1, 2, 3, 4, 5, 6, 7};
  Buffer<std::uint8_t> out;
  AppendHybrid(values.data(), values.size(), 3, out);
  // The example of the format's own description.
  EXPECT_THAT(Bytes(out), ElementsAre(0x03, 0x88, 0xc6, 0xfa));
}

TEST(HybridEncoder, WritesLongRepetitionsAsRuns) {
  const std::vector<std::uint32_t> values(100, 5);
  Buffer<std::uint8_t> out;
  AppendHybrid(values.data(), values.size(), 3, out);
  EXPECT_THAT(Bytes(out), ElementsAre(0xc8, 0x01, 0x05));
}

TEST(HybridEncoder, FillsTheLastGroupWithZeros) {
  const std::vector<std::uint32_t> values{1, 1, 1};
  Buffer<std::uint8_t> out;
  AppendHybrid(values.data(), values.size(), 1, out);
  EXPECT_THAT(Bytes(out), ElementsAre(0x03, 0x07));
}

TEST(HybridEncoder, ReadsBackForEveryWidth) {
  Random random(1);
  for (int width = 1; width <= 32; ++width) {
    for (const std::size_t n : {1, 7, 8, 9, 503, 504, 505, 4000}) {
      std::vector<std::uint32_t> values(n);
      const std::uint64_t bound = std::uint64_t{1} << width;
      for (std::size_t i = 0; i < n;) {
        // A mix of single values and runs of all lengths.
        const auto value = static_cast<std::uint32_t>(random.Below(bound));
        const std::size_t run = random.Chance(0.2) ? random.Below(80) : 1;
        for (std::size_t j = 0; j <= run && i < n; ++j) values[i++] = value;
      }
      Buffer<std::uint8_t> out;
      AppendHybrid(values.data(), n, width, out);
      EXPECT_EQ(Decode(out, n, width), values) << width << " bits, " << n << " values";
    }
  }
}

TEST(HybridEncoder, ReadsBackLevels) {
  Random random(2);
  std::vector<std::uint8_t> levels(3000);
  for (auto& level : levels) level = static_cast<std::uint8_t>(random.Below(4));
  std::fill(levels.begin() + 1000, levels.begin() + 2000, std::uint8_t{3});
  Buffer<std::uint8_t> out;
  AppendHybrid(levels.data(), levels.size(), 2, out);
  EXPECT_EQ(Decode(out, levels.size(), 2),
            std::vector<std::uint32_t>(levels.begin(), levels.end()));
}

TEST(HybridEncoder, TakesBitsFromWords) {
  Random random(3);
  std::vector<std::uint64_t> words(64);
  for (auto& word : words) word = random.Next();
  for (const auto& [first, n] : {std::pair<std::size_t, std::size_t>{0, 1},
                                 {8, 63},
                                 {64, 504},
                                 {128, 505},
                                 {0, 4096},
                                 {64, 1001}}) {
    std::vector<std::uint32_t> expected;
    for (std::size_t i = first; i < first + n; ++i) {
      expected.push_back(static_cast<std::uint32_t>(words[i / 64] >> (i % 64) & 1));
    }
    Buffer<std::uint8_t> out;
    AppendHybridBits(words.data(), first, n, out);
    EXPECT_EQ(Decode(out, n, 1), expected) << first << " " << n;
  }
}

TEST(BitWidth, HoldsTheHighestValue) {
  EXPECT_EQ(BitWidth(0), 1);
  EXPECT_EQ(BitWidth(1), 1);
  EXPECT_EQ(BitWidth(2), 2);
  EXPECT_EQ(BitWidth(255), 8);
  EXPECT_EQ(BitWidth(256), 9);
  EXPECT_EQ(BitWidth(0xffffffff), 32);
}

}  // namespace
}  // namespace weir::parquet
