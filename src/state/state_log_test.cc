#include "state/state_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::state {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class StateLogTest : public ::testing::Test {
 protected:
  std::unique_ptr<io::Store> store_ = io::NewMemoryStore();
  StateLog log_{*store_};

  static std::string SealBytes(const std::string& nonce) {
    return Encode(Seal{"someone", nonce, "test", 1});
  }
};

TEST_F(StateLogTest, TheNewestClaimIsInForce) {
  ASSERT_TRUE(log_.NewestClaim());
  EXPECT_FALSE(log_.NewestClaim()->has_value());
  for (std::int64_t number : {0, 1, 10, 9}) {
    Claim claim;
    claim.number = number;
    claim.writer = "w" + std::to_string(number);
    claim.partitions[Partition(0)] = {"w", number, {}};
    ASSERT_EQ(*log_.PutClaim(claim), PutVerdict::kMine);
  }
  EXPECT_EQ((*log_.NewestClaim())->writer, "w10");
  EXPECT_THAT(*log_.ClaimNumbers(), ElementsAre(0, 1, 9, 10));
}

TEST_F(StateLogTest, MineMeansTheBytesAreMine) {
  EXPECT_EQ(*log_.PutSlot("w", 1, SealBytes("a")), PutVerdict::kMine);
  EXPECT_EQ(*log_.PutSlot("w", 1, SealBytes("a")), PutVerdict::kMine) << "an own retry is no loss";
  EXPECT_EQ(*log_.PutSlot("w", 1, SealBytes("b")), PutVerdict::kTheirs);
}

TEST_F(StateLogTest, SlotsAreListedInOrderAndDeletedOneByOne) {
  for (std::int64_t epoch : {1, 2, 3}) ASSERT_TRUE(log_.PutSlot("w", epoch, SealBytes("x")));
  ASSERT_TRUE(log_.PutSlot("w2", 9, SealBytes("x")));
  ASSERT_TRUE(log_.DeleteSlot("w", 2));
  EXPECT_THAT(*log_.Slots("w"), ElementsAre(1, 3));
  EXPECT_EQ(log_.ReadSlot("w", 2).error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(*log_.Writers(), ElementsAre(Pair("w", 2), Pair("w2", 1)));
}

TEST_F(StateLogTest, TheJournalNamesFilesUntilItIsDeleted) {
  ASSERT_TRUE(log_.PutJournal("w", 1, 0, {"t:a", "t:b"}));
  ASSERT_TRUE(log_.PutJournal("w", 1, 1, {"t:c"}));
  auto entries = log_.Journals("w");
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ(entries->at(0).epoch, 1);
  EXPECT_THAT(*log_.ReadJournal(entries->at(0)), ElementsAre("t:a", "t:b"));
  ASSERT_TRUE(log_.PutJournal("w", 12, 0, {"t:d"}));
  EXPECT_EQ(log_.Journals("w", 1)->size(), 2U);
  ASSERT_EQ(log_.Journals("w", 12)->size(), 1U);
  EXPECT_EQ(log_.Journals("w", 12)->front().epoch, 12);
  ASSERT_TRUE(log_.DeleteJournal(log_.Journals("w", 12)->front()));
  for (const auto& entry : *entries) ASSERT_TRUE(log_.DeleteJournal(entry));
  EXPECT_THAT(*log_.Journals("w"), IsEmpty());
}

TEST_F(StateLogTest, ADamagedClaimIsNamed) {
  ASSERT_TRUE(store_->Put("claims/00000000000000000004", "{broken"));
  auto claim = log_.NewestClaim();
  ASSERT_FALSE(claim);
  EXPECT_EQ(claim.error().code, ErrorCode::kStateCorrupt);
  EXPECT_THAT(claim.error().message, ::testing::HasSubstr("claims/00000000000000000004"));
}

// A store whose first put of each key is stored but answered by "unknown".
class LosingReplies final : public io::Store {
 public:
  explicit LosingReplies(bool stores) : stores_(stores) {}
  Result<io::PutOutcome> PutIfAbsent(std::string_view key, std::string_view bytes) override {
    if (lost_++ == 0) {
      if (stores_) (void)inner_->PutIfAbsent(key, bytes);
      return CommitUnknown("the reply was lost");
    }
    return inner_->PutIfAbsent(key, bytes);
  }
  Status Put(std::string_view k, std::string_view b) override { return inner_->Put(k, b); }
  Result<std::string> Get(std::string_view key) override { return inner_->Get(key); }
  Result<io::ObjectInfo> Head(std::string_view key) override { return inner_->Head(key); }
  Result<std::vector<io::ObjectInfo>> List(std::string_view p) override { return inner_->List(p); }
  Status Delete(std::string_view key) override { return inner_->Delete(key); }
  Result<std::unique_ptr<io::OutputStream>> Create(std::string_view key) override {
    return inner_->Create(key);
  }
  std::string Describe() const override { return "lossy"; }

 private:
  std::unique_ptr<io::Store> inner_ = io::NewMemoryStore();
  bool stores_;
  int lost_ = 0;
};

TEST(StateLogUnknownTest, ALostReplyIsLookedUp) {
  for (bool stored : {true, false}) {
    LosingReplies store(stored);
    StateLog log(store);
    auto verdict = log.PutSlot("w", 1, "same bytes");
    ASSERT_TRUE(verdict);
    EXPECT_EQ(*verdict, PutVerdict::kMine) << "stored " << stored;
  }
}

}  // namespace
}  // namespace weir::state
