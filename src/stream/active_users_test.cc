#include "stream/active_users.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace weir::stream {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Micros kMinute = 60 * kMicrosPerSecond;
constexpr Micros kYear = 365 * kMicrosPerDay;

struct Visit {
  std::string user;
  Micros time = 0;
};

Schema Rows() {
  Schema schema;
  schema.fields = {{.name = "user", .type = Type::Of(TypeKind::kString), .doc = {}}};
  return schema;
}

std::unique_ptr<ActiveUsers> Fresh() {
  return std::make_unique<ActiveUsers>(Rows(), ActiveUserRules{.user = "user"});
}

void Add(ActiveUsers& active, const std::vector<Visit>& visits) {
  Batch batch(std::make_shared<Schema>(Rows()));
  std::vector<EventRow> rows;
  for (const Visit& visit : visits) {
    visit.user.empty() ? batch.columns[0].AppendNull() : batch.columns[0].AppendString(visit.user);
    batch.records.push_back(static_cast<std::uint32_t>(rows.size()));
    rows.push_back({.row = static_cast<std::uint32_t>(rows.size()),
                    .partition = Partition(0),
                    .offset = Offset(static_cast<std::int64_t>(rows.size())),
                    .event_time = visit.time});
  }
  active.Add(batch, rows);
}

std::vector<std::string> Close(ActiveUsers& active, Micros watermark) {
  Batch out(std::make_shared<Schema>(ActiveUserColumns()));
  active.Close(watermark, &out);
  std::vector<std::string> rows;
  for (std::size_t row = 0; row < out.rows(); ++row) {
    EXPECT_EQ(out.columns[0].Long(row) % kMinute, 0);
    rows.push_back(fmt::format("{}: {} {}", out.columns[0].Long(row) / kMinute,
                               out.columns[1].Long(row), out.columns[2].Long(row)));
  }
  return rows;
}

TEST(ActiveUsersTest, EventOnTheMinuteCountsInTheNextOnes) {
  const auto active = Fresh();
  Add(*active, {{"a", 10 * kMinute}, {"b", 10 * kMinute - 1}});
  EXPECT_THAT(Close(*active, 10 * kMinute), ElementsAre("10: 1 1"));
  EXPECT_THAT(Close(*active, 11 * kMinute), ElementsAre("11: 2 2"));
}

TEST(ActiveUsersTest, WindowsAreFiveAndThirtyMinutesLong) {
  const auto active = Fresh();
  Add(*active, {{"a", 0}});
  const std::vector<std::string> rows = Close(*active, 100 * kMinute);
  ASSERT_THAT(rows, SizeIs(30));
  EXPECT_EQ(rows[0], "1: 1 1");
  EXPECT_EQ(rows[4], "5: 1 1");
  EXPECT_EQ(rows[5], "6: 0 1");
  EXPECT_EQ(rows[29], "30: 0 1");
}

TEST(ActiveUsersTest, MinuteIsGivenOutOnceWhenTheWatermarkReachesIt) {
  const auto active = Fresh();
  Add(*active, {{"a", 30}});
  EXPECT_THAT(Close(*active, kNoWatermark), IsEmpty());
  EXPECT_THAT(Close(*active, kMinute - 1), IsEmpty());
  EXPECT_THAT(Close(*active, kMinute), ElementsAre("1: 1 1"));
  EXPECT_THAT(Close(*active, kMinute), IsEmpty());
}

TEST(ActiveUsersTest, UserCountsOnceHoweverOftenSeenAndNullIsNobody) {
  const auto active = Fresh();
  Add(*active, {{"a", 1}, {"", 2}, {"a", 3}, {"a", kMinute + 1}, {"b", kMinute + 1}, {"", kYear}});
  EXPECT_THAT(Close(*active, 2 * kMinute), ElementsAre("1: 1 1", "2: 2 2"));
  EXPECT_THAT(Close(*active, 2 * kYear), SizeIs(29));
}

TEST(ActiveUsersTest, TimesBefore1970AndJumpsOverYearsTakeNoTime) {
  const auto active = Fresh();
  Add(*active, {{"a", -1}, {"b", 4000 * kYear}});
  EXPECT_THAT(Close(*active, -kMinute), IsEmpty());
  EXPECT_THAT(Close(*active, 0), ElementsAre("0: 1 1"));
  EXPECT_THAT(Close(*active, 4000 * kYear), SizeIs(29));
  EXPECT_THAT(Close(*active, std::numeric_limits<Micros>::max()), SizeIs(30));
}

std::vector<std::string> Naive(const std::vector<Visit>& visits, Micros watermark) {
  std::vector<std::string> rows;
  for (std::int64_t minute = -100; minute * kMinute <= watermark; ++minute) {
    std::set<std::string> five;
    std::set<std::string> thirty;
    for (const Visit& visit : visits) {
      if (visit.time >= minute * kMinute || visit.user.empty()) continue;
      if (visit.time >= (minute - 30) * kMinute) thirty.insert(visit.user);
      if (visit.time >= (minute - 5) * kMinute) five.insert(visit.user);
    }
    if (!thirty.empty())
      rows.push_back(fmt::format("{}: {} {}", minute, five.size(), thirty.size()));
  }
  return rows;
}

TEST(ActiveUsersTest, RandomVisitsCutsAndRestartsEqualANaiveComputation) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    auto active = Fresh();
    std::vector<Visit> all;
    std::vector<std::string> parts;
    std::vector<std::string> rows;
    Micros watermark = -90 * kMinute;
    for (int epoch = 0; epoch < 12; ++epoch) {
      std::vector<Visit> visits;
      for (std::uint64_t i = random.Below(6); i > 0; --i) {
        const std::uint64_t user = random.Below(6);
        visits.push_back({user == 0 ? "" : "u" + std::to_string(user),
                          watermark + static_cast<Micros>(random.Below(80)) * kMinute / 4});
      }
      Add(*active, visits);
      all.insert(all.end(), visits.begin(), visits.end());
      watermark += static_cast<Micros>(random.Below(random.Chance(0.1) ? 300 : 60)) * kMinute / 4;
      for (std::string& row : Close(*active, watermark)) rows.push_back(std::move(row));
      ASSERT_EQ(rows, Naive(all, watermark));
      WireWriter out;
      if (parts.empty() || random.Chance(0.3)) {
        parts.clear();
        active->WriteBase(out);
      } else {
        active->WriteDelta(out);
      }
      parts.push_back(out.Take());
      if (!random.Chance(0.4)) continue;
      active = Fresh();
      for (const std::string& part : parts) {
        WireReader in(part);
        ASSERT_TRUE(active->Read(in).ok());
        ASSERT_TRUE(in.at_end());
      }
      Close(*active, watermark);
    }
  }
}

TEST(ActiveUsersTest, ManyUsers) {
  const auto active = Fresh();
  std::vector<Visit> visits;
  visits.reserve(20'000);
  for (int i = 0; i < 20'000; ++i) {
    visits.push_back({"user" + std::to_string(i % 5000), i % 20 * kMinute});
  }
  Add(*active, visits);
  EXPECT_GT(active->bytes(), 20'000U * 4);
  const std::vector<std::string> rows = Close(*active, 20 * kMinute);
  ASSERT_THAT(rows, SizeIs(20));
  EXPECT_EQ(rows[19], "20: 1250 5000");
  EXPECT_THAT(Close(*active, 1000 * kMinute), SizeIs(29));
}

TEST(ActiveUsersTest, DamagedStateIsRefusedOrHarmless) {
  const auto active = Fresh();
  Add(*active, {{"a", 1}, {"b", kMinute}, {"c", 900 * kMinute}, {"d", 900 * kMinute}});
  WireWriter out;
  active->WriteBase(out);
  Random random(4);
  for (std::size_t size = 0; size < out.size(); ++size) {
    WireReader in(std::string_view(out.bytes()).substr(0, size));
    const Status status = Fresh()->Read(in);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kStateCorrupt);
  }
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = out.bytes();
    damaged[random.Below(damaged.size())] = static_cast<char>(random.Next());
    WireReader in(damaged);
    const auto other = Fresh();
    refused += other->Read(in).ok() ? 0 : 1;
    Close(*other, std::numeric_limits<Micros>::max());
  }
  EXPECT_GT(refused, 300);
  ActiveUsers of_number({.fields = {{.name = "n", .type = Type::Of(TypeKind::kLong), .doc = {}}}},
                        {.user = "n"});
  WireReader in(out.bytes());
  EXPECT_FALSE(of_number.Read(in).ok()) << "users are another column";
}

}  // namespace
}  // namespace weir::stream
