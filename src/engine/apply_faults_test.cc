// What the applier does when the catalog loses answers, is away, or others commit without end: each
// fault by itself, against a table that follows a script. tests/sim mixes them.

#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/applier.h"
#include "engine/stub_table.h"

namespace weir::engine {
namespace {

using connect::CommitOutcome;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Micros kHour = 3600 * kMicrosPerSecond;
constexpr const char* kName = "shop.events";
constexpr const char* kFile = "data/a.parquet";

enum class Answer {
  kCommitted,
  kLostDone,     // it landed, the answer did not come
  kLostNotDone,  // neither
  kLandsLater,   // no answer, and it lands just before the next try
  kConflict,     // somebody else was first
  kAway,         // a definite failure
};

// A table whose commits compare and swap, and answer as told; then they answer truly.
class ScriptedTable final : public StubTable {
 public:
  explicit ScriptedTable(std::vector<Answer> script)
      : StubTable("events"), script_(script.begin(), script.end()) {}

  Result<CommitOutcome> Commit(const connect::TableVersion& base,
                               const connect::TableCommit& commit) override {
    ++tries;
    if (late_) Land(*std::exchange(late_, std::nullopt));
    const bool current = IsCurrent(&base);
    Answer answer = Answer::kCommitted;
    if (!script_.empty()) {
      answer = script_.front();
      script_.pop_front();
    }
    if (answer == Answer::kAway) return Unavailable("away", ErrorCode::kCatalogUnavailable);
    if (answer == Answer::kConflict) MoveOn();
    if (answer == Answer::kConflict || !current) return CommitOutcome::kConflict;
    if (answer == Answer::kLandsLater) late_ = commit;
    if (answer == Answer::kCommitted || answer == Answer::kLostDone) Land(commit);
    return answer == Answer::kCommitted ? CommitOutcome::kCommitted : CommitOutcome::kUnknown;
  }

  int tries = 0;

 private:
  std::deque<Answer> script_;
  std::optional<connect::TableCommit> late_;
};

// One table, one epoch with one file, one applier.
class ApplyFaultsTest : public testing::Test {
 protected:
  void Open(std::vector<Answer> script) {
    auto table = std::make_unique<ScriptedTable>(std::move(script));
    table_ = table.get();
    tables_.resize(1);
    tables_[0].name = kName;
    tables_[0].table = std::move(table);
    tables_[0].store = io::NewMemoryStore(clock_);
    ASSERT_TRUE(tables_[0].store->Put(kFile, "rows"));
  }

  state::EpochRecord Record() const {
    state::EpochRecord record;
    record.pipeline = "shop";
    record.writer = "w";
    record.epoch = 1;
    record.topic = "t";
    record.time = clock_.Now();
    record.partitions[Partition(0)].since = 1;
    record.partitions[Partition(0)].end.next_offset = Offset(10);
    auto& epoch = record.tables[kName];
    epoch.uuid = "u";
    epoch.before[Partition(0)] = Position();
    epoch.files.emplace_back();
    epoch.files.back().path = kFile;
    return record;
  }

  Status Apply(const state::EpochRecord& record, PatienceRules rules = {}) {
    return Applier(clock_, std::move(rules), tables_).Apply(record);
  }

  bool FileIsThere() { return tables_[0].store->Head(kFile).has_value(); }

  ManualClock clock_{1'788'256'800'000'000};
  std::vector<OpenTable> tables_;
  ScriptedTable* table_ = nullptr;
};

struct Case {
  const char* what;
  std::vector<Answer> script;
  int tries;
};

TEST_F(ApplyFaultsTest, EveryAnswerLeadsToTheRowsOnce) {
  const Case cases[] = {
      {"lost answer, the commit landed", {Answer::kLostDone}, 1},
      {"lost answer, the commit did not land", {Answer::kLostNotDone}, 2},
      {"lost answer, the commit lands before the next try", {Answer::kLandsLater}, 2},
      {"lost ten times", std::vector(10, Answer::kLostNotDone), 11},
      {"a conflict", {Answer::kConflict}, 2},
      {"lost, somebody else commits, lost again and landed",
       {Answer::kLostNotDone, Answer::kConflict, Answer::kLostDone},
       3},
      {"a catalog that is away for long", std::vector(500, Answer::kAway), 501},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.what);
    Open(test.script);
    ASSERT_TRUE(Apply(Record()));
    EXPECT_THAT(table_->live, ElementsAre(kFile));
    EXPECT_EQ(table_->tries, test.tries);
    EXPECT_TRUE(FileIsThere());
    ASSERT_TRUE(Apply(Record()));  // whoever applies it again changes nothing
    EXPECT_THAT(table_->live, ElementsAre(kFile));
  }
}

TEST_F(ApplyFaultsTest, AConflictStormIsSatOutWithoutSpinning) {
  Open(std::vector(1'000, Answer::kConflict));
  ASSERT_TRUE(Apply(Record()));
  EXPECT_THAT(table_->live, ElementsAre(kFile));
  EXPECT_GT(clock_.Monotonic(), 900 * kMicrosPerSecond);
}

TEST_F(ApplyFaultsTest, ABoundedRunGivesUpOnAStormAndLosesNothing) {
  Open(std::vector(1'000, Answer::kConflict));
  const Status gave_up = Apply(Record(), {.limit = 60 * kMicrosPerSecond, .stop = {}});
  ASSERT_FALSE(gave_up);
  EXPECT_THAT(gave_up.error().message, HasSubstr("other writers commit to shop.events"));
  EXPECT_TRUE(FileIsThere());
  Open({});
  EXPECT_TRUE(Apply(Record()));
}

// Hole 25: the conflict is the echo of our own success, so nothing may be taken for a leftover.
TEST_F(ApplyFaultsTest, AConflictAfterAnUnknownCommitDeletesNothing) {
  Open({Answer::kLandsLater, Answer::kConflict});
  ASSERT_TRUE(Apply(Record()));
  EXPECT_THAT(table_->live, ElementsAre(kFile));
  EXPECT_TRUE(FileIsThere());
}

// Hole 20: while the catalog was away, another tool's sweep may have taken files that no table
// names yet.
TEST_F(ApplyFaultsTest, FilesOfAnOldRecordAreLookedUpBeforeTheyAreCommitted) {
  Open({});
  const state::EpochRecord record = Record();
  ASSERT_TRUE(tables_[0].store->Delete(kFile));
  clock_.Advance(kHour + 1);
  const Status stopped = Apply(record);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kDataFileMissing);
  EXPECT_THAT(stopped.error().message, HasSubstr("[0, 10) of topic t"));
  EXPECT_EQ(table_->tries, 0);
}

TEST_F(ApplyFaultsTest, AnOldRecordWhoseFilesAreThereIsCommitted) {
  Open({});
  const state::EpochRecord record = Record();
  clock_.Advance(24 * kHour);
  ASSERT_TRUE(Apply(record));
  EXPECT_THAT(table_->live, ElementsAre(kFile));
}

TEST_F(ApplyFaultsTest, AnAppliedRecordNeedsItsFilesNoMore) {
  Open({});
  const state::EpochRecord record = Record();
  ASSERT_TRUE(Apply(record));
  ASSERT_TRUE(tables_[0].store->Delete(kFile));  // compacted and expired since
  clock_.Advance(24 * kHour);
  EXPECT_TRUE(Apply(record));
}

TEST_F(ApplyFaultsTest, AClockThatJumpsBackHoldsNothingUp) {
  Open({Answer::kLostNotDone, Answer::kConflict});
  const state::EpochRecord record = Record();
  clock_.SetWall(clock_.Now() - 100 * kHour);
  ASSERT_TRUE(Apply(record));
  EXPECT_THAT(table_->live, ElementsAre(kFile));
}

}  // namespace
}  // namespace weir::engine
