// What the applier does with tables that one step can change together, when that step fails in its
// ways. apply_faults_test.cc is about one table.

#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/applier.h"
#include "engine/stub_table.h"

namespace weir::engine {
namespace {

using connect::CommitOutcome;
using testing::ElementsAre;
using testing::IsEmpty;

class GroupedTable final : public StubTable {
 public:
  GroupedTable(std::string name, connect::TableGroup* group)
      : StubTable(std::move(name)), group_(group) {}

  Result<CommitOutcome> Commit(const connect::TableVersion&,
                               const connect::TableCommit& commit) override {
    ++alone;
    Land(commit);
    return CommitOutcome::kCommitted;
  }
  connect::TableGroup* group() override { return group_; }
  std::optional<connect::GroupedCommit> Grouped(const connect::TableVersion& base,
                                                const connect::TableCommit& commit) override {
    auto part = Table::Grouped(base, commit);
    part->whole = whole;
    return part;
  }

  int alone = 0;
  bool whole = true;

 private:
  connect::TableGroup* group_;
};

enum class Answer {
  kCommitted,
  kLostDone,
  kLostNotDone,
  kConflict,   // somebody else changed the last table
  kHalfKnown,  // a server breaks its word: the first table only, and it says conflict
  kHalfLost,   // the same, and no answer
  kHalfDone,   // the same, and it says that all is done
  kAway,
};

class ScriptedGroup final : public connect::TableGroup {
 public:
  Result<CommitOutcome> Commit(std::span<const connect::GroupedCommit> parts) override {
    sizes.push_back(parts.size());
    Answer answer = Answer::kCommitted;
    if (!script.empty()) {
      answer = script.front();
      script.pop_front();
    }
    if (answer == Answer::kAway) return Unavailable("away", ErrorCode::kCatalogUnavailable);
    if (answer == Answer::kLostNotDone) return CommitOutcome::kUnknown;
    if (answer == Answer::kConflict) TableOf(parts.back()).MoveOn();
    for (const auto& part : parts)
      if (!TableOf(part).IsCurrent(part.base)) return CommitOutcome::kConflict;
    const bool half =
        answer == Answer::kHalfKnown || answer == Answer::kHalfLost || answer == Answer::kHalfDone;
    for (const auto& part : half ? parts.first(1) : parts) TableOf(part).Land(part.commit);
    if (answer == Answer::kHalfKnown) return CommitOutcome::kConflict;
    const bool done = answer == Answer::kCommitted || answer == Answer::kHalfDone;
    return done ? CommitOutcome::kCommitted : CommitOutcome::kUnknown;
  }

  std::deque<Answer> script;
  std::vector<std::size_t> sizes;  // how many tables each try held

 private:
  static GroupedTable& TableOf(const connect::GroupedCommit& part) {
    return *static_cast<GroupedTable*>(part.table);
  }
};

// Two tables of a group, "a" and "b", and one epoch with a file in each.
class ApplyGroupTest : public testing::Test {
 protected:
  void Open(std::deque<Answer> script) {
    group_ = ScriptedGroup();
    group_.script = std::move(script);
    tables_.clear();
    tables_.resize(2);
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string name = i == 0 ? "a" : "b";
      auto table = std::make_unique<GroupedTable>(name, &group_);
      table_[i] = table.get();
      tables_[i].name = "shop." + name;
      tables_[i].table = std::move(table);
      tables_[i].store = io::NewMemoryStore(clock_);
    }
  }

  state::EpochRecord Record() const {
    state::EpochRecord record;
    record.epoch = 1;
    record.topic = "t";
    record.time = clock_.Now();
    record.partitions[Partition(0)].since = 1;
    record.partitions[Partition(0)].end.next_offset = Offset(10);
    for (const char* name : {"a", "b"}) {
      auto& epoch = record.tables[std::string("shop.") + name];
      epoch.uuid = "u";
      epoch.before[Partition(0)] = Position();
      epoch.files.emplace_back();
      epoch.files.back().path = name;
    }
    return record;
  }

  Status Apply() { return Applier(clock_, {}, tables_).Apply(Record()); }
  void ExpectBothOnce() {
    EXPECT_THAT(table_[0]->live, ElementsAre("a"));
    EXPECT_THAT(table_[1]->live, ElementsAre("b"));
  }

  ManualClock clock_{1'788'256'800'000'000};
  ScriptedGroup group_;
  std::vector<OpenTable> tables_;
  GroupedTable* table_[2] = {};
};

struct Case {
  const char* what;
  std::deque<Answer> script;
  std::vector<std::size_t> sizes;
  int alone;  // commits to single tables
};

TEST_F(ApplyGroupTest, EveryAnswerLeadsToTheRowsOnce) {
  const Case cases[] = {
      {"no trouble", {}, {2}, 0},
      {"lost answer, the commit landed", {Answer::kLostDone}, {2}, 0},
      {"lost answer, it did not land", {Answer::kLostNotDone}, {2, 2}, 0},
      {"one of them was changed by others", {Answer::kConflict}, {2, 2}, 0},
      {"away for a while", std::deque(20, Answer::kAway), std::vector<std::size_t>(21, 2), 0},
      {"half of it, said to be none", {Answer::kHalfKnown}, {2}, 1},
      {"half of it, and the answer is lost", {Answer::kHalfLost}, {2}, 1},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.what);
    Open(test.script);
    ASSERT_TRUE(Apply());
    ExpectBothOnce();
    EXPECT_EQ(group_.sizes, test.sizes);
    EXPECT_EQ(table_[0]->alone + table_[1]->alone, test.alone);
    ASSERT_TRUE(Apply());  // whoever applies it again changes nothing
    ExpectBothOnce();
  }
}

TEST_F(ApplyGroupTest, ATableWithMoreToDoIsAskedForTheRest) {
  Open({});
  table_[1]->whole = false;
  ASSERT_TRUE(Apply());
  ExpectBothOnce();
  EXPECT_EQ(group_.sizes, std::vector<std::size_t>{2});
}

TEST_F(ApplyGroupTest, AServerThatLosesAPartIsNotBelieved) {
  Open({Answer::kHalfDone});
  table_[0]->whole = table_[1]->whole = false;
  ASSERT_TRUE(Apply());
  ExpectBothOnce();
  EXPECT_EQ(table_[0]->alone, 0);
  EXPECT_EQ(table_[1]->alone, 1);
}

TEST_F(ApplyGroupTest, ARefusalOfOneTableStopsBoth) {
  Open({});
  state::EpochRecord record = Record();
  record.tables["shop.b"].uuid = "another";
  const Status stopped = Applier(clock_, {}, tables_).Apply(record);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kTableReplaced);
  EXPECT_THAT(table_[0]->live, IsEmpty());
}

}  // namespace
}  // namespace weir::engine
