#include "engine/collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kEvents = "shop.events";

// A pipeline of two tables, of which the quarantine never gets a row.
class CollectorTest : public testing::Test {
 protected:
  CollectorTest() {
    for (const char* name : {kEvents, "shop.quarantine"}) {
      OpenTable& table = tables_.emplace_back();
      table.name = name;
      table.store = io::NewMemoryStore(clock_);
    }
  }

  void PutRecord(const std::string& writer, std::int64_t epoch, const std::string& file) {
    state::EpochRecord record;
    record.pipeline = "shop";
    record.writer = writer;
    record.epoch = epoch;
    record.topic = "t";
    record.partitions[Partition(0)].since = 1;
    record.tables[kEvents].files.emplace_back().path = file;
    ASSERT_EQ(*log_.PutSlot(writer, epoch, state::Encode(record)), state::PutVerdict::kMine);
  }

  void PutSeal(const std::string& writer, std::int64_t epoch) {
    const state::Seal seal{.sealer = "w9", .nonce = "n", .reason = "restart", .time = 0};
    ASSERT_EQ(*log_.PutSlot(writer, epoch, state::Encode(seal)), state::PutVerdict::kMine);
  }

  // Names a file in the journal of an epoch, then writes it.
  void WriteFile(const std::string& writer, std::int64_t epoch, const std::string& file) {
    ASSERT_TRUE(log_.PutJournal(writer, epoch, parts_++, {JournalName(kEvents, file)}));
    ASSERT_TRUE(tables_[0].store->Put(file, "rows"));
  }

  std::vector<std::string> Files() {
    std::vector<std::string> names;
    for (const auto& object : *tables_[0].store->List("")) names.push_back(object.key);
    return names;
  }

  void CollectDead() {
    state::Claim claim;
    claim.pipeline = "shop";
    claim.writer = "w9";
    claim.partitions[Partition(0)] = {"w9", 2, {}};
    Collector(log_, tables_, 0).CollectDead(claim, {});
  }

  ManualClock clock_{0};
  std::unique_ptr<io::Store> store_ = io::NewMemoryStore(clock_);
  state::StateLog log_{*store_};
  std::vector<OpenTable> tables_;
  int parts_ = 0;
};

// Hole 27: the quarantine has no progress at all, and holds nothing back.
TEST_F(CollectorTest, ATableWithoutRowsHoldsNothingBack) {
  for (int epoch = 1; epoch <= 9; ++epoch) PutRecord("w", epoch, "f");
  Collector collector(log_, tables_, 2);
  collector.CollectOwn("w", 9);
  EXPECT_THAT(*log_.Slots("w"), ElementsAre(8, 9));
}

TEST_F(CollectorTest, TheNewestRecordOfALogStays) {
  PutRecord("w", 1, "f");
  Collector(log_, tables_, 0).CollectOwn("w", 1);
  EXPECT_THAT(*log_.Slots("w"), ElementsAre(1));
}

// Hole 9: "in the journal and in no record" is not enough for files to go.
TEST_F(CollectorTest, FilesOfAnEpochInPreparationStay) {
  WriteFile("w", 1, "data/1");
  PutRecord("w", 1, "data/1");
  WriteFile("w", 2, "data/2");  // its record is not put yet
  Collector(log_, tables_, 0).CollectOwn("w", 2);
  EXPECT_THAT(Files(), ElementsAre("data/1", "data/2"));
}

TEST_F(CollectorTest, FilesOfACollectedRecordStayThoughItsJournalIsSweptAgain) {
  WriteFile("w", 1, "data/1");
  PutRecord("w", 1, "data/1");
  PutRecord("w", 2, "data/2");
  ASSERT_TRUE(log_.DeleteSlot("w", 1));  // a collector that died between record and journal
  Collector(log_, tables_, 0).CollectOwn("w", 2);
  EXPECT_THAT(Files(), ElementsAre("data/1"));
}

TEST_F(CollectorTest, FilesThatARecordLeftOutGoWithItsJournal) {
  WriteFile("w", 1, "data/1");
  WriteFile("w", 1, "data/unused");
  PutRecord("w", 1, "data/1");
  PutRecord("w", 2, "data/2");
  Collector(log_, tables_, 0).CollectOwn("w", 2);
  EXPECT_THAT(Files(), ElementsAre("data/1"));
  EXPECT_THAT(*log_.Journals("w"), IsEmpty());
}

TEST_F(CollectorTest, BehindASealEverythingThatTheJournalNamesGoes) {
  WriteFile("w", 1, "data/1");
  PutRecord("w", 1, "data/1");
  WriteFile("w", 2, "data/2");
  PutSeal("w", 2);
  CollectDead();
  EXPECT_THAT(Files(), ElementsAre("data/1"));
  EXPECT_THAT(*log_.Slots("w"), ElementsAre(2));  // seals stay for good
}

// Hole 10: a seal that landed late in a collected slot decides nothing.
TEST_F(CollectorTest, AStraySealTouchesNothing) {
  WriteFile("w", 1, "data/1");
  PutSeal("w", 1);
  PutRecord("w", 2, "data/2");
  CollectDead();
  EXPECT_THAT(Files(), ElementsAre("data/1"));
}

}  // namespace
}  // namespace weir::engine
