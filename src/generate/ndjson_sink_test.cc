#include "generate/ndjson_sink.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::generate {
namespace {

connect::OutgoingRecord Record(std::optional<std::string_view> value) {
  connect::OutgoingRecord record;
  record.key = "k\"1";
  record.value = value;
  record.timestamp_ms = 5;
  return record;
}

TEST(NdjsonSink, WritesValuesAsTheyAre) {
  std::ostringstream out;
  NdjsonSink sink(out, "out", LineForm::kValue);
  ASSERT_TRUE(sink.Produce(Record(R"({"a":"\u0001"})")));
  ASSERT_TRUE(sink.Produce(Record("\xff")));
  ASSERT_TRUE(sink.Flush());
  EXPECT_EQ(out.str(), "{\"a\":\"\\u0001\"}\n\xff\n");
}

TEST(NdjsonSink, EnvelopeKeepsEveryByte) {
  std::ostringstream out;
  NdjsonSink sink(out, "out", LineForm::kEnvelope);
  connect::OutgoingRecord record = Record("a\n\"\\é");
  record.partition = Partition(3);
  ASSERT_TRUE(sink.Produce(record));
  ASSERT_TRUE(sink.Produce(Record("\xff\x01")));
  ASSERT_TRUE(sink.Produce(Record(std::nullopt)));
  EXPECT_EQ(out.str(),
            "{\"timestamp\":5,\"partition\":3,\"key\":\"k\\\"1\",\"value\":\"a\\u000a\\\"\\\\é\"}\n"
            "{\"timestamp\":5,\"key\":\"k\\\"1\",\"value_b64\":\"/wE=\"}\n"
            "{\"timestamp\":5,\"key\":\"k\\\"1\",\"value\":null}\n");
}

TEST(NdjsonSink, RefusesWhatALineCannotHold) {
  std::ostringstream out;
  NdjsonSink sink(out, "events.ndjson", LineForm::kValue);
  for (const auto& value :
       {std::optional<std::string_view>(), std::optional<std::string_view>("a\nb")}) {
    const Status status = sink.Produce(Record(value));
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kUsage);
    EXPECT_THAT(status.error().message, ::testing::HasSubstr("events.ndjson"));
  }
  EXPECT_EQ(out.str(), "");
}

TEST(NdjsonSink, SaysWhenTheStreamFails) {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  NdjsonSink sink(out, "out", LineForm::kValue);
  EXPECT_EQ(sink.Produce(Record("{}")).error().code, ErrorCode::kProduceFailed);
  EXPECT_EQ(sink.Flush().error().code, ErrorCode::kProduceFailed);
}

}  // namespace
}  // namespace weir::generate
