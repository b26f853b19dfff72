#include "record/operator_rules.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ContractField Carried(std::string name, Type type, bool required = false) {
  ContractField field;
  field.field = {.name = std::move(name), .type = std::move(type), .required = required, .doc = {}};
  return field;
}

Contract Shop() {
  Contract contract;
  contract.name = "shop";
  contract.fields = {Carried("at", Type::Of(TypeKind::kTimestamp), true),
                     Carried("user", Type::Of(TypeKind::kString), true),
                     Carried("page", Type::Of(TypeKind::kString)),
                     Carried("price", Type::Decimal(10, 2)),
                     Carried("quantity", Type::Of(TypeKind::kInt)),
                     Carried("big", Type::Of(TypeKind::kLong)),
                     Carried("weight", Type::Of(TypeKind::kDouble)),
                     Carried("fine", Type::Decimal(38, 36)),
                     Carried("tags", Type::List(Type::Of(TypeKind::kString)))};
  contract.event_time_field = "at";
  return contract;
}

std::vector<std::string> Shown(const Schema& schema) {
  std::vector<std::string> shown;
  for (const Field& field : schema.fields) {
    shown.push_back(field.name + " " + ToString(field.type) + (field.required ? " required" : ""));
  }
  return shown;
}

Aggregate Of(AggregateKind kind, std::string column) {
  return {.kind = kind, .column = std::move(column), .name = "x"};
}

std::string TypeOf(AggregateKind kind, std::string column) {
  WindowRules rules;
  rules.aggregates = {Of(kind, std::move(column))};
  const Result<Schema> columns = WindowColumns(Shop(), rules);
  if (!columns) return columns.error().message;
  const Field& field = columns->fields.back();
  return ToString(field.type) + (field.required ? " required" : "");
}

TEST(OperatorRulesTest, LateRowsCarryWhatTheyMet) {
  Contract contract = Shop();
  contract.fields.resize(3);
  EXPECT_THAT(
      Shown(LateColumns(contract)),
      ElementsAre("at timestamp required", "user string required", "page string",
                  "ingestion_time timestamp", "topic string required", "partition int required",
                  "offset long required", "watermark timestamp required",
                  "lateness_ms long required", "missed string required"));
}

TEST(OperatorRulesTest, WindowsHaveGroupsThenBordersThenAggregates) {
  WindowRules rules;
  rules.by = {"page", "user"};
  rules.aggregates = {{.kind = AggregateKind::kCount, .column = {}, .name = "count"},
                      {.kind = AggregateKind::kMax, .column = "price", .name = "dearest"}};
  const Result<Schema> columns = WindowColumns(Shop(), rules);
  ASSERT_TRUE(columns) << columns.error().message;
  EXPECT_THAT(
      Shown(*columns),
      ElementsAre("page string", "user string required", "window_start timestamp required",
                  "window_end timestamp required", "count long required", "dearest decimal(10,2)"));
}

TEST(OperatorRulesTest, TypesOfAggregates) {
  using enum AggregateKind;
  EXPECT_EQ(TypeOf(kCountDistinct, "user"), "long required");
  EXPECT_EQ(TypeOf(kSum, "quantity"), "decimal(38,0)");
  EXPECT_EQ(TypeOf(kSum, "big"), "decimal(38,0)");
  EXPECT_EQ(TypeOf(kSum, "price"), "decimal(38,2)");
  EXPECT_EQ(TypeOf(kSum, "weight"), "double");
  EXPECT_EQ(TypeOf(kAvg, "quantity"), "double");
  EXPECT_EQ(TypeOf(kAvg, "weight"), "double");
  EXPECT_EQ(TypeOf(kAvg, "price"), "decimal(38,6)");
  EXPECT_EQ(TypeOf(kAvg, "fine"), "decimal(38,38)");
  EXPECT_EQ(TypeOf(kMin, "at"), "timestamp");
  EXPECT_EQ(TypeOf(kMax, "page"), "string");
}

TEST(OperatorRulesTest, RefusesColumnsThatAnAggregateCannotTake) {
  using enum AggregateKind;
  EXPECT_EQ(TypeOf(kSum, "user"), "sum takes int, long, decimal and double; `user` is string");
  EXPECT_EQ(TypeOf(kAvg, "at"), "avg takes int, long, decimal and double; `at` is timestamp");
  EXPECT_THAT(TypeOf(kMin, "tags"), HasSubstr("columns that hold one value"));
  EXPECT_THAT(TypeOf(kCountDistinct, "tags"), HasSubstr("`tags` is list<string>"));
  EXPECT_EQ(TypeOf(kSum, "prize"), "`prize` is no column of the contract");
}

TEST(OperatorRulesTest, RefusesGroupsWithoutEqualityAndNamesThatClash) {
  for (const char* group : {"weight", "tags", "nothing"}) {
    WindowRules rules;
    rules.by = {group};
    const Result<Schema> columns = WindowColumns(Shop(), rules);
    ASSERT_FALSE(columns) << group;
    EXPECT_EQ(columns.error().code, ErrorCode::kContractInvalid);
    EXPECT_THAT(columns.error().message, HasSubstr(group));
  }
  WindowRules rules;
  rules.by = {"user"};
  rules.aggregates = {{.kind = AggregateKind::kCount, .column = {}, .name = "User"}};
  EXPECT_THAT(WindowColumns(Shop(), rules).error().message, HasSubstr("named `User`"));
  rules.aggregates[0].name = "window_end";
  EXPECT_FALSE(WindowColumns(Shop(), rules));
}

SessionRules Sessions() {
  SessionRules rules;
  rules.by = "user";
  rules.gap = 1'800 * kMicrosPerSecond;
  return rules;
}

TEST(OperatorRulesTest, ColumnsOfSessions) {
  SessionRules rules = Sessions();
  rules.page = "page";
  rules.first = {"weight"};
  rules.last = {"at"};
  rules.value_event = "purchase";
  rules.price = "price";
  rules.quantity = "quantity";
  const Result<Schema> columns = SessionColumns(Shop(), rules);
  ASSERT_TRUE(columns) << columns.error().message;
  EXPECT_THAT(Shown(*columns),
              ElementsAre("user string required", "session_id string required",
                          "session_start timestamp required", "session_end timestamp required",
                          "duration_s double required", "events long required",
                          "event_counts map<string, long>", "entry_page string", "exit_page string",
                          "first_weight double", "last_at timestamp", "is_bounce boolean required",
                          "order_value decimal(18,2)", "is_open boolean required",
                          "source_partition int required"));
}

TEST(OperatorRulesTest, SessionsWithoutPagesHaveNoSuchColumns) {
  const Result<Schema> columns = SessionColumns(Shop(), Sessions());
  ASSERT_TRUE(columns);
  EXPECT_FALSE(columns->IndexOf("entry_page"));
  EXPECT_TRUE(columns->IndexOf("order_value"));
}

TEST(OperatorRulesTest, RefusesRulesOfSessionsThatDoNotFit) {
  SessionRules rules = Sessions();
  rules.first = {"nothing"};
  EXPECT_THAT(SessionColumns(Shop(), rules).error().message, HasSubstr("`nothing`"));
  rules = Sessions();
  rules.value_event = "purchase";
  rules.price = "weight";
  EXPECT_THAT(SessionColumns(Shop(), rules).error().message, HasSubstr("must be a decimal"));
  rules.price = "price";
  rules.quantity = "price";
  EXPECT_THAT(SessionColumns(Shop(), rules).error().message, HasSubstr("must be an int or long"));
  Contract contract = Shop();
  contract.fields[1].field.name = "session_id";
  rules = Sessions();
  rules.by = "session_id";
  EXPECT_THAT(SessionColumns(contract, rules).error().message, HasSubstr("named `session_id`"));
}

TEST(OperatorRulesTest, FixedColumns) {
  EXPECT_THAT(Shown(FunnelColumns()),
              ElementsAre("window_start timestamp required", "window_end timestamp required",
                          "step int required", "event_type string required",
                          "sessions long required", "from_first double", "from_previous double",
                          "median_s double", "is_final boolean required"));
  EXPECT_THAT(Shown(ActiveUserColumns()),
              ElementsAre("minute timestamp required", "users_5m long required",
                          "users_30m long required"));
  EXPECT_THAT(Shown(SessionStatsColumns()),
              ElementsAre("window_start timestamp required", "window_end timestamp required",
                          "sessions long required", "median_s double required",
                          "p90_s double required", "bounces long required"));
  EXPECT_THAT(
      Shown(DecisionColumns()),
      ElementsAre("epoch long required", "kind string required", "partition int", "offset long",
                  "value timestamp", "watermark timestamp", "time timestamp required"));
}

}  // namespace
}  // namespace weir
