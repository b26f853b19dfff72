#include "stream/sessions.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace weir::stream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Micros kSecond = kMicrosPerSecond;
constexpr Micros kMinute = 60 * kSecond;
constexpr Micros kEnd = std::numeric_limits<Micros>::max();

struct Event {
  std::string user = "u1";
  Micros time = 0;
  std::string type = "view";
  std::optional<std::string> page = std::nullopt;
  std::optional<Int128> price = std::nullopt;  // scale 3
  std::optional<std::int32_t> quantity = std::nullopt;
  std::int32_t partition = 0;
  std::int64_t offset = 0;
};

Contract Shop() {
  const auto field = [](std::string name, Type type, bool required = false) {
    ContractField made;
    made.field =
        Field{.name = std::move(name), .type = std::move(type), .required = required, .doc = {}};
    return made;
  };
  Contract contract;
  contract.name = "shop";
  contract.fields = {field("user", Type::Of(TypeKind::kString), true),
                     field("time", Type::Of(TypeKind::kTimestamp), true),
                     field("type", Type::Of(TypeKind::kString)),
                     field("page", Type::Of(TypeKind::kString)),
                     field("price", Type::Decimal(30, 3)),
                     field("quantity", Type::Of(TypeKind::kInt)),
                     field("number", Type::Of(TypeKind::kInt))};
  contract.event_time_field = "time";
  contract.event_type_field = "type";
  return contract;
}

SessionRules Rules(Micros gap = 30 * kMinute, SessionSplit split = SessionSplit::kNone) {
  return {.by = "user",
          .gap = gap,
          .split = split,
          .page = "page",
          .first = {"quantity"},
          .last = {"quantity", "price", "type"},
          .value_event = "purchase",
          .price = "price",
          .quantity = "quantity"};
}

// A cell as text, so that whole rows compare as one string.
std::string Text(const Column& column, std::size_t row) {
  if (column.IsNull(row)) return "-";
  switch (column.type().kind) {
    case TypeKind::kBoolean:
      return column.Boolean(row) ? "true" : "false";
    case TypeKind::kInt:
    case TypeKind::kDate:
      return fmt::to_string(column.Int(row));
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return fmt::to_string(column.Long(row));
    case TypeKind::kDouble:
      return fmt::to_string(column.Double(row));
    case TypeKind::kDecimal:
      return DecimalToString(column.Decimal(row), column.type().scale);
    case TypeKind::kString:
      return std::string(column.String(row));
    case TypeKind::kMap: {
      std::string text;
      for (auto i = column.item_begin(row); i < column.item_begin(row + 1); ++i) {
        const auto item = static_cast<std::size_t>(i);
        text += fmt::format("{}:{} ", Text(column.children()[0], item),
                            Text(column.children()[1], item));
      }
      return text;
    }
    default:
      return "?";
  }
}

std::string RowText(const Batch& batch, std::size_t row) {
  std::string text;
  for (const Column& column : batch.columns) text += Text(column, row) + "|";
  return text;
}

std::vector<std::string> RowTexts(const Batch& batch) {
  std::vector<std::string> rows;
  for (std::size_t row = 0; row < batch.rows(); ++row) rows.push_back(RowText(batch, row));
  return rows;
}

// An operator under test, with what is around it.
class Bench {
 public:
  explicit Bench(SessionRules rules = Rules(), std::vector<std::string> steps = {},
                 Contract contract = Shop())
      : rules_(std::move(rules)),
        steps_(std::move(steps)),
        contract_(std::move(contract)),
        input_(std::make_shared<Schema>(TableSchema(contract_))),
        columns_(std::make_shared<Schema>(*SessionColumns(contract_, rules_))),
        types_(std::make_shared<Dictionary>()),
        sessions_(Fresh()) {}

  Sessions Fresh() const {
    return Sessions(*input_, contract_.event_type_field, rules_, steps_, *columns_);
  }
  Sessions& operator*() { return sessions_; }
  Sessions* operator->() { return &sessions_; }
  void Become(Sessions sessions) {
    // The port can be made from another, not assigned.
    std::destroy_at(&sessions_);
    std::construct_at(&sessions_, std::move(sessions));
  }

  void Add(const std::vector<Event>& events, bool dictionary = true) {
    Batch batch(input_);
    if (dictionary) {
      batch.columns[2].UseDictionary(types_);
      batch.columns[3].UseDictionary(std::make_shared<Dictionary>());
    }
    std::vector<EventRow> rows;
    for (const Event& event : events) {
      if (input_->fields[0].type.kind == TypeKind::kInt) {
        batch.columns[0].AppendInt(std::stoi(event.user));
      } else {
        batch.columns[0].AppendString(event.user);
      }
      batch.columns[1].AppendLong(event.time);
      event.type.empty() ? batch.columns[2].AppendNull()
                         : batch.columns[2].AppendString(event.type);
      event.page ? batch.columns[3].AppendString(*event.page) : batch.columns[3].AppendNull();
      event.price ? batch.columns[4].AppendDecimal(*event.price) : batch.columns[4].AppendNull();
      event.quantity ? batch.columns[5].AppendInt(*event.quantity) : batch.columns[5].AppendNull();
      batch.columns[6].AppendInt(1);
      for (std::size_t i = 7; i < batch.columns.size(); ++i) batch.columns[i].AppendNull();
      batch.records.push_back(static_cast<std::uint32_t>(rows.size()));
      rows.push_back({.row = static_cast<std::uint32_t>(rows.size()),
                      .partition = Partition(event.partition),
                      .offset = Offset(event.offset),
                      .event_time = event.time});
    }
    sessions_.Add(batch, rows);
  }

  Batch CloseBatch(Micros watermark = kEnd) {
    Batch closed(columns_);
    facts.clear();
    sessions_.Close(watermark, &closed, &facts);
    return closed;
  }
  std::vector<std::string> Close(Micros watermark = kEnd) {
    return RowTexts(CloseBatch(watermark));
  }
  std::vector<std::string> Open(std::int32_t partition) const {
    Batch open(columns_);
    sessions_.AppendOpen(Partition(partition), &open);
    return RowTexts(open);
  }
  // One cell of a row, by the column's name.
  static std::string Cell(const Batch& batch, std::size_t row, std::string_view name) {
    return Text(batch.columns[*batch.schema->IndexOf(name)], row);
  }
  std::string CellOfOnly(std::string_view name) {
    const Batch closed = CloseBatch();
    EXPECT_EQ(closed.rows(), 1U);
    return closed.rows() == 1 ? Cell(closed, 0, name) : "";
  }

  std::vector<SessionFacts> facts;

 private:
  SessionRules rules_;
  std::vector<std::string> steps_;
  Contract contract_;
  std::shared_ptr<Schema> input_;
  std::shared_ptr<const Schema> columns_;
  std::shared_ptr<Dictionary> types_;
  Sessions sessions_;
};

std::vector<std::pair<Micros, Micros>> Spans(const Batch& batch) {
  std::vector<std::pair<Micros, Micros>> spans;
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    spans.emplace_back(batch.columns[2].Long(row), batch.columns[3].Long(row));
  }
  return spans;
}

using Span = std::pair<Micros, Micros>;

TEST(SessionsTest, EndIsTheLastEventNotTheGapBehindIt) {
  Bench bench;
  bench.Add({{.time = 600 * kMinute, .offset = 7}, {.time = 602 * kMinute, .offset = 8}});
  const Batch closed = bench.CloseBatch();
  ASSERT_EQ(closed.rows(), 1U);
  EXPECT_THAT(Spans(closed), ElementsAre(Span(600 * kMinute, 602 * kMinute)));
  EXPECT_EQ(Bench::Cell(closed, 0, "duration_s"), "120");
  EXPECT_EQ(Bench::Cell(closed, 0, "events"), "2");
  EXPECT_EQ(Bench::Cell(closed, 0, "session_id"), "u1/0/7");
  EXPECT_EQ(Bench::Cell(closed, 0, "is_open"), "false");
}

TEST(SessionsTest, EventsExactlyOneGapApartBelongTogether) {
  Bench bench(Rules(5));
  bench.Add({{.time = 0}, {.time = 5, .offset = 1}, {.time = 11, .offset = 2}});
  EXPECT_THAT(Spans(bench.CloseBatch()), ElementsAre(Span(0, 5), Span(11, 11)));
}

TEST(SessionsTest, ClosesWhenTheWatermarkIsBehindTheGapAndNotAtIt) {
  Bench bench(Rules(5));
  bench.Add({{.time = 10}});
  EXPECT_THAT(bench.Close(15), IsEmpty());
  EXPECT_EQ(bench->open_sessions(), 1U);
  EXPECT_EQ(bench->earliest_end(), 10);
  EXPECT_THAT(bench.Close(16), SizeIs(1));
  EXPECT_EQ(bench->open_sessions(), 0U);
  EXPECT_EQ(bench->earliest_end(), std::nullopt);
  EXPECT_THAT(bench.Close(kEnd), IsEmpty());
}

TEST(SessionsTest, NoWatermarkClosesNothing) {
  Bench bench(Rules(5));
  bench.Add({{.time = -100}});
  EXPECT_THAT(bench.Close(kNoWatermark), IsEmpty());
  EXPECT_THAT(bench.Close(-95), IsEmpty());
  EXPECT_THAT(bench.Close(-94), SizeIs(1));
}

TEST(SessionsTest, BridgingRowMakesOneSessionOfTwo) {
  Bench bench(Rules(5 * kSecond));
  bench.Add({{.time = 0}, {.time = 8 * kSecond, .offset = 1}});
  EXPECT_EQ(bench->open_sessions(), 2U);
  bench.Add({{.time = 4 * kSecond, .offset = 2}});
  EXPECT_EQ(bench->open_sessions(), 1U);
  const Batch closed = bench.CloseBatch();
  EXPECT_THAT(Spans(closed), ElementsAre(Span(0, 8 * kSecond)));
  EXPECT_EQ(Bench::Cell(closed, 0, "events"), "3");
}

TEST(SessionsTest, SessionLivesUntilNoOnTimeRowCanJoinIt) {
  // gap 5 s, no lateness: at watermark 5 an event of time 5 may still come, and joins.
  Bench bench(Rules(5 * kSecond));
  bench.Add({{.time = 0}});
  EXPECT_THAT(bench.Close(5 * kSecond), IsEmpty());
  bench.Add({{.time = 5 * kSecond, .offset = 1}});
  EXPECT_THAT(Spans(bench.CloseBatch(11 * kSecond)), ElementsAre(Span(0, 5 * kSecond)));
}

TEST(SessionsTest, RobotIsBoundedBySplitWhateverTheOrder) {
  std::vector<Event> month;
  for (std::int64_t minute = 0; minute < 43'200; ++minute) {
    month.push_back({.user = "bot", .time = minute * kMinute, .offset = minute});
  }
  Random random(3);
  for (int order = 0; order < 2; ++order) {
    Bench bench(Rules(30 * kMinute, SessionSplit::kDay));
    bench.Add(month);
    EXPECT_EQ(bench->open_sessions(), 30U);
    const Batch closed = bench.CloseBatch();
    ASSERT_EQ(closed.rows(), 30U);
    for (std::size_t row = 0; row < 30; ++row) {
      EXPECT_EQ(Bench::Cell(closed, row, "events"), "1440");
    }
    for (std::size_t i = month.size() - 1; i > 0; --i) {
      std::swap(month[i], month[random.Below(i + 1)]);
    }
  }
}

TEST(SessionsTest, SplitKeepsToBordersBefore1970AndIsExactToTheMicrosecond) {
  Bench day(Rules(30 * kMinute, SessionSplit::kDay));
  day.Add({{.time = -kMicrosPerDay - 1},
           {.time = -kMicrosPerDay, .offset = 1},
           {.time = -1, .offset = 2},
           {.time = 0, .offset = 3}});
  EXPECT_THAT(Spans(day.CloseBatch()),
              ElementsAre(Span(-kMicrosPerDay - 1, -kMicrosPerDay - 1),
                          Span(-kMicrosPerDay, -kMicrosPerDay), Span(-1, -1), Span(0, 0)));
  Bench hour(Rules(30 * kMinute, SessionSplit::kHour));
  hour.Add({{.time = 59 * kMinute},
            {.time = 60 * kMinute, .offset = 1},
            {.time = 61 * kMinute, .offset = 2}});
  EXPECT_THAT(Spans(hour.CloseBatch()),
              ElementsAre(Span(59 * kMinute, 59 * kMinute), Span(60 * kMinute, 61 * kMinute)));
}

TEST(SessionsTest, FirstAndLastRowsAreByTimePartitionOffset) {
  Bench bench;
  bench.Add({{.time = 5, .page = "/c", .quantity = 3, .partition = 1, .offset = 1},
             {.time = 5, .page = "/b", .quantity = 2, .partition = 0, .offset = 9},
             {.time = 5, .page = "/a", .quantity = 1, .partition = 0, .offset = 8},
             {.time = 5, .type = "tap", .page = "/d", .partition = 1, .offset = 2}});
  const Batch closed = bench.CloseBatch();
  ASSERT_EQ(closed.rows(), 1U);
  EXPECT_EQ(Bench::Cell(closed, 0, "entry_page"), "/a");
  EXPECT_EQ(Bench::Cell(closed, 0, "exit_page"), "/d");
  EXPECT_EQ(Bench::Cell(closed, 0, "first_quantity"), "1");
  EXPECT_EQ(Bench::Cell(closed, 0, "last_quantity"), "-") << "null in the last row stays null";
  EXPECT_EQ(Bench::Cell(closed, 0, "last_type"), "tap");
  EXPECT_EQ(Bench::Cell(closed, 0, "session_id"), "u1/0/8");
  EXPECT_EQ(Bench::Cell(closed, 0, "source_partition"), "0");
  EXPECT_EQ(Bench::Cell(closed, 0, "event_counts"), "tap:1 view:3 ");
  EXPECT_EQ(bench->keys_in_several_partitions(), 1);
}

TEST(SessionsTest, NullTypeIsAnEventThatNoTypeCounts) {
  Bench bench;
  bench.Add({{.type = ""}, {.type = "tap", .offset = 1}});
  const Batch closed = bench.CloseBatch();
  EXPECT_EQ(Bench::Cell(closed, 0, "events"), "2");
  EXPECT_EQ(Bench::Cell(closed, 0, "event_counts"), "tap:1 ");
  EXPECT_EQ(Bench::Cell(closed, 0, "is_bounce"), "false");
}

TEST(SessionsTest, OrderValueIsExactAndRoundedOnce) {
  const auto value = [](std::vector<Event> events) {
    for (std::size_t i = 0; i < events.size(); ++i) events[i].offset = static_cast<Offset::rep>(i);
    Bench bench;
    bench.Add(events);
    return bench.CellOfOnly("order_value");
  };
  const std::string buy = "purchase";
  EXPECT_EQ(value({{.type = "view", .price = 5000}}), "0.00");
  EXPECT_EQ(value({{.type = buy, .price = 1005}}), "1.01");
  EXPECT_EQ(value({{.type = buy, .price = -1005}}), "-1.01");
  EXPECT_EQ(value({{.type = buy, .price = 1004}, {.type = buy, .price = 1004}}), "2.01");
  EXPECT_EQ(value({{.type = buy, .price = 1500, .quantity = 3}, {.type = buy, .quantity = 4}}),
            "4.50");
  EXPECT_EQ(value({{.type = buy, .price = 1500, .quantity = 0}}), "0.00");
  const Int128 most = Int128{1'000'000'000} * 10'000'000'000 - 10;  // 9999999999999999.990
  EXPECT_EQ(value({{.type = buy, .price = most}}), "9999999999999999.99");
  EXPECT_EQ(value({{.type = buy, .price = most}, {.type = buy, .price = 10}}), "-");
  EXPECT_EQ(value({{.type = buy, .price = most, .quantity = 2'000'000'000}}), "-");
  EXPECT_EQ(
      value(
          {{.type = buy, .price = most}, {.type = buy, .price = 10}, {.type = buy, .price = -10}}),
      "9999999999999999.99");
}

TEST(SessionsTest, ClosedRowsComeInOrderOfEndThenKey) {
  Bench bench(Rules(5));
  bench.Add({{.user = "b", .time = 9},
             {.user = "c", .time = 3, .offset = 1},
             {.user = "a", .time = 9, .offset = 2},
             {.user = "a", .time = 1, .offset = 3}});
  std::vector<std::string> keys;
  const Batch closed = bench.CloseBatch();
  for (std::size_t row = 0; row < closed.rows(); ++row) {
    keys.push_back(Bench::Cell(closed, row, "user"));
  }
  EXPECT_THAT(keys, ElementsAre("a", "c", "a", "b"));
  ASSERT_THAT(bench.facts, SizeIs(4));
  EXPECT_EQ(bench.facts[1].end, 3);
}

// How texts are held never shows in them.
TEST(SessionsTest, PagesThatRepeatAreCodedAndOthersPlain) {
  constexpr int kSessions = 10'000;
  for (const int pages : {7, kSessions}) {
    Bench bench;
    for (int round = 0; round < 2; ++round) {
      std::vector<Event> events;
      for (int i = 0; i < kSessions; ++i) {
        const Micros time = round * 1'000 * kMinute + i * kSecond;
        events.push_back({.user = fmt::format("u{}", i), .time = time, .offset = i});
        if (i % 10 != 0) events.back().page = fmt::format("/page-{}", i % pages);
      }
      bench.Add(events);
      const Batch closed = bench.CloseBatch((round + 1) * 1'000 * kMinute);
      ASSERT_EQ(closed.rows(), static_cast<std::size_t>(kSessions));
      for (std::size_t i = 0; i < kSessions; ++i) {
        const std::string page = events[i].page.value_or("-");
        ASSERT_EQ(Bench::Cell(closed, i, "entry_page"), page) << i;
        ASSERT_EQ(Bench::Cell(closed, i, "exit_page"), page) << i;
        ASSERT_EQ(Bench::Cell(closed, i, "user"), events[i].user) << i;
      }
      const Column& entry = closed.columns[*closed.schema->IndexOf("entry_page")];
      EXPECT_EQ(entry.dictionary() != nullptr, pages == 7) << round;
    }
  }
}

TEST(SessionsTest, OpenRowsAreByHomePartitionAndTouchedWhenTheyChange) {
  Bench bench(Rules(5));
  bench.Add({{.user = "b", .time = 1, .partition = 2},
             {.user = "a", .time = 1, .partition = 2, .offset = 1},
             {.user = "c", .time = 0, .partition = 2, .offset = 2}});
  EXPECT_THAT(bench->TakeTouched(), ElementsAre(Partition(2)));
  EXPECT_THAT(bench->TakeTouched(), IsEmpty());
  EXPECT_THAT(bench.Open(2),
              ElementsAre(HasSubstr("c/2/2"), HasSubstr("a/2/1"), HasSubstr("b/2/0")));
  EXPECT_THAT(bench.Open(0), IsEmpty());
  // A row from a lower partition gives the session another home.
  bench.Add({{.user = "a", .time = 2, .partition = 1, .offset = 50}});
  EXPECT_THAT(bench->TakeTouched(), ElementsAre(Partition(1), Partition(2)));
  EXPECT_THAT(bench.Open(1), ElementsAre(HasSubstr("a/1/50")));
  EXPECT_THAT(bench.Open(2), SizeIs(2));
  EXPECT_EQ(bench.CloseBatch(6).rows(), 1U);
  EXPECT_THAT(bench->TakeTouched(), ElementsAre(Partition(2)));
}

TEST(SessionsTest, KeysOfOtherTypes) {
  Contract contract = Shop();
  contract.fields[0].field.type = Type::Of(TypeKind::kInt);
  SessionRules rules = Rules(5);
  Bench bench(rules, {}, contract);
  bench.Add({{.user = "10"}, {.user = "-3", .offset = 1}, {.user = "2", .offset = 2}});
  const Batch closed = bench.CloseBatch();
  ASSERT_EQ(closed.rows(), 3U);
  EXPECT_EQ(Bench::Cell(closed, 0, "session_id"), "-3/0/1");
  EXPECT_EQ(Bench::Cell(closed, 1, "user"), "2");
  EXPECT_EQ(Bench::Cell(closed, 2, "user"), "10");
}

// --- funnel steps ------------------------------------------------------------

TEST(SessionsTest, StepsAreServedInOrderOfEvents) {
  Bench bench(Rules(), {"view", "cart", "purchase"});
  bench.Add({{.time = 40, .type = "purchase", .offset = 5},
             {.time = 5, .type = "cart", .offset = 1},
             {.time = 30, .type = "cart", .offset = 4},
             {.time = 10, .type = "view", .offset = 2}});
  ASSERT_THAT(bench->OpenFacts(), SizeIs(1));
  EXPECT_THAT(bench->OpenFacts()[0].step_times, ElementsAre(10, 30, 40));
  // An earlier view makes the earlier cart the one that counts.
  bench.Add({{.time = 4, .type = "view", .offset = 6}});
  EXPECT_THAT(bench->OpenFacts()[0].step_times, ElementsAre(4, 5, 40));
}

TEST(SessionsTest, OneRowServesOneStep) {
  Bench bench(Rules(), {"view", "view", "cart"});
  bench.Add({{.time = 1, .type = "view"}, {.time = 2, .type = "cart", .offset = 1}});
  EXPECT_THAT(bench->OpenFacts()[0].step_times, ElementsAre(1));
  bench.Add({{.time = 1, .type = "view", .offset = 2}});
  EXPECT_THAT(bench->OpenFacts()[0].step_times, ElementsAre(1, 1, 2));
}

// --- against a naive computation ------------------------------------------------------------

bool EarlierEvent(const Event& a, const Event& b) {
  return std::tie(a.time, a.partition, a.offset) < std::tie(b.time, b.partition, b.offset);
}

std::int64_t NaiveCell(Micros time, SessionSplit split) {
  if (split == SessionSplit::kNone) return 0;
  const Micros size = split == SessionSplit::kDay ? kMicrosPerDay : kMicrosPerDay / 24;
  std::int64_t cell = time / size;
  if (cell * size > time) --cell;
  return cell;
}

struct NaiveSession {
  std::vector<Event> events;  // in order
  Micros end() const { return events.back().time; }

  std::string Row(bool open) const {
    const Event& first = events.front();
    const Event& last = events.back();
    Event lowest = first;
    std::map<std::string, int> counts;
    Int128 value = 0;
    for (const Event& event : events) {
      if (std::pair(event.partition, event.offset) < std::pair(lowest.partition, lowest.offset)) {
        lowest = event;
      }
      if (!event.type.empty()) ++counts[event.type];
      if (event.type == "purchase") value += event.price.value_or(0) * event.quantity.value_or(1);
    }
    std::string text;
    for (const auto& [type, count] : counts) text += fmt::format("{}:{} ", type, count);
    const Int128 cents = (value + 5) / 10;  // prices here are not negative
    const auto number = [](const auto& quantity) {
      return quantity ? fmt::to_string(*quantity) : "-";
    };
    return fmt::format("{}|{}/{}/{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|", first.user,
                       first.user, lowest.partition, lowest.offset, first.time, last.time,
                       static_cast<double>(last.time - first.time) / 1e6, events.size(), text,
                       first.page.value_or("-"), last.page.value_or("-"), number(first.quantity),
                       number(last.quantity), last.price ? DecimalToString(*last.price, 3) : "-",
                       last.type.empty() ? "-" : last.type, events.size() == 1 ? "true" : "false",
                       DecimalToString(cents, 2), open ? "true" : "false", lowest.partition);
  }

  std::vector<Micros> StepTimes(const std::vector<std::string>& steps) const {
    std::vector<Micros> times;
    for (const Event& event : events) {
      if (times.size() < steps.size() && event.type == steps[times.size()]) {
        times.push_back(event.time);
      }
    }
    return times;
  }
};

std::vector<NaiveSession> Naive(std::vector<Event> events, const SessionRules& rules) {
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.user != b.user ? a.user < b.user : EarlierEvent(a, b);
  });
  std::vector<NaiveSession> sessions;
  for (const Event& event : events) {
    const bool joins =
        !sessions.empty() && sessions.back().events.back().user == event.user &&
        event.time - sessions.back().end() <= rules.gap &&
        NaiveCell(event.time, rules.split) == NaiveCell(sessions.back().end(), rules.split);
    if (!joins) sessions.emplace_back();
    sessions.back().events.push_back(event);
  }
  return sessions;
}

// A stream in order of arrival, which is at most `disorder` behind the order of time.
struct Stream {
  SessionRules rules;
  std::vector<std::string> steps;
  Micros disorder = 0;
  struct Arrival {
    Micros at = 0;
    Event event;
  };
  std::vector<Arrival> arrivals;
};

Stream RandomStream(std::uint64_t seed) {
  Random random(seed);
  Stream stream;
  const std::vector<std::string> types = {"view", "cart", "purchase", "tap", ""};
  const auto split = static_cast<SessionSplit>(random.Below(3));
  const Micros unit = split == SessionSplit::kNone ? 1 : kMicrosPerDay / 96;
  stream.rules = Rules(static_cast<Micros>(random.Below(6)) * unit, split);
  stream.disorder = static_cast<Micros>(random.Below(40)) * unit;
  const std::size_t steps = random.Below(5);
  for (std::size_t i = 0; i < steps; ++i) stream.steps.push_back(types[random.Below(3)]);
  const std::int64_t users = 1 + static_cast<std::int64_t>(random.Below(4));
  const std::size_t rows = 1 + random.Below(70);
  std::map<std::int32_t, std::int64_t> offsets;
  for (std::size_t i = 0; i < rows; ++i) {
    Event event;
    event.user = "u" + std::to_string(random.Below(static_cast<std::uint64_t>(users)));
    event.time = (static_cast<Micros>(random.Below(200)) - 100) * unit;
    event.type = types[random.Below(types.size())];
    if (random.Chance(0.8)) event.page = "/" + std::to_string(random.Below(6));
    if (random.Chance(0.7)) event.price = static_cast<Int128>(random.Below(5000));
    if (random.Chance(0.5)) event.quantity = static_cast<std::int32_t>(random.Below(4));
    event.partition =
        static_cast<std::int32_t>(random.Chance(0.8) ? event.user[1] - '0' : random.Below(4));
    event.offset = offsets[event.partition]++;
    const auto lag =
        static_cast<Micros>(random.Below(static_cast<std::uint64_t>(stream.disorder) + 1));
    stream.arrivals.push_back({event.time + lag, event});
  }
  std::stable_sort(stream.arrivals.begin(), stream.arrivals.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  return stream;
}

constexpr std::int32_t kPartitions = 4;

// State as it would be kept: a base and deltas of each partition.
class Kept {
 public:
  void Write(Sessions& sessions, Random& random) {
    for (std::int32_t p = 0; p < kPartitions; ++p) {
      WireWriter out;
      if (parts_[p].empty() || random.Chance(0.2)) {
        parts_[p].clear();
        sessions.WriteBase(Partition(p), out);
      } else {
        sessions.WriteDelta(Partition(p), out);
      }
      parts_[p].push_back(out.Take());
    }
  }
  void ReadInto(Sessions& sessions) {
    for (auto& [partition, parts] : parts_) {
      for (const std::string& part : parts) {
        WireReader in(part);
        ASSERT_TRUE(sessions.Read(Partition(partition), in).ok());
        EXPECT_TRUE(in.at_end());
      }
    }
  }

 private:
  std::map<std::int32_t, std::vector<std::string>> parts_;
};

std::vector<std::string> Sorted(std::vector<std::string> rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

void ExpectSame(Bench& bench, const std::vector<std::string>& closed, const Stream& stream,
                const std::vector<Event>& arrived, Micros watermark) {
  std::vector<std::string> want_closed;
  std::vector<std::string> want_open;
  std::vector<std::vector<Micros>> want_steps;
  for (const NaiveSession& session : Naive(arrived, stream.rules)) {
    const bool open = watermark - stream.rules.gap <= session.end();
    (open ? want_open : want_closed).push_back(session.Row(open));
    if (open) want_steps.push_back(session.StepTimes(stream.steps));
  }
  std::vector<std::string> open;
  for (std::int32_t p = 0; p < kPartitions; ++p) {
    for (std::string& row : bench.Open(p)) open.push_back(std::move(row));
  }
  std::vector<std::vector<Micros>> steps;
  for (const SessionFacts& facts : bench->OpenFacts())
    steps.emplace_back(facts.step_times.begin(), facts.step_times.end());
  std::sort(steps.begin(), steps.end());
  std::sort(want_steps.begin(), want_steps.end());
  EXPECT_EQ(Sorted(closed), Sorted(want_closed));
  EXPECT_EQ(Sorted(open), Sorted(want_open));
  EXPECT_EQ(steps, want_steps);
  EXPECT_EQ(bench->open_sessions(), want_open.size());
}

TEST(SessionsTest, RandomStreamsEqualANaiveComputationAtEveryCut) {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    SCOPED_TRACE(seed);
    const Stream stream = RandomStream(seed);
    Random random(seed * 7919);
    Bench bench(stream.rules, stream.steps);
    Kept kept;
    std::vector<Event> arrived;
    std::vector<Event> batch;
    std::vector<std::string> closed;
    for (std::size_t i = 0; i < stream.arrivals.size(); ++i) {
      batch.push_back(stream.arrivals[i].event);
      arrived.push_back(stream.arrivals[i].event);
      const bool last = i + 1 == stream.arrivals.size();
      if (!last && !random.Chance(0.3)) continue;
      bench.Add(batch, random.Chance(0.5));
      batch.clear();
      const Micros watermark =
          last ? 1'000'000'000'000'000 : stream.arrivals[i].at - stream.disorder;
      for (std::string& row : bench.Close(watermark)) closed.push_back(std::move(row));
      ExpectSame(bench, closed, stream, arrived, watermark);
      if (random.Chance(0.5))
        kept.Write(*bench, random);
      else
        continue;
      if (!random.Chance(0.3)) continue;
      Sessions restored = bench.Fresh();
      kept.ReadInto(restored);
      bench.Become(std::move(restored));
      ExpectSame(bench, closed, stream, arrived, watermark);
    }
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
}

// --- state ------------------------------------------------------------

std::string SomeState(Bench& bench) {
  bench.Add({{.user = "u1", .time = 1, .type = "view", .page = "/a", .quantity = 2},
             {.user = "u1", .time = 2, .type = "purchase", .price = 1234, .offset = 1},
             {.user = "u1", .time = 2 * kMicrosPerDay, .type = "tap", .page = "/a", .offset = 2},
             {.user = "u2", .time = -5, .type = "cart", .page = "/b", .offset = 3}});
  WireWriter out;
  bench->WriteBase(Partition(0), out);
  return out.Take();
}

TEST(SessionsTest, StateThatEndsEarlyIsRefused) {
  Bench bench(Rules(), {"view", "cart"});
  const std::string state = SomeState(bench);
  for (std::size_t size = 0; size < state.size(); ++size) {
    Sessions restored = bench.Fresh();
    WireReader in(std::string_view(state).substr(0, size));
    const Status status = restored.Read(Partition(0), in);
    ASSERT_FALSE(status.ok()) << size;
    EXPECT_EQ(status.error().kind, ErrorKind::kCorrupt);
    EXPECT_EQ(status.error().code, ErrorCode::kStateCorrupt);
  }
}

TEST(SessionsTest, DamagedStateNeverDoesMoreThanFail) {
  Bench bench(Rules(), {"view", "cart"});
  const std::string state = SomeState(bench);
  Random random(11);
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = state;
    for (std::uint64_t flips = 1 + random.Below(3); flips > 0; --flips) {
      damaged[random.Below(damaged.size())] = static_cast<char>(random.Next());
    }
    Bench other(Rules(), {"view", "cart"});
    WireReader in(damaged);
    refused += other->Read(Partition(0), in).ok() ? 0 : 1;
    other.Add({{.user = "u1", .time = 3}, {.user = "u2", .time = 0}});
    other.Close();
    EXPECT_EQ(other->open_sessions(), 0U);
  }
  EXPECT_GT(refused, 400);
}

TEST(SessionsTest, StateOfAnotherFunnelIsRefused) {
  Bench bench(Rules(), {"view", "cart"});
  const std::string state = SomeState(bench);
  Bench other(Rules(), {"view"});
  WireReader in(state);
  EXPECT_FALSE(other->Read(Partition(0), in).ok());
}

TEST(SessionsTest, DeltaTellsOnlyOfWhatChanged) {
  Bench bench(Rules(5));
  std::vector<Event> many;
  for (std::int64_t i = 0; i < 1000; ++i) {
    many.push_back({.user = "user" + std::to_string(i), .time = i, .offset = i});
  }
  bench.Add(many);
  WireWriter base;
  bench->WriteBase(Partition(0), base);
  bench.Add({{.user = "user7", .time = 8, .offset = 2000}});
  WireWriter delta;
  bench->WriteDelta(Partition(0), delta);
  EXPECT_GT(base.size(), 10'000U);
  EXPECT_LT(delta.size(), 60U);
}

TEST(SessionsTest, MemoryFollowsWhatIsOpen) {
  Bench bench(Rules(5));
  const std::size_t empty = bench->bytes();
  std::vector<Event> many;
  for (std::int64_t i = 0; i < 10'000; ++i) {
    many.push_back({.user = "user" + std::to_string(i),
                    .time = 0,
                    .page = "/a/rather/long/page/" + std::to_string(i),
                    .offset = i});
  }
  bench.Add(many, false);
  const std::size_t full = bench->bytes();
  EXPECT_GT(full - empty, 10'000 * 200U);
  EXPECT_LT(full - empty, 10'000 * 800U);
  // A robot with one event type costs what one session costs.
  Bench robot(Rules(5), {"cart", "view", "purchase"});
  for (std::int64_t i = 0; i < 50'000; i += 1000) {
    std::vector<Event> some;
    for (std::int64_t j = i; j < i + 1000; ++j) {
      some.push_back({.user = "bot", .time = j, .type = j % 2 == 0 ? "cart" : "view", .offset = j});
    }
    robot.Add(some);
  }
  EXPECT_LT(robot->bytes(), 300'000U);
}

}  // namespace
}  // namespace weir::stream
