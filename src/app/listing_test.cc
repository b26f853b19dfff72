#include "app/listing.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/display_width.h"

namespace weir::app {
namespace {

std::string Written(const Listing& listing, OutputFormat format, int width = 0) {
  std::ostringstream out;
  WriteListing(listing, format, width, out);
  return out.str();
}

Listing Sample() {
  Listing listing{.columns = {"table", "rows", "last_commit"}, .rows = {}};
  listing.Add({"retail.events", std::int64_t{1'234'567}, Cell()});
  listing.Add({"a", std::int64_t{5}, "2026-09-01T10:00:00Z"});
  return listing;
}

TEST(Listing, TableAlignsTextLeftAndNumbersRight) {
  EXPECT_EQ(Written(Sample(), OutputFormat::kTable),
            "TABLE               ROWS  LAST COMMIT\n"
            "retail.events  1 234 567  -\n"
            "a                      5  2026-09-01T10:00:00Z\n");
}

TEST(Listing, TableCutsTheWidestColumnToTheTerminal) {
  const std::string text = Written(Sample(), OutputFormat::kTable, 40);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(DisplayWidth(line), 40) << line;
  EXPECT_THAT(text, testing::HasSubstr("…"));
  EXPECT_THAT(text, testing::HasSubstr("1 234 567"));
}

TEST(Listing, TableShowsControlCharactersAsText) {
  Listing listing{.columns = {"value"}, .rows = {}};
  listing.Add({"\x1b[31mred\n\xff"});
  const std::string text = Written(listing, OutputFormat::kTable);
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("\x1b")));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST(Listing, JsonKeepsTypesAndIsAlwaysValid) {
  Listing listing = Sample();
  listing.Add({"bad \xff bytes \"quoted\"", std::int64_t{-1}, true});
  const auto parsed = nlohmann::json::parse(Written(listing, OutputFormat::kJson));
  ASSERT_EQ(parsed.size(), 3U);
  EXPECT_EQ(parsed[0]["rows"], 1'234'567);
  EXPECT_TRUE(parsed[0]["last_commit"].is_null());
  EXPECT_EQ(parsed[2]["last_commit"], true);
  EXPECT_THAT(parsed[2]["table"].get<std::string>(), testing::HasSubstr("\"quoted\""));
}

TEST(Listing, EmptyJsonIsAnEmptyArray) {
  EXPECT_EQ(Written({.columns = {"a"}, .rows = {}}, OutputFormat::kJson), "[]\n");
  EXPECT_EQ(Written({.columns = {"a"}, .rows = {}}, OutputFormat::kNdjson), "");
}

TEST(Listing, NdjsonIsAnObjectALine) {
  const std::string text = Written(Sample(), OutputFormat::kNdjson);
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_TRUE(nlohmann::json::parse(line).is_object());
  }
  EXPECT_EQ(count, 2);
}

TEST(Listing, CsvQuotesAndGuardsFormulas) {
  Listing listing{.columns = {"text", "number"}, .rows = {}};
  listing.Add({"a,b \"c\"\nd", std::int64_t{-5}});
  listing.Add({"=SUM(A1)", std::int64_t{0}});
  listing.Add({"@x", Cell()});
  EXPECT_EQ(Written(listing, OutputFormat::kCsv),
            "text,number\n"
            "\"a,b \"\"c\"\"\nd\",-5\n"
            "'=SUM(A1),0\n"
            "'@x,\n");
}

TEST(Listing, PeopleSeeWhatIsMeantForThem) {
  Listing listing{.columns = {"bytes"}, .rows = {}};
  listing.Add({{std::int64_t{3 << 20}, ShowBytes(3 << 20)}});
  EXPECT_EQ(Written(listing, OutputFormat::kTable), "  BYTES\n3.0 MiB\n");
  EXPECT_EQ(Written(listing, OutputFormat::kCsv), "bytes\n3145728\n");
}

TEST(CountOf, KnowsOneFromMany) {
  EXPECT_EQ(CountOf(1, "epoch"), "1 epoch");
  EXPECT_EQ(CountOf(0, "epoch"), "0 epochs");
  EXPECT_EQ(CountOf(1'200, "event"), "1 200 events");
}

TEST(ShowBytes, TakesTheNextUnitAt1024) {
  EXPECT_EQ(ShowBytes(1'023), "1023 B");
  EXPECT_EQ(ShowBytes(1'024), "1.0 KiB");
  EXPECT_EQ(ShowBytes(std::int64_t{5} << 40), "5.0 TiB");
}

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(DisplayWidth("abc"), 3);
  EXPECT_EQ(DisplayWidth("äöü"), 3);
  EXPECT_EQ(DisplayWidth("日本"), 4);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1);
  EXPECT_EQ(DisplayWidth("\xff\xfe"), 2);
}

TEST(CutToWidth, NeverCutsACharacterInTwo) {
  EXPECT_EQ(CutToWidth("abcdef", 6), "abcdef");
  EXPECT_EQ(CutToWidth("abcdef", 4), "abc…");
  EXPECT_EQ(CutToWidth("日本語", 4), "日…");
}

}  // namespace
}  // namespace weir::app
