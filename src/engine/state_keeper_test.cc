#include "engine/state_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::engine {
namespace {

using Scope = StateKeeper::Scope;
using Parts = StateKeeper::Parts;

class StateKeeperTest : public testing::Test {
 protected:
  // Saves an epoch in which each scope leaves its kind and number, and bytes of this weight.
  void Save(StateKeeper& keeper, std::int64_t epoch, std::size_t weight) {
    const Status saved = keeper.Save(epoch, scopes_, [&](const Scope&, bool base) {
      return Parts{
          {"op", (base ? "base" : "delta") + std::to_string(epoch) + std::string(weight, 'x')}};
    });
    ASSERT_TRUE(saved) << saved.error().ToString();
    ASSERT_TRUE(keeper.Collect());
  }

  state::Claim ClaimOf(const StateKeeper& keeper) const {
    state::Claim claim;
    claim.shared.state = keeper.chain(std::nullopt);
    claim.partitions[Partition(0)].start.state = keeper.chain(Partition(0));
    return claim;
  }

  // What a restart reads of the shared scope, without its weight.
  std::vector<std::string> ReadBack(const state::Claim& claim) {
    StateKeeper keeper(log_, "next");
    std::vector<std::string> read;
    const Status restored = keeper.Restore(claim, [&](const Scope& scope, const Parts& parts) {
      if (!scope) read.push_back(parts.at("op").substr(0, parts.at("op").find('x')));
      return Ok();
    });
    EXPECT_TRUE(restored) << restored.error().ToString();
    return read;
  }

  std::unique_ptr<io::Store> store_ = io::NewMemoryStore();
  state::StateLog log_{*store_};
  std::set<Scope> scopes_{std::nullopt, Partition(0)};
};

TEST_F(StateKeeperTest, ARestartReadsTheBaseAndItsDeltasInOrder) {
  StateKeeper keeper(log_, "w");
  for (std::int64_t epoch = 1; epoch <= 4; ++epoch) Save(keeper, epoch, 10);
  EXPECT_THAT(ReadBack(ClaimOf(keeper)),
              testing::ElementsAre("base1", "delta2", "delta3", "delta4"));
}

TEST_F(StateKeeperTest, HeavyDeltasBringANewBaseAndOldObjectsGo) {
  StateKeeper keeper(log_, "w");
  for (std::int64_t epoch = 1; epoch <= 6; ++epoch) Save(keeper, epoch, 600'000);
  EXPECT_THAT(ReadBack(ClaimOf(keeper)), testing::ElementsAre("base4", "delta5", "delta6"));
  EXPECT_THAT(*log_.States("w"), testing::ElementsAre(4, 5, 6));
}

TEST_F(StateKeeperTest, ALongRunOfSmallEpochsStaysQuickToRead) {
  StateKeeper keeper(log_, "w");
  for (std::int64_t epoch = 1; epoch <= 2'000; ++epoch) Save(keeper, epoch, 0);
  EXPECT_LE(ReadBack(ClaimOf(keeper)).size(), 512U);
  EXPECT_LE(log_.States("w")->size(), 512U);
}

TEST_F(StateKeeperTest, AnObjectThatIsGoneIsDamage) {
  StateKeeper keeper(log_, "w");
  for (std::int64_t epoch = 1; epoch <= 3; ++epoch) Save(keeper, epoch, 10);
  ASSERT_TRUE(log_.DeleteState("w", 2));
  StateKeeper next(log_, "next");
  const Status restored =
      next.Restore(ClaimOf(keeper), [](const Scope&, const Parts&) { return Ok(); });
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().code, ErrorCode::kStateCorrupt);
}

TEST_F(StateKeeperTest, ASuccessorGoesOnFromTheChainOfTheDead) {
  StateKeeper first(log_, "w1");
  for (std::int64_t epoch = 1; epoch <= 2; ++epoch) Save(first, epoch, 10);
  StateKeeper second(log_, "w2");
  ASSERT_TRUE(second.Restore(ClaimOf(first), [](const Scope&, const Parts&) { return Ok(); }));
  Save(second, 1, 10);
  EXPECT_EQ(second.chain(std::nullopt), (state::StateChain{{"w1", 1, 2}, {"w2", 1, 1}}));
  EXPECT_THAT(ReadBack(ClaimOf(second)), testing::ElementsAre("base1", "delta2", "delta1"));
}

}  // namespace
}  // namespace weir::engine
