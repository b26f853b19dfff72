#include "stream/windows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace weir::stream {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Micros kMinute = 60 * kMicrosPerSecond;
constexpr Micros kFive = 5 * kMinute;
constexpr Micros kTen = 1'756'720'800 * kMicrosPerSecond;  // 2025-09-01T10:00:00Z

// The rows of the tests: event, user (long), price (decimal(10,2)), weight (double), amount (int).
Contract EventContract() {
  Contract contract;
  const auto add = [&](const char* name, Type type) {
    contract.fields.emplace_back();
    contract.fields.back().field.name = name;
    contract.fields.back().field.type = std::move(type);
  };
  add("event", Type::Of(TypeKind::kString));
  add("user", Type::Of(TypeKind::kLong));
  add("price", Type::Decimal(10, 2));
  add("weight", Type::Of(TypeKind::kDouble));
  add("amount", Type::Of(TypeKind::kInt));
  return contract;
}

struct Event {
  Micros time = kTen;
  std::optional<std::string> event = "view";
  std::optional<std::int64_t> user = 1;
  std::optional<std::int64_t> price = 100;
  std::optional<double> weight = 0.5;
  std::optional<std::int32_t> amount = 1;
  Micros watermark = kNoWatermark;
};

Event At(Micros time) {
  Event event;
  event.time = time;
  return event;
}

Event Named(Micros time, std::optional<std::string> name) {
  Event event = At(time);
  event.event = std::move(name);
  return event;
}

Aggregate Of(AggregateKind kind, std::string column, std::string name) {
  return {kind, std::move(column), std::move(name)};
}

WindowRules CountBy(std::vector<std::string> by) {
  WindowRules rules;
  rules.size = kFive;
  rules.by = std::move(by);
  rules.aggregates = {Of(AggregateKind::kCount, "", "count")};
  return rules;
}

WindowRules Everything() {
  WindowRules rules = CountBy({"event", "amount"});
  rules.aggregates = {Of(AggregateKind::kCount, "", "n"),
                      Of(AggregateKind::kCountDistinct, "user", "users"),
                      Of(AggregateKind::kSum, "user", "user_sum"),
                      Of(AggregateKind::kSum, "price", "price_sum"),
                      Of(AggregateKind::kAvg, "price", "price_avg"),
                      Of(AggregateKind::kSum, "weight", "weight_sum"),
                      Of(AggregateKind::kAvg, "user", "user_avg"),
                      Of(AggregateKind::kMin, "weight", "weight_min"),
                      Of(AggregateKind::kMax, "price", "price_max"),
                      Of(AggregateKind::kMin, "event", "event_min")};
  return rules;
}

std::string Show(const Column& column, std::size_t row) {
  if (column.IsNull(row)) return "-";
  switch (column.type().kind) {
    case TypeKind::kInt:
      return std::to_string(column.Int(row));
    case TypeKind::kLong:
      return std::to_string(column.Long(row));
    case TypeKind::kTimestamp:
      return FormatTime(column.Long(row));
    case TypeKind::kDouble:
      return fmt::format("{}", column.Double(row));
    case TypeKind::kDecimal:
      return DecimalToString(column.Decimal(row), column.type().scale);
    default:
      return std::string(column.String(row));
  }
}

// One operator and the batches that go through it.
class Rig {
 public:
  explicit Rig(const WindowRules& rules)
      : rules_(rules),
        rows_(std::make_shared<Schema>(TableSchema(EventContract()))),
        columns_(std::make_shared<Schema>(WindowColumns(EventContract(), rules).value())),
        windows_(*rows_, rules, *columns_) {}

  // With a dictionary for the event, as the decoder gives it, or without.
  void UseDictionary() { dictionary_ = std::make_shared<Dictionary>(); }

  std::vector<EventRow> Add(const std::vector<Event>& events, bool on_time = false) {
    Batch batch(rows_);
    if (dictionary_) batch.columns[0].UseDictionary(dictionary_);
    std::vector<EventRow> rows;
    for (const Event& event : events) {
      Append(event, &batch);
      const auto row = static_cast<std::uint32_t>(rows.size());
      rows.push_back({row, Partition(0), Offset(row), event.time, event.watermark});
      batch.records.push_back(row);
    }
    std::vector<EventRow> late;
    if (on_time) {
      windows_.AddOnTime(batch, rows, &late);
    } else {
      windows_.Add(batch, rows);
    }
    return late;
  }

  // The rows given out, as texts: "view 2025-... 2025-... 3".
  std::vector<std::string> Close(Micros watermark) {
    Batch out(columns_);
    windows_.Close(watermark, &out);
    std::vector<std::string> lines;
    for (std::size_t row = 0; row < out.rows(); ++row) {
      std::string line;
      for (std::size_t i = 0; i < out.columns.size(); ++i) {
        EXPECT_EQ(out.columns[i].size(), out.rows());
        line += (i == 0 ? "" : " ") + Show(out.columns[i], row);
      }
      lines.push_back(line);
    }
    return lines;
  }

  Windows& operator*() { return windows_; }
  Windows* operator->() { return &windows_; }
  void Restart(const std::string& bytes) {
    windows_.~Windows();
    new (&windows_) Windows(*rows_, rules_, *columns_);
    WireReader reader(bytes);
    while (!reader.at_end()) ASSERT_TRUE(windows_.Read(reader).ok());
  }

 private:
  static void Append(const Event& event, Batch* batch) {
    auto& columns = batch->columns;
    event.event ? columns[0].AppendString(*event.event) : columns[0].AppendNull();
    event.user ? columns[1].AppendLong(*event.user) : columns[1].AppendNull();
    event.price ? columns[2].AppendDecimal(*event.price) : columns[2].AppendNull();
    event.weight ? columns[3].AppendDouble(*event.weight) : columns[3].AppendNull();
    event.amount ? columns[4].AppendInt(*event.amount) : columns[4].AppendNull();
    for (std::size_t i = 5; i < columns.size(); ++i) columns[i].AppendLong(0);
  }

  WindowRules rules_;
  std::shared_ptr<const Schema> rows_;
  std::shared_ptr<const Schema> columns_;
  std::shared_ptr<Dictionary> dictionary_;
  Windows windows_;
};

TEST(Windows, CloseWhenTheWatermarkHasReachedTheirEnd) {
  Rig rig(CountBy({"event"}));
  rig.Add({At(kTen), At(kTen + kFive - 1), At(kTen + kFive)});
  EXPECT_EQ(rig->open_windows(), 2U);
  EXPECT_EQ(rig->earliest_end(), kTen + kFive);
  EXPECT_THAT(rig.Close(kTen + kFive - 1), IsEmpty());
  EXPECT_THAT(rig.Close(kTen + kFive),
              ElementsAre("view 2025-09-01T10:00:00Z 2025-09-01T10:05:00Z 2"));
  EXPECT_THAT(rig.Close(kTen + kFive), IsEmpty());  // once
  EXPECT_EQ(rig->open_groups(), 1U);
  rig.Close(kTen + 2 * kFive);
  EXPECT_EQ(rig->earliest_end(), std::nullopt);
}

TEST(Windows, GiveTheirRowsByStartAndGroup) {
  for (const bool dictionary : {false, true}) {
    Rig rig(CountBy({"event"}));
    if (dictionary) rig.UseDictionary();
    rig.Add({Named(kTen + kFive, "b"), Named(kTen, "c"), Named(kTen, "a"), Named(kTen, {}),
             Named(kTen, "ab"), Named(kTen, ""), Named(kTen + kFive, "a"), Named(kTen, {})});
    EXPECT_THAT(rig.Close(kTen + kMicrosPerDay),
                ElementsAre("- 2025-09-01T10:00:00Z 2025-09-01T10:05:00Z 2",
                            " 2025-09-01T10:00:00Z 2025-09-01T10:05:00Z 1",
                            "a 2025-09-01T10:00:00Z 2025-09-01T10:05:00Z 1",
                            "ab 2025-09-01T10:00:00Z 2025-09-01T10:05:00Z 1",
                            "c 2025-09-01T10:00:00Z 2025-09-01T10:05:00Z 1",
                            "a 2025-09-01T10:05:00Z 2025-09-01T10:10:00Z 1",
                            "b 2025-09-01T10:05:00Z 2025-09-01T10:10:00Z 1"));
  }
}

TEST(Windows, AnotherDictionaryHasOtherCodes) {
  Rig rig(CountBy({"event"}));
  rig.UseDictionary();
  rig.Add({Named(kTen, "a"), Named(kTen, "b")});
  rig.UseDictionary();
  rig.Add({Named(kTen, "b"), Named(kTen, "c"), Named(kTen, "b")});
  EXPECT_THAT(rig.Close(kTen + kFive),
              ElementsAre("a 2025-09-01T10:00:00Z 2025-09-01T10:05:00Z 1",
                          "b 2025-09-01T10:00:00Z 2025-09-01T10:05:00Z 3",
                          "c 2025-09-01T10:00:00Z 2025-09-01T10:05:00Z 1"));
}

TEST(Windows, NoGroupColumnsIsOneGroup) {
  Rig rig(CountBy({}));
  rig.Add({Named(kTen, "a"), Named(kTen, "b")});
  EXPECT_THAT(rig.Close(kTen + kFive), ElementsAre("2025-09-01T10:00:00Z 2025-09-01T10:05:00Z 2"));
}

// C036: windows stand where the epoch puts them, not where the program was started.
TEST(Windows, StandAtTheEpochAndTheOffset) {
  const auto start_of = [](Micros time, Micros size, Micros offset) {
    WindowRules rules = CountBy({});
    rules.size = size;
    rules.offset = offset;
    Rig rig(rules);
    rig.Add({At(time)});
    return FormatTime(*rig->earliest_end() - size);
  };
  EXPECT_EQ(start_of(kTen + kFive, kFive, 0), "2025-09-01T10:05:00Z");
  EXPECT_EQ(start_of(kTen + kFive - 1, kFive, 0), "2025-09-01T10:00:00Z");
  EXPECT_EQ(start_of(kTen, 7 * kMicrosPerDay, 0), "2025-08-28T00:00:00Z");  // a Thursday
  EXPECT_EQ(start_of(kTen, 7 * kMicrosPerDay, 4 * kMicrosPerDay), "2025-09-01T00:00:00Z");
  EXPECT_EQ(start_of(kTen, kFive, -kMinute), "2025-09-01T09:59:00Z");
  EXPECT_EQ(start_of(-1, kFive, 0), "1969-12-31T23:55:00Z");
  EXPECT_EQ(start_of(0, kFive, 0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(start_of(-kFive, kFive, 0), "1969-12-31T23:55:00Z");
  EXPECT_EQ(start_of(-kFive - 1, kFive, 0), "1969-12-31T23:50:00Z");
}

TEST(Windows, ARowThatIsLateByItsTimeMayBeOnTimeForItsWindow) {
  Rig rig(CountBy({}));
  Event open = At(kTen + kMinute);
  open.watermark = kTen + kFive - 1;
  Event closed = At(kTen + kFive - 1);
  closed.watermark = kTen + kFive;  // the end of its window: closed
  const std::vector<EventRow> late = rig.Add({open, closed, open}, true);
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].row, 1U);
  EXPECT_THAT(rig.Close(kTen + kFive), ElementsAre("2025-09-01T10:00:00Z 2025-09-01T10:05:00Z 2"));
}

TEST(Windows, AggregatesPassOverNulls) {
  WindowRules rules = Everything();
  rules.by = {};
  Rig rig(rules);
  Event nothing = At(kTen);
  nothing.user = nothing.price = {};
  nothing.weight = {};
  nothing.event = {};
  rig.Add({nothing});
  EXPECT_THAT(rig.Close(kTen + kFive),
              ElementsAre("2025-09-01T10:00:00Z 2025-09-01T10:05:00Z 1 0 - - - - - - - -"));
  Event other = At(kTen);
  other.user = 5;
  other.price = -250;
  rig.Add({nothing, other, At(kTen), nothing, other});
  EXPECT_THAT(rig.Close(kTen + kFive),
              ElementsAre("2025-09-01T10:00:00Z 2025-09-01T10:05:00Z 5 2 11 -4.00 -1.333333 1.5 "
                          "3.6666666666666665 0.5 1.00 view"));
}

TEST(Windows, SumsOfLongsDoNotOverflow) {
  WindowRules rules = CountBy({});
  rules.aggregates = {Of(AggregateKind::kSum, "user", "sum"),
                      Of(AggregateKind::kAvg, "user", "avg")};
  Rig rig(rules);
  Event event = At(kTen);
  event.user = std::numeric_limits<std::int64_t>::max();
  rig.Add({event, event, event, event});
  EXPECT_THAT(rig.Close(kTen + kFive),
              ElementsAre("2025-09-01T10:00:00Z 2025-09-01T10:05:00Z 36893488147419103228 "
                          "9.223372036854776e+18"));
  EXPECT_EQ(rig->overflows(), 0);
}

TEST(Windows, SumsOfDoublesDoNotDependOnOrder) {
  WindowRules rules = CountBy({});
  rules.aggregates = {Of(AggregateKind::kSum, "weight", "sum")};
  const auto sum = [&](const std::vector<double>& weights) {
    Rig rig(rules);
    for (const double weight : weights) {
      Event event = At(kTen);
      event.weight = weight;
      rig.Add({event});
    }
    return rig.Close(kTen + kFive).at(0);
  };
  EXPECT_EQ(sum({1e16, 1, -1e16, 1}), sum({1, 1, 1e16, -1e16}));
  EXPECT_THAT(sum({1e16, 1, -1e16, 1}), testing::EndsWith(" 2"));
}

TEST(Windows, ZerosAndNansAreOneValueEach) {
  WindowRules rules = CountBy({});
  rules.aggregates = {Of(AggregateKind::kCountDistinct, "weight", "distinct"),
                      Of(AggregateKind::kMin, "weight", "min"),
                      Of(AggregateKind::kMax, "weight", "max")};
  Rig rig(rules);
  std::vector<Event> events(5, At(kTen));
  events[0].weight = 0.0;
  events[1].weight = -0.0;
  events[2].weight = std::nan("");
  events[3].weight = -std::nan("");
  events[4].weight = std::numeric_limits<double>::infinity();
  rig.Add(events);
  EXPECT_THAT(rig.Close(kTen + kFive),
              ElementsAre("2025-09-01T10:00:00Z 2025-09-01T10:05:00Z 3 0 nan"));
}

TEST(Windows, GroupColumnsDoNotRunIntoEachOther) {
  Rig rig(CountBy({"event", "user", "price"}));
  Event event = Named(kTen, std::string("a\0b", 3));
  event.user = -1;
  event.price = -5;
  rig.Add({event, Named(kTen, std::string("a\0", 2)), event, Named(kTen, "a")});
  EXPECT_THAT(
      rig.Close(kTen + kFive),
      ElementsAre(
          "a 1 1.00 2025-09-01T10:00:00Z 2025-09-01T10:05:00Z 1",
          std::string("a\0", 2) + " 1 1.00 2025-09-01T10:00:00Z 2025-09-01T10:05:00Z 1",
          std::string("a\0b", 3) + " -1 -0.05 2025-09-01T10:00:00Z 2025-09-01T10:05:00Z 2"));
}

// The definition: keep all rows, sort and add up at the end.
class Naive {
 public:
  void Add(const Event& event) { rows_.push_back(event); }
  std::vector<std::string> Close(Micros watermark) {
    std::map<std::tuple<Micros, std::optional<std::string>, std::optional<std::int32_t>>,
             std::vector<Event>>
        groups;
    std::vector<Event> open;
    for (const Event& event : rows_) {
      Micros start = event.time / kFive * kFive;
      if (start > event.time) start -= kFive;
      if (start + kFive <= watermark) {
        groups[{start, event.event, event.amount}].push_back(event);
      } else {
        open.push_back(event);
      }
    }
    rows_ = open;
    std::vector<std::string> lines;
    for (const auto& [key, events] : groups) {
      const auto& [start, name, amount] = key;
      lines.push_back(fmt::format("{} {} {} {} {}", name.value_or("-"),
                                  amount ? std::to_string(*amount) : "-", FormatTime(start),
                                  FormatTime(start + kFive), Aggregates(events)));
    }
    return lines;
  }

 private:
  template <typename T>
  static std::vector<T> Values(const std::vector<Event>& events, std::optional<T> Event::*member) {
    std::vector<T> values;
    for (const Event& event : events) {
      if (event.*member) values.push_back(*(event.*member));
    }
    return values;
  }
  static std::string Aggregates(const std::vector<Event>& events) {
    const auto users = Values(events, &Event::user);
    const auto prices = Values(events, &Event::price);
    const auto weights = Values(events, &Event::weight);  // multiples of 1/8: sums are exact
    const auto names = Values(events, &Event::event);
    std::int64_t user_sum = 0;
    for (const std::int64_t user : users) user_sum += user;
    std::int64_t price_sum = 0;
    for (const std::int64_t price : prices) price_sum += price;
    double weight_sum = 0;
    for (const double weight : weights) weight_sum += weight;
    const auto n = static_cast<std::int64_t>(prices.size());
    const std::int64_t scaled = std::abs(price_sum) * 10'000;
    const std::int64_t average = n == 0 ? 0 : (2 * scaled + n) / (2 * n);
    return fmt::format(
        "{} {} {} {} {} {} {} {} {} {}", events.size(),
        std::set<std::int64_t>(users.begin(), users.end()).size(),
        users.empty() ? "-" : std::to_string(user_sum),
        n == 0 ? "-" : DecimalToString(price_sum, 2),
        n == 0 ? "-" : DecimalToString(price_sum < 0 ? -average : average, 6),
        weights.empty() ? "-" : fmt::format("{}", weight_sum),
        users.empty()
            ? "-"
            : fmt::format("{}", static_cast<double>(user_sum) / static_cast<double>(users.size())),
        weights.empty() ? "-" : fmt::format("{}", *std::ranges::min_element(weights)),
        n == 0 ? "-" : DecimalToString(*std::ranges::max_element(prices), 2),
        names.empty() ? "-" : *std::ranges::min_element(names));
  }
  std::vector<Event> rows_;
};

Event RandomEvent(Random& random, Micros now) {
  static const std::vector<std::string> kNames = {"view", "cart", "buy", "a", ""};
  Event event = At(now - static_cast<Micros>(random.Below(20)) * kMinute);
  const auto or_null = [&](auto value) {
    return random.Chance(0.1) ? std::nullopt : std::optional(value);
  };
  event.event = or_null(kNames[random.Below(kNames.size())]);
  event.amount = or_null(static_cast<std::int32_t>(random.Below(3)) - 1);
  event.user = or_null(static_cast<std::int64_t>(random.Below(40)) - 20);
  event.price = or_null(static_cast<std::int64_t>(random.Below(20'000)) - 10'000);
  event.weight = or_null(static_cast<double>(random.Below(100)) / 8);
  return event;
}

TEST(Windows, AgreeWithTheDefinitionUnderAnyCutAndRestart) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    Naive naive;
    Rig rig(Everything());
    Micros now = seed % 2 == 0 ? kTen : -3 * kMicrosPerDay;
    std::string state;
    Micros closed = kNoWatermark;
    for (int cut = 0; cut < 8; ++cut) {
      if (random.Chance(0.3)) rig.UseDictionary();
      std::vector<Event> events;
      for (std::uint64_t i = random.Below(60); i > 0; --i) {
        now += static_cast<Micros>(random.Below(30)) * kMicrosPerSecond;
        const Event event = RandomEvent(random, now);
        if (event.time < closed) continue;
        events.push_back(event);
        naive.Add(event);
      }
      rig.Add(events);
      if (random.Chance(0.6)) {
        closed = std::max(closed, now - 10 * kMinute);
        ASSERT_EQ(rig.Close(closed), naive.Close(closed)) << seed;
      }
      WireWriter out;
      const bool base = random.Chance(0.3);
      base ? rig->WriteBase(out) : rig->WriteDelta(out);
      if (base) state.clear();
      state += out.Take();
      if (random.Chance(0.3)) {
        rig.Restart(state);
        rig.Close(closed);  // were given out before
      }
    }
    ASSERT_EQ(rig.Close(now + kMicrosPerDay), naive.Close(now + kMicrosPerDay)) << seed;
    EXPECT_EQ(rig->open_groups(), 0U);
  }
}

TEST(Windows, ADeltaHoldsOnlyTheGroupsThatChanged) {
  Rig rig(CountBy({"user"}));
  std::vector<Event> events;
  for (int user = 0; user < 5'000; ++user) {
    events.push_back(At(kTen));
    events.back().user = user;
  }
  rig.Add(events);
  WireWriter base;
  rig->WriteBase(base);
  rig.Add({events[7]});
  WireWriter delta;
  rig->WriteDelta(delta);
  EXPECT_GT(base.size(), 5'000U * 10);
  EXPECT_LT(delta.size(), 100U);
}

TEST(Windows, DamagedStateIsRefused) {
  Rig rig(Everything());
  Random random(1);
  for (int i = 0; i < 10; ++i) rig.Add({RandomEvent(random, kTen)});
  WireWriter out;
  rig->WriteBase(out);
  const std::string good = out.Take();
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x04);
    for (const std::string& bytes : {bad, good.substr(0, at)}) {
      Rig fresh(Everything());
      WireReader reader(bytes);
      const Status status = fresh->Read(reader);
      ASSERT_FALSE(status.ok()) << at;
      EXPECT_EQ(status.error().code, ErrorCode::kStateCorrupt);
    }
  }
}

TEST(Windows, StateOfOtherRulesIsRefused) {
  Rig rig(CountBy({"event"}));
  WireWriter out;
  rig->WriteBase(out);
  WindowRules shifted = CountBy({"event"});
  shifted.offset = kMinute;
  for (const WindowRules& rules : {CountBy({"user"}), CountBy({}), shifted, Everything()}) {
    Rig other(rules);
    WireReader reader(out.bytes());
    EXPECT_FALSE(other->Read(reader).ok());
  }
}

}  // namespace
}  // namespace weir::stream
