#include "io/faulty_store.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace weir::io {
namespace {

class FaultyStoreTest : public testing::Test {
 protected:
  std::unique_ptr<Store> inner_ = NewMemoryStore();
  FaultyStore store_{*inner_, 7};
};

TEST_F(FaultyStoreTest, ALostReplyMayHideASuccess) {
  store_.Script(StoreFault::kReplyLostDone, StoreCall::kPutIfAbsent, 1);
  EXPECT_EQ(store_.PutIfAbsent("a", "mine").error().kind, ErrorKind::kCommitUnknown);
  EXPECT_EQ(*store_.Get("a"), "mine");
  EXPECT_EQ(*store_.PutIfAbsent("a", "mine"), PutOutcome::kExists);
}

TEST_F(FaultyStoreTest, ALostReplyMayHideAFailure) {
  store_.Script(StoreFault::kReplyLostNotDone, StoreCall::kPutIfAbsent, 1);
  EXPECT_EQ(store_.PutIfAbsent("a", "mine").error().kind, ErrorKind::kCommitUnknown);
  EXPECT_EQ(store_.Get("a").error().kind, ErrorKind::kNotFound);
}

TEST_F(FaultyStoreTest, CallsWithoutAnUnknownOutcomeAreToldToRetry) {
  store_.Script(StoreFault::kReplyLostDone, StoreCall::kPut, 1);
  EXPECT_EQ(store_.Put("a", "x").error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(*store_.Get("a"), "x");
  store_.Script(StoreFault::kReplyLostDone, StoreCall::kDelete, 1);
  EXPECT_EQ(store_.Delete("a").error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(store_.Get("a").error().kind, ErrorKind::kNotFound);
}

TEST_F(FaultyStoreTest, ALatePutLandsAfterSomeMoreCalls) {
  store_.SetMaxDelay(3);
  store_.Script(StoreFault::kLandsLater, StoreCall::kPutIfAbsent, 1);
  EXPECT_EQ(store_.PutIfAbsent("a", "late").error().kind, ErrorKind::kCommitUnknown);
  EXPECT_EQ(inner_->Get("a").error().kind, ErrorKind::kNotFound);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(store_.List("other"));
  EXPECT_EQ(*inner_->Get("a"), "late");
}

TEST_F(FaultyStoreTest, ALatePutLosesAgainstWhoCameFirst) {
  store_.Script(StoreFault::kLandsLater, StoreCall::kPutIfAbsent, 1);
  EXPECT_FALSE(store_.PutIfAbsent("a", "late"));
  ASSERT_EQ(*inner_->PutIfAbsent("a", "rival"), PutOutcome::kStored);
  store_.Settle();
  EXPECT_EQ(*store_.Get("a"), "rival");
}

TEST_F(FaultyStoreTest, ALateStreamFinishesAfterItsOwnerIsGone) {
  {
    auto stream = store_.Create("data");
    ASSERT_TRUE(stream && (*stream)->Append("rows"));
    store_.Script(StoreFault::kLandsLater, StoreCall::kFinish, 1);
    EXPECT_EQ((*stream)->Finish().error().kind, ErrorKind::kCommitUnknown);
  }
  EXPECT_EQ(inner_->Get("data").error().kind, ErrorKind::kNotFound);
  store_.Settle();
  EXPECT_EQ(*inner_->Get("data"), "rows");
}

TEST_F(FaultyStoreTest, AFullDiskLastsUntilItIsFreed) {
  auto open = store_.Create("open");
  ASSERT_TRUE(open);
  store_.SetProbability(StoreFault::kDiskFull, 1);
  EXPECT_EQ(store_.PutIfAbsent("a", "").error().code, ErrorCode::kStorageFull);
  EXPECT_EQ(store_.Put("a", "").error().code, ErrorCode::kStorageFull);
  EXPECT_EQ(store_.Create("a").error().code, ErrorCode::kStorageFull);
  EXPECT_EQ((*open)->Append("x").error().code, ErrorCode::kStorageFull);
  EXPECT_TRUE(store_.List(""));
  EXPECT_TRUE(store_.Delete("a"));
  store_.SetProbability(StoreFault::kDiskFull, 0);
  EXPECT_TRUE(store_.PutIfAbsent("a", ""));
  EXPECT_FALSE((*open)->Finish()) << "a file with a hole got its name";
  EXPECT_EQ(store_.Get("open").error().kind, ErrorKind::kNotFound);
}

TEST_F(FaultyStoreTest, AReadOnlyStoreReadsButChangesNothing) {
  ASSERT_TRUE(store_.PutIfAbsent("a", "x"));
  store_.SetProbability(StoreFault::kReadOnly, 1);
  EXPECT_EQ(store_.PutIfAbsent("b", "").error().code, ErrorCode::kStorageDenied);
  EXPECT_EQ(store_.PutIfAbsent("b", "").error().kind, ErrorKind::kRefused);
  EXPECT_EQ(store_.Delete("a").error().code, ErrorCode::kStorageDenied);
  EXPECT_EQ(*store_.Get("a"), "x");
}

TEST_F(FaultyStoreTest, FailuresReachEveryCall) {
  auto stream = store_.Create("open");
  ASSERT_TRUE(stream);
  store_.SetProbability(StoreFault::kUnavailable, 1);
  EXPECT_EQ(store_.PutIfAbsent("a", "").error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(store_.Put("a", "").error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(store_.Get("a").error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(store_.Head("a").error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(store_.List("a").error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(store_.Delete("a").error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(store_.Create("a").error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ((*stream)->Append("a").error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(store_.fired(StoreFault::kUnavailable), 8);
}

TEST_F(FaultyStoreTest, AScriptPicksTheNthCallOfAKey) {
  store_.Script(StoreFault::kFailed, StoreCall::kGet, 2, "state/");
  ASSERT_TRUE(inner_->Put("state/1", "x") && inner_->Put("other", "x"));
  EXPECT_TRUE(store_.Get("state/1"));
  EXPECT_TRUE(store_.Get("other"));
  const auto second = store_.Get("state/1");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kStorageFailed);
  EXPECT_NE(second.error().message.find("state/1"), std::string::npos);
  EXPECT_TRUE(store_.Get("state/1"));
  EXPECT_EQ(store_.fired(StoreFault::kFailed), 1);
}

TEST_F(FaultyStoreTest, PowerLossTakesWhatNobodySawAndWhatIsOnItsWay) {
  store_.SetProbability(StoreFault::kVanishes, 1);
  store_.Script(StoreFault::kReplyLostDone, StoreCall::kPutIfAbsent, 1);
  store_.Script(StoreFault::kLandsLater, StoreCall::kPutIfAbsent, 2);
  EXPECT_FALSE(store_.PutIfAbsent("w/1", ""));
  EXPECT_FALSE(store_.PutIfAbsent("v/1", ""));
  ASSERT_TRUE(store_.PutIfAbsent("u/1", ""));
  store_.LosePower();
  store_.Settle();
  EXPECT_EQ(inner_->List("")->size(), 1U);
  EXPECT_TRUE(inner_->Get("u/1"));
  EXPECT_EQ(store_.fired(StoreFault::kVanishes), 1);
}

TEST_F(FaultyStoreTest, PowerLossSparesWhatSomebodyCameAcross) {
  store_.SetProbability(StoreFault::kVanishes, 1);
  for (const char* key : {"get/1", "head/1", "list/1", "lost/1", "beside/1"}) {
    store_.Script(StoreFault::kReplyLostDone, StoreCall::kPutIfAbsent, 1);
    EXPECT_FALSE(store_.PutIfAbsent(key, ""));
  }
  ASSERT_TRUE(store_.Get("get/1") && store_.Head("head/1") && store_.List("list/"));
  EXPECT_EQ(*store_.PutIfAbsent("lost/1", "rival"), PutOutcome::kExists);
  ASSERT_TRUE(store_.PutIfAbsent("beside/2", ""));
  store_.LosePower();
  EXPECT_EQ(inner_->List("")->size(), 6U);
}

// One run of random calls under random faults, as text.
std::string History(std::uint64_t seed) {
  const auto inner = NewMemoryStore();
  FaultyStore store(*inner, seed);
  for (std::size_t i = 0; i < kStoreFaults; ++i) {
    store.SetProbability(static_cast<StoreFault>(i), 0.05);
  }
  std::string history;
  for (int i = 0; i < 400; ++i) {
    const auto put = store.PutIfAbsent("k/" + std::to_string(i % 150), std::to_string(i));
    history += put ? (*put == PutOutcome::kStored ? "S" : "E") : put.error().message;
    const auto listed = store.List("k/");
    history += listed ? std::to_string(listed->size()) : listed.error().message;
  }
  store.LosePower();
  for (const ObjectInfo& info : *inner->List("")) history += info.key + *inner->Get(info.key);
  for (std::size_t i = 0; i < kStoreFaults; ++i) {
    const auto fault = static_cast<StoreFault>(i);
    history += std::string(ToString(fault)) + std::to_string(store.fired(fault));
  }
  return history;
}

TEST(FaultyStore, ASeedRepeatsARunExactly) {
  EXPECT_EQ(History(1), History(1));
  EXPECT_NE(History(1), History(2));
}

TEST(FaultyStore, FaultNamesAreDifferent) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kStoreFaults; ++i) names.insert(ToString(static_cast<StoreFault>(i)));
  EXPECT_EQ(names.size(), kStoreFaults);
}

}  // namespace
}  // namespace weir::io
