#include "spool/segment.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace weir::spool {
namespace {

using connect::OutgoingRecord;

std::shared_ptr<const Segment> Make(Offset first, const std::vector<OutgoingRecord>& records) {
  SegmentBuilder builder;
  for (const OutgoingRecord& record : records) builder.Add(record, record.timestamp_ms);
  auto segment = std::make_shared<Segment>();
  segment->first = first;
  segment->content = builder.Take();
  return segment;
}

// All records, or fewer when the payload is damaged.
std::vector<LogRecord> ReadAll(const std::shared_ptr<const Segment>& segment,
                               HeaderArena& headers) {
  std::vector<LogRecord> records;
  SegmentCursor cursor(Partition(3), segment);
  LogRecord record;
  while (!cursor.done() && cursor.Read(record, headers)) records.push_back(record);
  return records;
}

TEST(Segment, RecordsComeBackAsTheyWere) {
  const std::string bytes("\0\xff\n", 3);
  const auto segment =
      Make(Offset(100),
           {{.partition = {},
             .key = "k",
             .value = "v",
             .timestamp_ms = 1'700'000'000'000,
             .headers = {{"trace", "1"}, {"", ""}, {"null", std::nullopt}}},
            {.partition = {}, .key = {}, .value = bytes, .timestamp_ms = 0, .headers = {}},
            {.partition = {}, .key = "", .value = {}, .timestamp_ms = INT64_MAX, .headers = {}},
            {.partition = {}, .key = {}, .value = "", .timestamp_ms = 5, .headers = {}}});
  HeaderArena headers;
  const auto records = ReadAll(segment, headers);
  ASSERT_EQ(records.size(), 4U);
  EXPECT_EQ(records[0].partition, Partition(3));
  EXPECT_EQ(records[0].offset, Offset(100));
  EXPECT_EQ(records[0].timestamp_ms, 1'700'000'000'000);
  EXPECT_EQ(records[0].timestamp_type, TimestampType::kCreate);
  EXPECT_EQ(records[0].key, "k");
  EXPECT_EQ(records[0].value, "v");
  ASSERT_EQ(records[0].headers.size(), 3U);
  EXPECT_EQ(records[0].headers[0].name, "trace");
  EXPECT_EQ(records[0].headers[0].value, "1");
  EXPECT_EQ(records[0].headers[1].value, "");
  EXPECT_EQ(records[0].headers[2].value, std::nullopt);
  EXPECT_EQ(records[1].key, std::nullopt);
  EXPECT_EQ(records[1].value, bytes);
  EXPECT_EQ(records[1].timestamp_ms, 0);
  EXPECT_EQ(records[2].key, "");
  EXPECT_EQ(records[2].value, std::nullopt);
  EXPECT_EQ(records[2].timestamp_ms, INT64_MAX);
  EXPECT_EQ(records[3].value, "");
  EXPECT_EQ(records[3].offset, Offset(103));
  EXPECT_TRUE(records[3].headers.empty());
  EXPECT_EQ(segment->content.max_timestamp_ms, INT64_MAX);
  EXPECT_EQ(segment->end(), Offset(104));
}

TEST(Segment, IsFullByRecordsOrBytes) {
  SegmentBuilder small;
  for (std::int64_t i = 0; i < kMaxSegmentRecords; ++i) {
    EXPECT_FALSE(small.full());
    small.Add({}, 0);
  }
  EXPECT_TRUE(small.full());
  SegmentBuilder large;
  const std::string value(kMaxSegmentBytes, 'x');
  large.Add({.partition = {}, .key = {}, .value = value, .timestamp_ms = 0, .headers = {}}, 0);
  EXPECT_TRUE(large.full());
  EXPECT_EQ(large.Take().records, 1);
  EXPECT_TRUE(large.empty());
  EXPECT_FALSE(large.full());
}

TEST(Segment, TheChecksumCoversContentAndPlace) {
  const auto segment = Make(
      Offset(1), {{.partition = {}, .key = "k", .value = "v", .timestamp_ms = 7, .headers = {}}});
  const std::uint64_t checksum = ChecksumOf("topic", Partition(0), *segment);
  EXPECT_EQ(ChecksumOf("topic", Partition(0), *segment), checksum);
  EXPECT_NE(ChecksumOf("other", Partition(0), *segment), checksum);
  EXPECT_NE(ChecksumOf("topic", Partition(1), *segment), checksum);
  Segment moved = *segment;
  moved.first = Offset(2);
  EXPECT_NE(ChecksumOf("topic", Partition(0), moved), checksum);
  Segment counted = *segment;
  counted.content.records = 2;
  EXPECT_NE(ChecksumOf("topic", Partition(0), counted), checksum);
  for (std::size_t i = 0; i < segment->content.payload.size(); ++i) {
    Segment flipped = *segment;
    flipped.content.payload[i] = static_cast<char>(flipped.content.payload[i] ^ 1);
    EXPECT_NE(ChecksumOf("topic", Partition(0), flipped), checksum) << i;
  }
}

// The checksum finds damage before; the reader must stay within the payload all the same.
TEST(Segment, AnyDamageIsNoticedOrHarmless) {
  const auto whole =
      Make(Offset(0),
           {{.partition = {},
             .key = "key",
             .value = "value",
             .timestamp_ms = 7,
             .headers = {{"name", "value"}}},
            {.partition = {}, .key = "key", .value = "value", .timestamp_ms = 8, .headers = {}}});
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    auto damaged = std::make_shared<Segment>(*whole);
    std::string& payload = damaged->content.payload;
    if (random.Chance(0.3)) payload.resize(random.Below(payload.size() + 1));
    for (std::uint64_t n = random.Below(4); n > 0 && !payload.empty(); --n) {
      payload[random.Below(payload.size())] = static_cast<char>(random.Below(256));
    }
    HeaderArena headers;
    for (const LogRecord& record : ReadAll(damaged, headers)) {
      const std::string_view value = record.value.value_or("");
      EXPECT_LE(value.size(), payload.size());
    }
  }
}

TEST(Segment, ACutPayloadIsDamaged) {
  const auto whole =
      Make(Offset(0),
           {{.partition = {}, .key = "key", .value = "value", .timestamp_ms = 7, .headers = {}},
            {.partition = {}, .key = "key", .value = "value", .timestamp_ms = 8, .headers = {}}});
  for (std::size_t size = 0; size < whole->content.payload.size(); ++size) {
    auto cut = std::make_shared<Segment>(*whole);
    cut->content.payload.resize(size);
    HeaderArena headers;
    EXPECT_LT(ReadAll(cut, headers).size(), 2U) << size;
  }
  auto longer = std::make_shared<Segment>(*whole);
  longer->content.payload += 'x';
  HeaderArena headers;
  EXPECT_LT(ReadAll(longer, headers).size(), 2U);
}

}  // namespace
}  // namespace weir::spool
