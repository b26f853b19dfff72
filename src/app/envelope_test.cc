#include "app/envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::app {
namespace {

using testing::HasSubstr;

Envelope Parsed(std::string_view line) {
  auto envelope = ParseEnvelope(line);
  EXPECT_TRUE(envelope) << envelope.error().ToString();
  return envelope ? *envelope : Envelope();
}

TEST(Envelope, NeedsOnlyAValue) {
  const Envelope envelope = Parsed(R"({"value":"v"})");
  EXPECT_EQ(envelope.value, "v");
  EXPECT_FALSE(envelope.key);
  EXPECT_FALSE(envelope.partition);
  EXPECT_EQ(envelope.timestamp_ms, -1);
}

TEST(Envelope, NullIsATombstoneAndEmptyIsNot) {
  EXPECT_FALSE(Parsed(R"({"key":"k","value":null})").value);
  EXPECT_EQ(Parsed(R"({"value":""})").value, "");
}

TEST(Envelope, TakesHeadersAsListOrObject) {
  for (const char* line :
       {R"({"value":"v","headers":[{"name":"a","value":"1"},{"name":"b","value":null}]})",
        R"({"value":"v","headers":{"a":"1","b":null}})"}) {
    const Envelope envelope = Parsed(line);
    ASSERT_EQ(envelope.headers.size(), 2U);
    EXPECT_EQ(envelope.headers[0].value, "1");
    EXPECT_FALSE(envelope.headers[1].value);
  }
}

TEST(Envelope, TakesTimesAsNumberOrText) {
  EXPECT_EQ(Parsed(R"({"value":"v","timestamp":1500})").timestamp_ms, 1'500);
  EXPECT_EQ(Parsed(R"({"value":"v","timestamp":"1970-01-01T00:00:01.500Z"})").timestamp_ms, 1'500);
}

TEST(Envelope, EveryRecordComesBackByteForByte) {
  const std::string every_byte = [] {
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
    return bytes;
  }();
  for (const std::string& bytes :
       {std::string(), std::string("plain"), std::string("nul\0in", 6), std::string("line\r\nfeed"),
        std::string("\xed\xa0\x80 lone surrogate"), std::string("\xc0\x80 overlong"), every_byte,
        std::string("\"\\/\x7f ü 日本 \xf0\x9f\x98\x80")}) {
    const std::vector<RecordHeader> headers{{"h\xff", bytes}, {"none", std::nullopt}};
    LogRecord record;
    record.partition = Partition(3);
    record.offset = Offset(77);
    record.timestamp_ms = 1'764'500'000'123;
    record.key = bytes;
    record.value = bytes;
    record.headers = headers;
    const std::string line = EnvelopeLine(record);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const Envelope envelope = Parsed(line);
    EXPECT_EQ(envelope.key, bytes);
    EXPECT_EQ(envelope.value, bytes);
    EXPECT_EQ(envelope.partition, Partition(3));
    EXPECT_EQ(envelope.timestamp_ms, record.timestamp_ms);
    ASSERT_EQ(envelope.headers.size(), 2U);
    EXPECT_EQ(envelope.headers[0].name, "h\xff");
    EXPECT_EQ(envelope.headers[0].value, bytes);
    EXPECT_FALSE(envelope.headers[1].value);
  }
}

TEST(Envelope, RefusesWhatIsNone) {
  for (const auto& [line, why] : std::vector<std::pair<std::string, std::string>>{
           {"", "no JSON object"},
           {"[1]", "no JSON object"},
           {R"({"key":"k"})", "`value` is missing"},
           {R"({"value":1})", "`value` is no text"},
           {R"({"value":"a","value_b64":"YQ=="})", "exclude each other"},
           {R"({"value_b64":"%%"})", "no base64"},
           {R"({"value":"v","partition":-1})", "`partition`"},
           {R"({"value":"v","partition":1.5})", "`partition`"},
           {R"({"value":"v","partition":18446744073709551615})", "`partition`"},
           {R"({"value":"v","timestamp":"yesterday"})", "`timestamp`"},
           {R"({"value":"v","headers":"x"})", "`headers`"},
           {R"({"value":"v","vlaue":"x"})", "has no `vlaue`"}}) {
    auto envelope = ParseEnvelope(line);
    ASSERT_FALSE(envelope) << line;
    EXPECT_EQ(envelope.error().code, ErrorCode::kBadEnvelope);
    EXPECT_THAT(envelope.error().message, HasSubstr(why)) << line;
  }
}

}  // namespace
}  // namespace weir::app
