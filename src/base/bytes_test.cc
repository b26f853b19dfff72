#include "base/bytes.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace weir {
namespace {

using namespace std::string_literals;

TEST(Hex, EncodesAndDecodes) {
  EXPECT_EQ(HexEncode("\x00\x7f\xff"s), "007fff");
  EXPECT_EQ(HexDecode("007fff"), "\x00\x7f\xff"s);
  EXPECT_EQ(HexDecode("aBcD"), "\xab\xcd");
  EXPECT_EQ(HexDecode(""), "");
}

TEST(Hex, RefusesWhatIsNotHex) {
  EXPECT_EQ(HexDecode("abc"), std::nullopt);
  EXPECT_EQ(HexDecode("0g"), std::nullopt);
  EXPECT_EQ(HexDecode("0x"), std::nullopt);
  EXPECT_EQ(HexDecode("\xc3\xa4"), std::nullopt);
}

TEST(Base64, EncodesTheVectorsOfRfc4648) {
  EXPECT_EQ(Base64Encode(""), "");
  EXPECT_EQ(Base64Encode("f"), "Zg==");
  EXPECT_EQ(Base64Encode("fo"), "Zm8=");
  EXPECT_EQ(Base64Encode("foo"), "Zm9v");
  EXPECT_EQ(Base64Encode("foob"), "Zm9vYg==");
  EXPECT_EQ(Base64Encode("fooba"), "Zm9vYmE=");
  EXPECT_EQ(Base64Encode("foobar"), "Zm9vYmFy");
  EXPECT_EQ(Base64Encode("\xfb\xff\xfe"), "+//+");
}

TEST(Base64, DecodesWhatItEncodes) {
  Random random(1);
  for (std::size_t size = 0; size < 200; ++size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(random.Below(256));
    EXPECT_EQ(Base64Decode(Base64Encode(bytes)), bytes);
  }
}

TEST(Base64, RefusesEverythingButTheOneForm) {
  for (const std::string_view text : {"Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Zm9v\n", "Zm9-",
                                      "Zh==", "Zm9=", " Zg=", "Zm=v"}) {
    EXPECT_EQ(Base64Decode(text), std::nullopt) << text;
  }
}

TEST(Sha256, KnowsTheVectorsOfFips180) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Crc32, KnowsTheCheckValue) {
  EXPECT_EQ(Crc32("123456789"), 0xcbf43926U);
  EXPECT_EQ(Crc32(""), 0U);
  EXPECT_NE(Crc32("\0"s), Crc32("\0\0"s));
}

TEST(Utf8, AcceptsWhatIsValid) {
  for (const std::string_view text :
       {"", "plain text that is longer than eight bytes", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80",
        "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
        "eight by\xe2\x82\xac then more"}) {
    EXPECT_TRUE(IsValidUtf8(text)) << HexEncode(text);
  }
  EXPECT_TRUE(IsValidUtf8("\0"s));
}

TEST(Utf8, RefusesOverlongFormsSurrogatesAndPieces) {
  for (const std::string_view text : {"\x80",
                                      "\xbf",
                                      "\xc0\xaf",
                                      "\xc1\xbf",
                                      "\xe0\x80\xaf",
                                      "\xe0\x9f\xbf",
                                      "\xed\xa0\x80",
                                      "\xed\xbf\xbf",
                                      "\xf0\x80\x80\xaf",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xfe",
                                      "\xff",
                                      "\xc3",
                                      "\xe2\x82",
                                      "\xf0\x9f\x98",
                                      "\xc3(",
                                      "\xe2\x28\xa1",
                                      "\xe2\x82\x28",
                                      "12345678\xff",
                                      "1234567\xc3"}) {
    EXPECT_FALSE(IsValidUtf8(text)) << HexEncode(text);
  }
}

TEST(Printable, LeavesPlainTextAlone) {
  EXPECT_EQ(Printable("Grüße, 世界 \"quoted\""), "Grüße, 世界 \"quoted\"");
  EXPECT_EQ(Printable(""), "");
}

TEST(Printable, ShowsWhatATerminalWouldActOn) {
  EXPECT_EQ(Printable("a\nb\tc\r\x1b[31mred\x7f"), "a\\x0ab\\x09c\\x0d\\x1b[31mred\\x7f");
  EXPECT_EQ(Printable("nul\0!"s), "nul\\x00!");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");  // one-byte CSI
  EXPECT_EQ(Printable(std::string("a") + '\xe2' + "\x80\xae" + 'b'),
            "a\\xe2\\x80\\xaeb");  // right-to-left override
  EXPECT_EQ(Printable("a\xe2\x80\xa8"
                      "b"),
            "a\\xe2\\x80\\xa8b");  // line separator
  EXPECT_EQ(Printable(std::string("a") + '\xe2' + "\x81\xa6" + 'b'),
            "a\\xe2\\x81\\xa6b");                        // isolate
  EXPECT_EQ(Printable("\xe2\x80\xa6"), "\xe2\x80\xa6");  // an ellipsis is fine
}

TEST(Printable, ShowsInvalidUtf8ByteByByte) {
  EXPECT_EQ(Printable("a\xff\xc3(z"), "a\\xff\\xc3(z");
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
}

TEST(Printable, CutsBetweenCharacters) {
  EXPECT_EQ(Printable("abcdef", 6), "abcdef");
  EXPECT_EQ(Printable("abcdefg", 6), "abcdef...");
  EXPECT_EQ(Printable("abcd€", 6), "abcd...");
  EXPECT_EQ(Printable("ab\n\n", 6), "ab\\x0a...");
  EXPECT_EQ(Printable(std::string(1 << 20, '\n')).size(), 203U);
}

TEST(EditDistance, CountsChangesAndSwaps) {
  EXPECT_EQ(EditDistance("", ""), 0U);
  EXPECT_EQ(EditDistance("", "abc"), 3U);
  EXPECT_EQ(EditDistance("abc", ""), 3U);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3U);
  EXPECT_EQ(EditDistance("partiton", "partition"), 1U);
  EXPECT_EQ(EditDistance("tpoic", "topic"), 1U);
  EXPECT_EQ(EditDistance("ca", "abc"), 3U);
}

}  // namespace
}  // namespace weir
