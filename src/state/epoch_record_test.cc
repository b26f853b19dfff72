#include "state/epoch_record.h"

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::state {
namespace {

EpochRecord SomeRecord() {
  EpochRecord record;
  record.pipeline = "shop";
  record.writer = "w1";
  record.epoch = 7;
  record.previous_hash = "abc";
  record.config_hash = "def";
  record.engine = "0.1.0";
  record.time = 1'788'256'800'000'000;
  record.topic = "clicks";
  record.applied_through = 6;
  PartitionEpoch part;
  part.since = 3;
  part.from = Offset(100);
  part.counts = {
      .read = 10, .good = 7, .duplicate = 0, .late = 0, .quarantined = 2, .tombstone = 1};
  part.end.next_offset = Offset(110);
  part.end.total = part.counts;
  part.end.tables["shop.events"] = {{3, 7}, 7, 2};
  part.end.clock = {.max_event_time = 0, .floor = -1, .idle = true};
  part.end.state = {{"w1", 2, 7}};
  record.partitions[Partition(2)] = part;
  TableEpoch table;
  table.uuid = "u";
  table.location = "/lake/shop/events";
  table.snapshot_id = 42;
  table.before[Partition(2)] = {3, 5};
  connect::DataFile file;
  file.path = "data/day=2026-09-01/x.parquet";
  file.partition = {{.number = Int128(20697), .text = {}}, {.number = {}, .text = "a\xff"}, {}};
  file.record_count = 7;
  file.file_bytes = 1234;
  file.columns[4] = {.compressed_bytes = 10,
                     .value_count = 7,
                     .null_count = 1,
                     .nan_count = 0,
                     .lower = std::string("\0\x01", 2),
                     .upper = std::nullopt};
  file.split_offsets = {4, 800};
  table.files = {file};
  connect::RowsWhere open;
  open.columns["is_open"] = {.number = Int128(1), .text = {}};
  table.replaced = {open};
  record.shared.watermark = -5;
  record.shared.rules = {{"watermark.delay", "600000000"}};
  record.shared.state = {{"w0", 3, 9}, {"w1", 1, 7}};
  record.decisions = {
      {.kind = DecisionKind::kIdle, .partition = Partition(1), .offset = Offset(9)},
      {.kind = DecisionKind::kJoined, .partition = Partition(2), .offset = Offset(4), .value = 5}};
  record.dropped = {{.partition = Partition(2),
                     .offset = Offset(104),
                     .event_time = -1,
                     .key = {"e1", "\u00fc"}}};
  record.tables["shop.events"] = table;
  return record;
}

TEST(EpochRecordTest, SurvivesEncoding) {
  const EpochRecord record = SomeRecord();
  auto entry = DecodeLogEntry(Encode(record));
  ASSERT_TRUE(entry) << entry.error().ToString();
  const auto& read = std::get<EpochRecord>(*entry);
  EXPECT_EQ(Encode(read), Encode(record));
  EXPECT_EQ(read.partitions, record.partitions);
  EXPECT_EQ(read.shared, record.shared);
  EXPECT_EQ(read.decisions, record.decisions);
  EXPECT_EQ(read.tables.at("shop.events").replaced, record.tables.at("shop.events").replaced);
  EXPECT_EQ(read.PositionOf(Partition(2)), (Position{3, 7}));
  const auto& file = read.tables.at("shop.events").files.at(0);
  EXPECT_EQ(file.partition, record.tables.at("shop.events").files[0].partition);
  EXPECT_EQ(file.columns.at(4).lower, std::string("\0\x01", 2));
  EXPECT_FALSE(file.columns.at(4).upper.has_value());
  EXPECT_EQ(read.tables.at("shop.events").rows(), 7);
}

TEST(EpochRecordTest, ASealIsNoRecord) {
  auto entry = DecodeLogEntry(Encode(Seal{"w2", "n", "restart", 5}));
  ASSERT_TRUE(entry);
  EXPECT_EQ(std::get<Seal>(*entry).sealer, "w2");
}

TEST(EpochRecordTest, DamageIsSaidNotThrown) {
  const std::string good = Encode(SomeRecord());
  for (const std::string& bad :
       {std::string(), std::string("{}"), std::string("[]"), good.substr(0, good.size() / 2),
        std::string("\x00\xff", 2), std::string(R"({"format":1,"kind":"other"})"),
        std::string(R"({"format":1,"kind":"record","epoch":"seven"})")}) {
    auto entry = DecodeLogEntry(bad);
    ASSERT_FALSE(entry) << bad;
    EXPECT_EQ(entry.error().code, ErrorCode::kStateCorrupt) << bad;
  }
}

// A fraction or an exponent is no count, offset or time, wherever it stands.
TEST(EpochRecordTest, NumbersAreWhole) {
  const std::string good = Encode(SomeRecord());
  const std::regex number("[:,\\[]-?([0-9]+)(?=[,}\\]])");
  int tried = 0;
  for (std::sregex_iterator at(good.begin(), good.end(), number), end; at != end; ++at, ++tried) {
    for (const char* other : {"1.5", "1e92", "-1e400", "99999999999999999999"}) {
      std::string bad = good;
      bad.replace(static_cast<std::size_t>(at->position(1)),
                  static_cast<std::size_t>(at->length(1)), other);
      const auto entry = DecodeLogEntry(bad);
      ASSERT_FALSE(entry) << bad;
      EXPECT_EQ(entry.error().code, ErrorCode::kStateCorrupt) << bad;
    }
  }
  EXPECT_GT(tried, 40);
}

TEST(EpochRecordTest, ANewerFormatIsRefusedByName) {
  auto entry = DecodeLogEntry(R"({"format":99,"kind":"record"})");
  ASSERT_FALSE(entry);
  EXPECT_EQ(entry.error().kind, ErrorKind::kUnsupported);
}

TEST(LedgerCountsTest, BalanceIsReadAgainstTheRest) {
  LedgerCounts counts{
      .read = 5, .good = 2, .duplicate = 1, .late = 1, .quarantined = 1, .tombstone = 0};
  EXPECT_TRUE(counts.balanced());
  counts.read = 6;
  EXPECT_FALSE(counts.balanced());
}

}  // namespace
}  // namespace weir::state
