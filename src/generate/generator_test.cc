#include "generate/generator.h"

#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "generate/partitioner.h"

namespace weir::generate {
namespace {

using ::testing::HasSubstr;

struct Kept {
  std::string key;
  std::optional<std::string> value;
  std::int64_t timestamp_ms = 0;
  std::optional<Partition> partition;
  Planted planted;
};

std::vector<Kept> DrawAll(const GeneratorOptions& options, Micros now = 0) {
  auto made = Generator::Make(options, now);
  EXPECT_TRUE(made) << made.error().ToString();
  std::vector<Kept> all;
  GeneratedEvent event;
  while ((*made)->Next(&event)) {
    all.push_back({.key = std::string(event.key),
                   .value = event.value ? std::optional(std::string(*event.value)) : std::nullopt,
                   .timestamp_ms = event.timestamp_ms,
                   .partition = event.partition,
                   .planted = event.planted});
  }
  return all;
}

GeneratorOptions Counted(std::uint64_t count, std::uint64_t seed = 1) {
  GeneratorOptions options;
  options.seed = seed;
  options.count = count;
  return options;
}

std::string Digest(const std::vector<Kept>& events) {
  std::string text;
  for (const Kept& event : events) {
    text += event.key + "\t" + std::to_string(event.timestamp_ms) + "\t" +
            event.value.value_or("-") + "\n";
  }
  return Sha256Hex(text);
}

FaultPlan Faults(std::string_view text) { return *ParseFaults(text); }

// These digests are a promise: answer keys, benchmarks and bug reports name corpora by their seed.
// A change here is a breaking change and belongs into docs/GENERATOR.md.
TEST(Generator, FirstTenThousandRecordsNeverChange) {
  EXPECT_EQ(Digest(DrawAll(Counted(10'000, 1))),
            "bf07a9bd5587449894188fcdf7b4a23febd0ee8e4b9272a5c5e5204c1ec88516");
  EXPECT_EQ(Digest(DrawAll(Counted(10'000, 42))),
            "85092be1f549a79f2d0580466c661b9f7c3c11f48f0b02e950397b6db2bd3517");
  GeneratorOptions faulty = Counted(10'000, 7);
  faulty.faults = Faults("late=2%:20m,dup=5%,bad=1%,tombstone=0.5%");
  faulty.start = DayOf(2025, 12, 31) * kMicrosPerDay + 86'000 * kMicrosPerSecond;
  EXPECT_EQ(Digest(DrawAll(faulty)),
            "eefb149d5deadb8324e279fea81fb8d21d3b1c5c65f76c6519e35ae75c1fcb46");
  GeneratorOptions events = Counted(10'000, 1);
  events.shape = "events";
  EXPECT_EQ(Digest(DrawAll(events)),
            "5b28f530f240ee72aa8f3897b66d4f9fc72d485a6815b45f5fdfa6e6dcbba435");
}

TEST(Generator, LongerRunStartsWithTheShorterOne) {
  const std::vector<Kept> longer = DrawAll(Counted(2'000));
  const std::vector<Kept> shorter = DrawAll(Counted(500));
  ASSERT_EQ(longer.size(), 2'000U);
  ASSERT_EQ(shorter.size(), 500U);
  for (std::size_t i = 0; i < shorter.size(); ++i) EXPECT_EQ(shorter[i].value, longer[i].value);
}

TEST(Generator, SeedsAreUnrelated) {
  std::set<std::optional<std::string>> seen;
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const Kept& event : DrawAll(Counted(1'000, seed))) seen.insert(event.value);
  }
  EXPECT_EQ(seen.size(), 3'000U);
}

TEST(Generator, StartMovesTimesAndNothingElse) {
  GeneratorOptions moved = Counted(500);
  moved.start = kDefaultStart + 2 * kMicrosPerDay;
  const std::vector<Kept> here = DrawAll(Counted(500));
  const std::vector<Kept> there = DrawAll(moved);
  for (std::size_t i = 0; i < here.size(); ++i) {
    EXPECT_EQ(there[i].planted.event_id, here[i].planted.event_id);
    EXPECT_EQ(there[i].planted.event_time, here[i].planted.event_time + 2 * kMicrosPerDay);
  }
}

TEST(Generator, EventIdsAreUniqueUuids) {
  std::set<std::string> ids;
  for (const Kept& event : DrawAll(Counted(5'000))) {
    const UuidText id = ToUuidText(event.planted.event_id);
    ids.emplace(id.data(), id.size());
  }
  ASSERT_EQ(ids.size(), 5'000U);
  for (const std::string& id : ids) {
    EXPECT_THAT(
        id, ::testing::MatchesRegex("[0-9a-f]+-[0-9a-f]+-4[0-9a-f]+-[89ab][0-9a-f]+-[0-9a-f]+"));
  }
}

TEST(Generator, NoEventIsBeforeTheStartOrAfterItsArrival) {
  for (const Kept& event : DrawAll(Counted(5'000))) {
    EXPECT_GE(event.planted.event_time, kDefaultStart);
    EXPECT_LE(event.planted.event_time, event.timestamp_ms * kMicrosPerMilli + 999);
  }
}

// Visits as a reader of the log sees them.
struct SeenVisit {
  Micros last = 0;
  std::set<std::string> steps;
  std::set<std::string> users;
};

TEST(Generator, VisitsKeepTheirOrderAndTheFunnels) {
  std::map<std::string, SeenVisit> visits;
  const std::map<std::string, std::string> needs = {{"add_to_cart", "product_view"},
                                                    {"remove_from_cart", "add_to_cart"},
                                                    {"checkout_start", "add_to_cart"},
                                                    {"purchase", "checkout_start"}};
  std::map<std::string, int> types;
  bool disorder_between_users = false;
  Micros newest = 0;
  for (const Kept& event : DrawAll(Counted(20'000))) {
    const auto json = nlohmann::json::parse(*event.value);
    const auto type = json.at("event_type").get<std::string>();
    SeenVisit& visit = visits[json.at("session_id").get<std::string>()];
    EXPECT_GE(event.planted.event_time, visit.last);
    visit.last = event.planted.event_time;
    visit.users.insert(event.key);
    const auto need = needs.find(type);
    EXPECT_TRUE(need == needs.end() || visit.steps.contains(need->second)) << json;
    visit.steps.insert(type);
    ++types[type];
    disorder_between_users = disorder_between_users || event.planted.event_time < newest;
    newest = std::max(newest, event.planted.event_time);
    EXPECT_GT(event.planted.event_time, newest - 6 * kMicrosPerSecond);
  }
  EXPECT_TRUE(disorder_between_users);
  for (const auto& [session, visit] : visits) EXPECT_EQ(visit.users.size(), 1U);
  EXPECT_EQ(types.size(), kEventTypeCount);
  EXPECT_GT(types["product_view"], types["add_to_cart"]);
  EXPECT_GT(types["add_to_cart"], types["checkout_start"]);
  EXPECT_GT(types["checkout_start"], types["purchase"]);
  EXPECT_GT(types["purchase"], 200);
}

TEST(Generator, FewUsersMakeManyOfTheVisits) {
  std::map<std::string, int> users;
  for (const Kept& event : DrawAll(Counted(50'000))) ++users[event.key];
  std::vector<int> counts;
  counts.reserve(users.size());
  for (const auto& [user, count] : users) counts.push_back(count);
  std::sort(counts.rbegin(), counts.rend());
  ASSERT_GT(counts.size(), 5'000U);
  int tenth = 0;
  for (std::size_t i = 0; i < counts.size() / 10; ++i) tenth += counts[i];
  EXPECT_GT(tenth, 50'000 / 4);
  EXPECT_LT(counts[0], 50'000 / 50);
}

TEST(Generator, KeysDecideThePartitionAsInKafka) {
  GeneratorOptions options = Counted(2'000);
  options.partitions = 5;
  std::set<Partition> used;
  for (const Kept& event : DrawAll(options)) {
    ASSERT_TRUE(event.partition);
    EXPECT_EQ(*event.partition, PartitionOf(event.key, 5));
    used.insert(*event.partition);
  }
  EXPECT_EQ(used.size(), 5U);
}

TEST(Generator, RateStartsNowAndIsEven) {
  GeneratorOptions options = Counted(3'001);
  options.rate = 1'000;
  options.faults = Faults("dup=5%,tombstone=1%");
  const Micros now = DayOf(2026, 1, 1) * kMicrosPerDay;
  const std::vector<Kept> events = DrawAll(options, now);
  EXPECT_EQ(events.front().timestamp_ms, now / kMicrosPerMilli);
  EXPECT_EQ(events.back().timestamp_ms, now / kMicrosPerMilli + 3'000);
  options.start = kDefaultStart;
  EXPECT_EQ(DrawAll(options, now).front().timestamp_ms, kDefaultStart / kMicrosPerMilli);
}

std::map<Fault, int> CountFaults(const std::vector<Kept>& events) {
  std::map<Fault, int> counts;
  for (const Kept& event : events) ++counts[event.planted.fault];
  return counts;
}

TEST(Generator, FaultsComeAtTheAskedShares) {
  GeneratorOptions options = Counted(40'000, 3);
  options.faults = Faults("late=2%:20m,dup=5%,bad=0.5%,tombstone=0.25%");
  std::map<Fault, int> counts = CountFaults(DrawAll(options));
  EXPECT_NEAR(counts[Fault::kLate], 800, 80);
  EXPECT_NEAR(counts[Fault::kDuplicate], 2'000, 150);
  EXPECT_NEAR(counts[Fault::kBad], 200, 40);
  EXPECT_NEAR(counts[Fault::kTombstone], 100, 30);
}

TEST(Generator, EveryRecordCanBeBad) {
  GeneratorOptions options = Counted(100);
  options.faults = Faults("bad=100%");
  std::set<const Flaw*> flaws;
  for (const Kept& event : DrawAll(options)) {
    EXPECT_EQ(event.planted.fault, Fault::kBad);
    flaws.insert(event.planted.flaw);
  }
  const Catalogue catalogue;
  EXPECT_EQ(flaws.size(), MakeShape("retail", catalogue)->flaws().size());
}

// Also the promise of docs/GENERATOR.md that a corpus without faults says the same as the one
// with them: the same good events in the same order.
TEST(Generator, FaultsDoNotChangeWhatGoodEventsSay) {
  GeneratorOptions options = Counted(3'000, 5);
  options.faults = Faults("late=2%:20m,dup=5%,bad=2%,tombstone=1%");
  const std::vector<Kept> clean = DrawAll(Counted(3'000, 5));
  std::size_t at = 0;
  for (const Kept& event : DrawAll(options)) {
    const Fault fault = event.planted.fault;
    if (fault == Fault::kDuplicate || fault == Fault::kTombstone) continue;
    ASSERT_LT(at, clean.size());
    if (fault == Fault::kNone) {
      EXPECT_EQ(event.value, clean[at].value);
    } else if (fault == Fault::kLate) {
      EXPECT_EQ(event.planted.event_id, clean[at].planted.event_id);
    }
    ++at;
  }
}

TEST(Generator, DuplicatesAreExactCopiesOfARecentGoodEvent) {
  GeneratorOptions options = Counted(5'000);
  options.faults = Faults("late=5%,dup=10%,bad=5%");
  std::vector<std::string> good;
  for (const Kept& event : DrawAll(options)) {
    if (event.planted.fault == Fault::kDuplicate) {
      const auto recent = good.size() > kDuplicateDistance
                              ? good.end() - static_cast<std::ptrdiff_t>(kDuplicateDistance)
                              : good.begin();
      EXPECT_TRUE(std::find(recent, good.end(), event.key + *event.value) != good.end());
    } else if (event.planted.fault == Fault::kNone) {
      good.push_back(event.key + *event.value);
    }
  }
}

TEST(Generator, LateEventsAreBehindTheStreamByTheAskedTime) {
  GeneratorOptions options = Counted(5'000);
  options.faults = Faults("late=3%:20m");
  options.partitions = 4;
  std::map<Partition, Micros> newest;
  for (const Kept& event : DrawAll(options)) {
    if (event.planted.fault == Fault::kLate) {
      const Micros behind = event.timestamp_ms * kMicrosPerMilli - event.planted.event_time;
      EXPECT_NEAR(static_cast<double>(behind), 20.0 * 60 * kMicrosPerSecond, 1'000.0);
      // Late also for a watermark of its own partition with a delay of ten minutes.
      ASSERT_TRUE(newest.contains(*event.partition));
      EXPECT_LT(event.planted.event_time, newest[*event.partition] - 600 * kMicrosPerSecond);
    } else {
      Micros& time = newest[*event.partition];
      time = std::max(time, event.planted.event_time);
    }
  }
}

TEST(Generator, RefusesOptionsThatCannotWork) {
  const auto refusal = [](auto change) {
    GeneratorOptions options = Counted(1);
    change(options);
    auto made = Generator::Make(options, 0);
    EXPECT_FALSE(made);
    if (made) return std::string();
    EXPECT_EQ(made.error().code, ErrorCode::kUsage);
    return made.error().message;
  };
  EXPECT_THAT(refusal([](GeneratorOptions& o) { o.count.reset(); }),
              HasSubstr("--count or --rate"));
  EXPECT_THAT(refusal([](GeneratorOptions& o) { o.rate = 0; }), HasSubstr("--rate"));
  EXPECT_THAT(refusal([](GeneratorOptions& o) { o.mean_rate = 0; }), HasSubstr("mean rate"));
  EXPECT_THAT(refusal([](GeneratorOptions& o) { o.partitions = -1; }), HasSubstr("partitions"));
  EXPECT_THAT(refusal([](GeneratorOptions& o) { o.start = -1; }), HasSubstr("--start"));
  EXPECT_THAT(refusal([](GeneratorOptions& o) { o.shape = "retial"; }),
              HasSubstr("only retail, events"));
}

}  // namespace
}  // namespace weir::generate
