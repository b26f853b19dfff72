#include "stream/dedupe.h"

#include <limits>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace weir::stream {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Micros kMinute = 60 * kMicrosPerSecond;
constexpr Micros kTen = 1'756'720'800 * kMicrosPerSecond;  // 2025-09-01T10:00:00Z
constexpr Partition kP0(0);

struct Event {
  std::string id;
  Micros time = kTen;
  Micros watermark = kNoWatermark;
  std::int32_t partition = 0;
};

Schema TextSchema(std::vector<std::string> names) {
  Schema schema;
  for (std::string& name : names) {
    schema.fields.emplace_back();
    schema.fields.back().name = std::move(name);
  }
  return schema;
}

DedupeRules Rules(Micros horizon, bool compact, std::vector<std::string> key = {"id"}) {
  DedupeRules rules;
  rules.key = std::move(key);
  rules.horizon = horizon;
  rules.compact = compact;
  return rules;
}

// Feeds events and tells which ids were duplicates.
struct Feed {
  Dedupe* dedupe;
  std::vector<std::string> operator()(const std::vector<Event>& events) const {
    Batch batch(std::make_shared<Schema>(TextSchema({"id"})));
    std::vector<EventRow> rows;
    for (const Event& event : events) {
      const auto row = static_cast<std::uint32_t>(batch.rows());
      rows.push_back({row, Partition(event.partition), Offset(row), event.time, event.watermark});
      batch.columns[0].AppendString(event.id);
      batch.records.push_back(row);
    }
    std::vector<EventRow> duplicates;
    dedupe->Admit(batch, &rows, &duplicates);
    EXPECT_EQ(rows.size() + duplicates.size(), events.size());
    std::vector<std::string> ids;
    ids.reserve(duplicates.size());
    for (const EventRow& row : duplicates) {
      ids.emplace_back(batch.columns[0].String(row.row));
    }
    return ids;
  }
};

class DedupeTest : public testing::TestWithParam<bool> {
 protected:
  Dedupe Make(Micros horizon = 10 * kMinute) const {
    return Dedupe(TextSchema({"id"}), Rules(horizon, GetParam()));
  }
};

INSTANTIATE_TEST_SUITE_P(Modes, DedupeTest, testing::Values(false, true),
                         [](const auto& mode) { return mode.param ? "Compact" : "Exact"; });

TEST_P(DedupeTest, TheFirstRowWinsWithinABatchAndAcrossBatches) {
  Dedupe dedupe = Make();
  const Feed feed{&dedupe};
  EXPECT_THAT(feed({{"a"}, {"b"}, {"a"}, {"c"}, {"a"}}), ElementsAre("a", "a"));
  EXPECT_THAT(feed({{"d"}, {"c"}}), ElementsAre("c"));
  EXPECT_EQ(dedupe.keys(), 4U);
}

TEST_P(DedupeTest, KeepsTheOrderOfRowsAndOfDuplicates) {
  Dedupe dedupe = Make();
  Batch batch(std::make_shared<Schema>(TextSchema({"id"})));
  std::vector<EventRow> rows;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    batch.columns[0].AppendString(std::to_string(i % 700));
    batch.records.push_back(i);
    rows.push_back({i, kP0, Offset(i), kTen, kNoWatermark});
  }
  std::vector<EventRow> duplicates;
  dedupe.Admit(batch, &rows, &duplicates);
  ASSERT_EQ(rows.size(), 700U);
  ASSERT_EQ(duplicates.size(), 300U);
  for (std::uint32_t i = 0; i < 700; ++i) EXPECT_EQ(rows[i].row, i);
  for (std::uint32_t i = 0; i < 300; ++i) EXPECT_EQ(duplicates[i].row, 700 + i);
}

// The time of the first row counts, and equality still holds the key.
TEST_P(DedupeTest, AKeyIsHeldUntilTheWatermarkIsTheHorizonPastIt) {
  Dedupe dedupe = Make(10 * kMinute);
  const Feed feed{&dedupe};
  feed({{"a", kTen}, {"b", kTen}});
  const Micros last = kTen + 10 * kMinute;
  EXPECT_THAT(feed({{"a", last, last}}), ElementsAre("a"));
  EXPECT_THAT(feed({{"b", last + 1, last + 1}}), IsEmpty());
  EXPECT_THAT(feed({{"b", last + 1, last + 1}}), ElementsAre("b"));
}

TEST_P(DedupeTest, ADuplicateDoesNotRenewItsKey) {
  Dedupe dedupe = Make(10 * kMinute);
  const Feed feed{&dedupe};
  feed({{"a", kTen}});
  EXPECT_THAT(feed({{"a", kTen + 9 * kMinute, kTen}}), ElementsAre("a"));
  EXPECT_THAT(feed({{"a", kTen + 15 * kMinute, kTen + 10 * kMinute + 1}}), IsEmpty());
}

TEST_P(DedupeTest, SweepingChangesNoAnswer) {
  Dedupe dedupe = Make(10 * kMinute);
  const Feed feed{&dedupe};
  feed({{"old", kTen}, {"edge", kTen + kMinute}, {"new", kTen + 5 * kMinute}});
  dedupe.Sweep(kP0, kTen + 11 * kMinute);
  EXPECT_EQ(dedupe.keys(), 2U);
  const Micros watermark = kTen + 11 * kMinute;
  EXPECT_THAT(feed({{"old", watermark, watermark},
                    {"edge", watermark, watermark},
                    {"new", watermark, watermark}}),
              ElementsAre("edge", "new"));
  dedupe.Sweep(Partition(77), watermark);  // nobody there
}

TEST_P(DedupeTest, AHorizonOfZeroHoldsWhatTheWatermarkHasNotPassed) {
  Dedupe dedupe = Make(0);
  const Feed feed{&dedupe};
  feed({{"a", kTen}});
  EXPECT_THAT(feed({{"a", kTen, kTen}}), ElementsAre("a"));
  EXPECT_THAT(feed({{"a", kTen + 1, kTen + 1}}), IsEmpty());
}

// C032: the horizon is the scope, not the day; a copy elsewhere stays and is noticed.
TEST_P(DedupeTest, CopiesInAnotherPartitionStayAndAreCounted) {
  Dedupe dedupe = Make();
  const Feed feed{&dedupe};
  const Micros midnight = 20'000 * kMicrosPerDay;
  EXPECT_THAT(feed({{"a1", midnight - 100'000, kNoWatermark, 0},
                    {"a1", midnight - 100'000, kNoWatermark, 2},
                    {"a1", midnight + 100'000, midnight - 10 * kMinute, 0}}),
              ElementsAre("a1"));
  EXPECT_EQ(dedupe.cross_partition_keys(), 1);
  EXPECT_EQ(dedupe.keys(), 2U);
}

// C031: similar texts are different keys.
TEST_P(DedupeTest, ComparesTextsAsTheyAre) {
  Dedupe dedupe = Make();
  EXPECT_THAT((Feed{&dedupe}({{"a1"}, {"A1"}, {"a1 "}, {""}, {std::string("a1\0", 3)}})),
              IsEmpty());
}

TEST_P(DedupeTest, NullsEqualNothing) {
  Dedupe dedupe = Make();
  Batch batch(std::make_shared<Schema>(TextSchema({"id"})));
  std::vector<EventRow> rows;
  for (std::uint32_t i = 0; i < 3; ++i) {
    batch.columns[0].AppendNull();
    batch.records.push_back(i);
    rows.push_back({i, kP0, Offset(i), kTen, kNoWatermark});
  }
  std::vector<EventRow> duplicates;
  dedupe.Admit(batch, &rows, &duplicates);
  EXPECT_EQ(rows.size(), 3U);
  EXPECT_EQ(dedupe.keys(), 0U);
}

TEST_P(DedupeTest, PartsOfACompositeKeyDoNotRunIntoEachOther) {
  Dedupe dedupe(TextSchema({"x", "y"}), Rules(kMinute, GetParam(), {"x", "y"}));
  Batch batch(std::make_shared<Schema>(TextSchema({"x", "y"})));
  std::vector<EventRow> rows;
  const std::vector<std::pair<std::string, std::string>> keys = {
      {"a", "bc"}, {"ab", "c"}, {"abc", ""}, {"", "abc"}, {"a", "bc"}};
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    batch.columns[0].AppendString(keys[i].first);
    batch.columns[1].AppendString(keys[i].second);
    batch.records.push_back(i);
    rows.push_back({i, kP0, Offset(i), kTen, kNoWatermark});
  }
  std::vector<EventRow> duplicates;
  dedupe.Admit(batch, &rows, &duplicates);
  ASSERT_EQ(duplicates.size(), 1U);
  EXPECT_EQ(duplicates[0].row, 4U);
}

TEST_P(DedupeTest, TimesBefore1970AndFarApart) {
  Dedupe dedupe = Make(10 * kMinute);
  const Feed feed{&dedupe};
  constexpr Micros kYear9999 = 253'402'214'400 * kMicrosPerSecond;
  constexpr Micros kYear1 = -62'135'596'800 * kMicrosPerSecond;
  EXPECT_THAT(feed({{"a", kYear1}, {"b", -1}, {"c", kYear9999}, {"d", -400 * kMicrosPerDay}}),
              IsEmpty());
  EXPECT_THAT(feed({{"a", kYear9999}, {"b", 0}, {"c", 0}, {"d", 5}}),
              ElementsAre("a", "b", "c", "d"));
  // The watermark passes them one after another.
  EXPECT_THAT(feed({{"b", 10 * kMinute - 1, 10 * kMinute - 1}}), ElementsAre("b"));
  EXPECT_THAT(feed({{"a", 10 * kMinute, 10 * kMinute}, {"b", 10 * kMinute, 10 * kMinute}}),
              IsEmpty());
  EXPECT_THAT(feed({{"c", kYear9999, kYear9999}}), ElementsAre("c"));
}

TEST_P(DedupeTest, AKeyIsHeldOnceHoweverFarApartItsTimesAre) {
  constexpr Micros kLater = kTen + 3'650 * kMicrosPerDay;
  const std::vector<std::vector<Event>> orders = {
      {{"a", kTen}, {"a", kLater, kLater}},                // the later one is out of reach
      {{"b", kLater}, {"a", kTen}, {"a", kLater, kLater}}  // the earlier one was
  };
  for (const auto& events : orders) {
    Dedupe dedupe = Make();
    std::string state;
    for (const Event& event : events) {
      EXPECT_THAT(Feed{&dedupe}({event}), IsEmpty());
      WireWriter delta;
      dedupe.WriteDelta(kP0, delta);
      state = delta.Take() + state;  // the last one first: their order does not matter
    }
    EXPECT_EQ(dedupe.keys(), events.size() - 1);
    Dedupe restored = Make();
    WireReader reader(state);
    while (!reader.at_end()) ASSERT_TRUE(restored.Read(kP0, reader).ok());
    EXPECT_EQ(restored.keys(), events.size() - 1);
    EXPECT_THAT(Feed{&restored}({{"a", kLater, kLater}}), ElementsAre("a"));
    EXPECT_THAT(Feed{&dedupe}({{"a", kLater, kLater}}), ElementsAre("a"));
  }
}

TEST_P(DedupeTest, StateComesBackFromBaseAndDeltas) {
  Dedupe dedupe = Make();
  const Feed feed{&dedupe};
  feed({{"a"}, {"b"}});
  WireWriter bytes;
  dedupe.WriteBase(kP0, bytes);
  feed({{"c"}, {"a"}});
  dedupe.WriteDelta(kP0, bytes);
  dedupe.WriteDelta(kP0, bytes);  // nothing new
  Dedupe restored = Make();
  WireReader reader(bytes.bytes());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(restored.Read(kP0, reader).ok());
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(restored.keys(), 3U);
  EXPECT_THAT((Feed{&restored}({{"c"}, {"x"}, {"b"}, {"a"}})), ElementsAre("c", "b", "a"));
}

TEST_P(DedupeTest, ADeltaHoldsOnlyWhatIsNew) {
  Dedupe dedupe = Make();
  std::vector<Event> many;
  many.reserve(20'000);
  for (int i = 0; i < 20'000; ++i) many.push_back({std::to_string(i)});
  Feed{&dedupe}(many);
  WireWriter base;
  dedupe.WriteBase(kP0, base);
  Feed{&dedupe}({{"new"}, {"5"}});
  WireWriter delta;
  dedupe.WriteDelta(kP0, delta);
  EXPECT_GT(base.size(), 20'000U * 8);
  EXPECT_LT(delta.size(), 100U);
}

TEST_P(DedupeTest, DamagedStateIsRefused) {
  Dedupe dedupe = Make();
  Feed{&dedupe}({{"a"}, {"b"}, {"c"}});
  WireWriter out;
  dedupe.WriteBase(kP0, out);
  const std::string good = out.Take();
  const auto read = [&](const std::string& bytes) {
    Dedupe fresh = Make();
    WireReader reader(bytes);
    return fresh.Read(kP0, reader);
  };
  ASSERT_TRUE(read(good).ok());
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    const Status flipped = read(bad);
    ASSERT_FALSE(flipped.ok()) << at;
    EXPECT_EQ(flipped.error().kind, ErrorKind::kCorrupt);
    EXPECT_EQ(flipped.error().code, ErrorCode::kStateCorrupt);
    EXPECT_FALSE(read(good.substr(0, at)).ok()) << at;
  }
}

TEST_P(DedupeTest, ForeignStateIsRefused) {
  Dedupe dedupe = Make();
  WireWriter out;
  dedupe.WriteBase(kP0, out);
  Dedupe other_mode(TextSchema({"id"}), Rules(kMinute, !GetParam()));
  WireReader first(out.bytes());
  EXPECT_FALSE(other_mode.Read(kP0, first).ok());
  Dedupe other_key(TextSchema({"key"}), Rules(kMinute, GetParam(), {"key"}));
  WireReader second(out.bytes());
  EXPECT_FALSE(other_key.Read(kP0, second).ok());
}

// C030: memory follows what is held, not what was ever seen.
TEST_P(DedupeTest, MemoryIsFlatAfterTheFirstHorizon) {
  Dedupe dedupe = Make(10 * kMinute);
  std::size_t peak = 0;
  for (int minute = 0; minute < 100; ++minute) {
    std::vector<Event> events;
    events.reserve(1'000);
    const Micros now = kTen + minute * kMinute;
    for (int i = 0; i < 1'000; ++i) {
      events.push_back({std::to_string(minute * 1'000 + i), now, now - 10 * kMinute});
    }
    EXPECT_THAT(Feed{&dedupe}(events), IsEmpty());
    dedupe.Sweep(kP0, now - 10 * kMinute);
    WireWriter delta;
    dedupe.WriteDelta(kP0, delta);
    if (minute == 50) peak = dedupe.bytes();
  }
  EXPECT_LE(dedupe.keys(), 21'000U);
  EXPECT_LE(dedupe.bytes(), peak + peak / 4);
}

TEST_P(DedupeTest, KeepsWithinItsBytesAKey) {
  Dedupe dedupe = Make();
  std::size_t n = 0;
  std::vector<Event> events(2'000);
  const std::size_t limit = GetParam() ? 16 : 36;
  for (int round = 1; round <= 150; ++round) {
    for (Event& event : events) event = {std::to_string(n++)};
    Feed{&dedupe}(events);
    WireWriter delta;
    dedupe.WriteDelta(kP0, delta);
    if (round % 50 == 0) {
      EXPECT_LE(dedupe.bytes(), dedupe.keys() * limit + (512 << 10)) << dedupe.keys();
    }
  }
  EXPECT_EQ(dedupe.keys(), n);
}

// The definition, as slow as it is plain.
class Naive {
 public:
  explicit Naive(Micros horizon) : horizon_(horizon) {}
  bool IsDuplicate(const Event& event) {
    const auto held = held_.find({event.partition, event.id});
    if (held != held_.end() &&
        (event.watermark == kNoWatermark || held->second >= event.watermark - horizon_)) {
      return true;
    }
    held_[{event.partition, event.id}] = event.time;
    return false;
  }

 private:
  Micros horizon_;
  std::map<std::pair<std::int32_t, std::string>, Micros> held_;
};

// A stream with disorder, repeats and jumps, on-time rows only, watermarks as they would be.
std::vector<Event> Stream(Random& random, std::uint64_t partitions, Micros delay,
                          std::size_t size) {
  std::map<std::int32_t, Micros> newest;
  std::vector<Event> events;
  Micros now = kTen - 21'900 * kMicrosPerDay;
  while (events.size() < size) {
    now += static_cast<Micros>(random.Below(static_cast<std::uint64_t>(kMinute)));
    if (random.Chance(0.01)) now += static_cast<Micros>(random.Below(30)) * kMicrosPerDay;
    Event event;
    event.partition = static_cast<std::int32_t>(random.Below(partitions));
    event.id = std::to_string(random.Below(60));
    event.time = now - static_cast<Micros>(random.Below(12)) * kMinute;
    const auto max = newest.find(event.partition);
    if (max != newest.end()) event.watermark = max->second - delay;
    newest[event.partition] = max == newest.end() ? event.time : std::max(max->second, event.time);
    if (event.time >= event.watermark) events.push_back(event);
  }
  return events;
}

TEST_P(DedupeTest, AgreesWithTheDefinitionUnderAnyCutAndRestart) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    Random random(seed);
    const Micros delay = static_cast<Micros>(random.Below(15)) * kMinute;
    const Micros horizon = static_cast<Micros>(random.Below(30)) * kMinute;
    // Rows of one partition are judged in blocks, those of several one by one while they are few.
    const std::vector<Event> events = Stream(random, seed % 2 == 0 ? 1 : 3, delay, 400);
    Naive naive(horizon);
    Dedupe dedupe = Make(horizon);
    std::map<Partition, std::string> state;
    const auto write = [&](bool base) {
      for (std::int32_t p = 0; p < 3; ++p) {
        WireWriter out;
        base ? dedupe.WriteBase(Partition(p), out) : dedupe.WriteDelta(Partition(p), out);
        if (base) state[Partition(p)].clear();
        state[Partition(p)] += out.Take();
      }
    };
    write(true);
    for (std::size_t at = 0; at < events.size();) {
      const std::size_t n = std::min(events.size() - at, 1 + random.Below(90));
      const std::vector<Event> batch(events.begin() + static_cast<std::ptrdiff_t>(at),
                                     events.begin() + static_cast<std::ptrdiff_t>(at + n));
      std::vector<std::string> expected;
      for (const Event& event : batch) {
        if (naive.IsDuplicate(event)) expected.push_back(event.id);
      }
      ASSERT_EQ((Feed{&dedupe}(batch)), expected) << seed << " at " << at;
      at += n;
      if (random.Chance(0.3)) dedupe.Sweep(Partition(batch[0].partition), batch[0].watermark);
      write(random.Chance(0.2));
      if (!random.Chance(0.3)) continue;
      dedupe = Make(horizon);
      for (const auto& [partition, bytes] : state) {
        WireReader reader(bytes);
        while (!reader.at_end()) ASSERT_TRUE(dedupe.Read(partition, reader).ok());
      }
    }
  }
}

TEST(Dedupe, KeysOfEveryScalarType) {
  Schema schema;
  const std::vector<Type> types = {
      Type::Of(TypeKind::kBoolean), Type::Of(TypeKind::kInt),    Type::Of(TypeKind::kLong),
      Type::Of(TypeKind::kFloat),   Type::Of(TypeKind::kDouble), Type::Decimal(10, 2),
      Type::Of(TypeKind::kDate),    Type::Of(TypeKind::kUuid),   Type::Of(TypeKind::kBinary)};
  std::vector<std::string> key;
  for (const Type& type : types) {
    schema.fields.emplace_back();
    schema.fields.back().name = key.emplace_back("c" + std::to_string(key.size()));
    schema.fields.back().type = type;
  }
  Batch batch(std::make_shared<Schema>(schema));
  const auto append = [&](int changed, double zero) {
    const auto value = [&](int column) { return column == changed ? 1 : 0; };
    std::array<std::uint8_t, 16> uuid = {};
    uuid[15] = static_cast<std::uint8_t>(value(7));
    batch.columns[0].AppendBoolean(value(0) != 0);
    batch.columns[1].AppendInt(value(1));
    batch.columns[2].AppendLong(value(2));
    batch.columns[3].AppendFloat(static_cast<float>(value(3) != 0 ? 1 : zero));
    batch.columns[4].AppendDouble(value(4) != 0 ? 1 : zero);
    batch.columns[5].AppendDecimal(value(5));
    batch.columns[6].AppendInt(value(6));
    batch.columns[7].AppendUuid(uuid);
    batch.columns[8].AppendString(value(8) != 0 ? "1" : "0");
    batch.records.push_back(static_cast<std::uint32_t>(batch.records.size()));
  };
  for (int changed = -1; changed < 9; ++changed) append(changed, 0.0);
  append(-1, -0.0);  // the same as the first row
  std::vector<EventRow> rows;
  for (std::uint32_t i = 0; i < batch.rows(); ++i) {
    rows.push_back({i, kP0, Offset(i), kTen, kNoWatermark});
  }
  std::vector<EventRow> duplicates;
  Dedupe dedupe(schema, Rules(kMinute, false, key));
  dedupe.Admit(batch, &rows, &duplicates);
  ASSERT_EQ(duplicates.size(), 1U);
  EXPECT_EQ(duplicates[0].row, 10U);
}

}  // namespace
}  // namespace weir::stream
