#include "engine/planned_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// Three partitions of ten records each, given two at a time, the partitions in turn.
class TenRecords final : public connect::LogSource {
 public:
  explicit TenRecords(int* reports) : reports_(reports) {}
  Result<connect::TopicInfo> Describe() override {
    connect::TopicInfo info{.topic = "t", .cluster_id = {}, .topic_id = {}, .partitions = {}};
    for (int p = 0; p < 3; ++p) info.partitions[Partition(p)] = {Offset(2), Offset(10)};
    return info;
  }
  Result<OffsetMap> OffsetsAt(std::int64_t) override { return OffsetMap(); }
  Status Assign(const OffsetMap& start) override {
    next_ = start;
    return Ok();
  }
  Result<LogBatch> Poll(Micros, std::size_t) override {
    LogBatch batch;
    for (auto& [partition, next] : next_)
      for (int i = 0; i < 2 && next < Offset(10); ++i) {
        LogRecord record;
        record.partition = partition;
        record.offset = next;
        batch.records.push_back(record);
        next = Offset(next.value() + 1);
      }
    return batch;
  }
  OffsetMap Positions() const override { return next_; }
  std::set<Partition> AtEnd() const override { return {}; }
  Status ReportProgress(const OffsetMap&) override {
    ++*reports_;
    return Ok();
  }

 private:
  int* reports_;
  OffsetMap next_;
};

class PlannedSourceTest : public testing::Test {
 protected:
  PlannedSourceTest() {
    ReplayPlan plan;
    plan.goal.partitions[Partition(0)].start.next_offset = Offset(5);
    plan.goal.partitions[Partition(1)].start.next_offset = Offset(1);  // expired since then
    plan.floors = {{.partition = Partition(0), .offset = Offset(3), .floor = 70},
                   {.partition = Partition(0), .offset = Offset(6), .floor = 80}};
    source_ = LimitToPlan(std::make_unique<TenRecords>(&reports_), plan);
  }

  int reports_ = 0;
  std::unique_ptr<connect::LogSource> source_;
};

TEST_F(PlannedSourceTest, TheLogEndsWhereThePlanEnds) {
  const auto topic = source_->Describe();
  ASSERT_TRUE(topic);
  ASSERT_EQ(topic->partitions.size(), 2U) << "the third came later";
  EXPECT_EQ(topic->partitions.at(Partition(0)).begin, Offset(2));
  EXPECT_EQ(topic->partitions.at(Partition(0)).end, Offset(5));
  EXPECT_EQ(topic->partitions.at(Partition(1)).begin, Offset(1));
  EXPECT_EQ(topic->partitions.at(Partition(1)).end, Offset(1));
}

TEST_F(PlannedSourceTest, RecordsBehindTheEndAreLeftOut) {
  ASSERT_TRUE(source_->Assign({{Partition(0), Offset(2)}, {Partition(1), Offset(2)}}));
  std::vector<std::int64_t> offsets;
  std::vector<RecordFloor> floors;
  for (int i = 0; i < 4; ++i) {
    const auto batch = source_->Poll(0, 100);
    ASSERT_TRUE(batch);
    for (const LogRecord& record : batch->records) {
      EXPECT_EQ(record.partition, Partition(0));
      offsets.push_back(record.offset.value());
    }
    floors.insert(floors.end(), batch->floors.begin(), batch->floors.end());
  }
  EXPECT_THAT(offsets, ElementsAre(2, 3, 4));
  EXPECT_THAT(floors, ElementsAre(RecordFloor{Partition(0), Offset(3), 70}));
  EXPECT_THAT(source_->Positions(),
              ElementsAre(Pair(Partition(0), Offset(5)), Pair(Partition(1), Offset(1))));
}

TEST_F(PlannedSourceTest, IsAtItsEndWhenTheLogIsNot) {
  ASSERT_TRUE(source_->Assign({{Partition(0), Offset(2)}}));
  ASSERT_TRUE(source_->Poll(0, 100));
  EXPECT_THAT(source_->AtEnd(), IsEmpty());
  ASSERT_TRUE(source_->Poll(0, 100));
  EXPECT_THAT(source_->AtEnd(), ElementsAre(Partition(0)));
}

TEST_F(PlannedSourceTest, TellsTheLogNothing) {
  EXPECT_TRUE(source_->ReportProgress({{Partition(0), Offset(5)}}));
  EXPECT_EQ(reports_, 0);
}

}  // namespace
}  // namespace weir::engine
