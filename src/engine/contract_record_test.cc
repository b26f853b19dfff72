#include "engine/contract_record.h"

#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/must.h"
#include "config/contract_writer.h"
#include "engine/ownership.h"
#include "io/store.h"

namespace weir::engine {
namespace {

using testing::ElementsAre;
using testing::Pair;

Contract ContractOf(const std::vector<std::string>& names) {
  Contract contract;
  for (const std::string& name : names) {
    contract.fields.emplace_back();
    contract.fields.back().field.name = name;
  }
  return contract;
}

Contract Old() { return ContractOf({"id"}); }
Contract New() { return ContractOf({"id", "coupon"}); }

// Processes that claim, one after the other, and record their contracts when they come to it.
class ContractRecordTest : public testing::Test {
 protected:
  ContractRecordTest() {
    Must(PutFirstClaim(log_, clock_, 0, IdentityOf("first", Old()), {{Partition(0), {}}}));
    Record(Old(), Take("first", Old()));
  }

  state::Claim Take(const std::string& writer, const Contract& contract) {
    Applier applier(clock_, {}, {});
    return Must(TakeAll(log_, clock_, applier, IdentityOf(writer, contract), {},
                        [](auto&) { return Ok(); }));
  }
  void Record(const Contract& contract, const state::Claim& claim) {
    Must(RecordContract(log_, clock_, contract, claim));
  }
  // The claim of each entry, and whether it is of the new contract.
  std::vector<std::pair<std::int64_t, bool>> Recorded() {
    std::vector<std::pair<std::int64_t, bool>> out;
    for (const auto& entry : Must(log_.Contracts())) {
      out.emplace_back(entry.claim, entry.hash == config::ContractHash(New()));
    }
    return out;
  }

 private:
  static ClaimIdentity IdentityOf(const std::string& writer, const Contract& contract) {
    return {.pipeline = "shop",
            .writer = writer,
            .topic = "t",
            .topic_id = {},
            .cluster_id = {},
            .config_hash = {},
            .contract = config::ContractHash(contract),
            .table_uuids = {}};
  }

  ManualClock clock_{0};
  std::unique_ptr<io::Store> store_ = io::NewMemoryStore(clock_);
  state::StateLog log_{*store_};
};

TEST_F(ContractRecordTest, ARestartByTheSameContractRecordsNothing) {
  Record(Old(), Take("second", Old()));
  EXPECT_THAT(Recorded(), ElementsAre(Pair(1, false)));
}

TEST_F(ContractRecordTest, EachChangeIsRecordedWithItsClaim) {
  Record(New(), Take("second", New()));
  Record(Old(), Take("third", Old()));
  EXPECT_THAT(Recorded(), ElementsAre(Pair(1, false), Pair(2, true), Pair(3, false)));
}

TEST_F(ContractRecordTest, WhoIsOvertakenBeforeItRecordsWasNeverInForce) {
  const state::Claim second = Take("second", New());
  const state::Claim third = Take("third", Old());
  Record(New(), second);
  Record(Old(), third);
  EXPECT_THAT(Recorded(), ElementsAre(Pair(1, false), Pair(3, false)));
}

// The overtaken one may be between its look at the claims and its put: then its contract comes to
// stand there, and the one of whoever overtook must come behind it.
TEST_F(ContractRecordTest, WhoOvertakesAnotherContractRecordsItsOwnInAnyCase) {
  Take("second", New());
  Record(Old(), Take("third", Old()));
  EXPECT_THAT(Recorded(), ElementsAre(Pair(1, false), Pair(3, false)));
}

}  // namespace
}  // namespace weir::engine
