#include "base/wire.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(WireTest, EveryValueComesBack) {
  WireWriter out;
  const std::uint64_t numbers[] = {0, 1, 127, 128, 16'384, UINT64_MAX};
  const std::int64_t signed_numbers[] = {0, -1, 1, -64, 64, INT64_MIN, INT64_MAX};
  for (auto number : numbers) out.Varint(number);
  for (auto number : signed_numbers) out.Zigzag(number);
  out.Fixed64(0x0123456789ABCDEFULL);
  out.Text("");
  out.Text(std::string_view("a\0b", 3));
  out.Byte(200);

  WireReader in(out.bytes());
  for (auto number : numbers) EXPECT_EQ(in.Varint(), number);
  for (auto number : signed_numbers) EXPECT_EQ(in.Zigzag(), number);
  EXPECT_EQ(in.Fixed64(), 0x0123456789ABCDEFULL);
  EXPECT_EQ(in.Text(), "");
  EXPECT_EQ(in.Text(), std::string_view("a\0b", 3));
  EXPECT_EQ(in.Byte(), 200);
  EXPECT_TRUE(in.ok());
  EXPECT_TRUE(in.at_end());
}

TEST(WireTest, EveryCutIsNoticed) {
  WireWriter out;
  out.Varint(300);
  out.Fixed64(1);
  out.Text("hello");
  for (std::size_t length = 0; length < out.size(); ++length) {
    WireReader in(std::string_view(out.bytes()).substr(0, length));
    in.Varint();
    in.Fixed64();
    in.Text();
    EXPECT_FALSE(in.ok()) << length;
    EXPECT_EQ(in.Varint(), 0U) << "reads after a wrong one give nothing";
  }
}

TEST(WireTest, OverlongNumbersAndLengthsAreRefused) {
  WireReader eleven_bytes(std::string_view("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 11));
  eleven_bytes.Varint();
  EXPECT_FALSE(eleven_bytes.ok());
  WireWriter out;
  out.Varint(std::numeric_limits<std::uint64_t>::max());
  WireReader length(out.bytes());
  EXPECT_EQ(length.Text(), "");
  EXPECT_FALSE(length.ok());
}

}  // namespace
}  // namespace weir
