#include "record/contract_diff.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ContractField Of(std::string name, Type type, bool required = false) {
  ContractField field;
  field.field =
      Field{.name = std::move(name), .type = std::move(type), .required = required, .doc = {}};
  return field;
}

Contract Shop() {
  Contract contract;
  contract.fields = {
      Of("event_id", Type::Of(TypeKind::kString), true),
      Of("event_time", Type::Of(TypeKind::kTimestamp), true),
      Of("event_type", Type::Of(TypeKind::kString), true),
      Of("quantity", Type::Of(TypeKind::kInt)),
      Of("price", Type::Decimal(10, 2)),
      Of("device",
         Type::Struct({Field{.name = "os", .type = Type::Of(TypeKind::kString), .doc = {}}}))};
  contract.fields[2].allowed = {"page_view", "search"};
  contract.fields[3].min = Bound{.number = 1, .text = "1"};
  contract.event_type_field = "event_type";
  contract.event_types = {{.event_type = "page_view", .needs = {}},
                          {.event_type = "search", .needs = {"price"}}};
  contract.event_time_field = "event_time";
  return contract;
}

// "+kind path" for compatible changes, "-kind path" for breaking ones.
std::vector<std::string> Told(const std::function<void(Contract&)>& change) {
  Contract after = Shop();
  change(after);
  std::vector<std::string> told;
  for (const ContractChange& one : DiffContracts(Shop(), after)) {
    EXPECT_FALSE(one.message.empty());
    EXPECT_FALSE(one.why.empty());
    EXPECT_EQ(one.plan.empty(), one.compatible) << one.kind;
    told.push_back((one.compatible ? "+" : "-") + one.kind + " " + one.path);
  }
  return told;
}

TEST(ContractDiff, EqualContractsDoNotDiffer) {
  EXPECT_THAT(Told([](Contract&) {}), IsEmpty());
  EXPECT_TRUE(IsCompatible({}));
}

TEST(ContractDiff, AnOptionalFieldIsCompatibleAtAnyDepth) {
  EXPECT_THAT(Told([](Contract& after) {
                after.fields.push_back(Of("coupon", Type::Of(TypeKind::kString)));
                after.fields[5].field.type.children.push_back(
                    Field{.name = "version", .type = Type::Of(TypeKind::kInt), .doc = {}});
              }),
              ElementsAre("+field_added device.version", "+field_added coupon"));
}

TEST(ContractDiff, WideningIsCompatibleAndNarrowingIsNot) {
  EXPECT_THAT(Told([](Contract& after) {
                after.fields[3].field.type = Type::Of(TypeKind::kLong);
                after.fields[4].field.type = Type::Decimal(12, 2);
              }),
              ElementsAre("+type_widened quantity", "+type_widened price"));
  EXPECT_THAT(Told([](Contract& after) { after.fields[4].field.type = Type::Decimal(9, 2); }),
              ElementsAre("-type_narrowed price"));
  EXPECT_THAT(Told([](Contract& after) { after.fields[4].field.type = Type::Decimal(12, 3); }),
              ElementsAre("-type_changed price"));
  EXPECT_TRUE(IsWidening(Type::Of(TypeKind::kFloat), Type::Of(TypeKind::kDouble)));
  EXPECT_FALSE(IsWidening(Type::Of(TypeKind::kLong), Type::Of(TypeKind::kDouble)));
  EXPECT_FALSE(IsWidening(Type::Of(TypeKind::kInt), Type::Of(TypeKind::kInt)));
}

TEST(ContractDiff, WhatExistingEventsOrRowsCannotMeetIsBreaking) {
  EXPECT_THAT(Told([](Contract& after) {
                after.fields.push_back(Of("coupon", Type::Of(TypeKind::kString), true));
              }),
              ElementsAre("-required_field_added coupon"));
  EXPECT_THAT(Told([](Contract& after) { after.fields.pop_back(); }),
              ElementsAre("-field_removed device"));
  EXPECT_THAT(Told([](Contract& after) { after.fields[3].field.required = true; }),
              ElementsAre("-rule_tightened quantity"));
  EXPECT_THAT(Told([](Contract& after) { after.fields[0].field.required = false; }),
              ElementsAre("-required_dropped event_id"));
}

TEST(ContractDiff, ARenamedFieldIsRecognised) {
  Contract after = Shop();
  after.fields[3].field.name = "count";
  const auto changes = DiffContracts(Shop(), after);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].kind, "field_renamed");
  EXPECT_THAT(changes[0].message, HasSubstr("`count`"));
  EXPECT_FALSE(IsCompatible(changes));
}

TEST(ContractDiff, RulesMayBecomeLooserButNotTighter) {
  EXPECT_THAT(Told([](Contract& after) {
                after.fields[0].not_blank = true;
                after.fields[0].pattern = "[a-z]+";
                after.fields[3].min->number = 2;
                after.fields[3].max = Bound{.number = 9, .text = "9"};
              }),
              ElementsAre("-rule_tightened event_id", "-rule_tightened event_id",
                          "-rule_tightened quantity", "-rule_tightened quantity"));
  EXPECT_THAT(Told([](Contract& after) {
                after.fields[3].min->number = 0;
                after.event_types[1].needs.clear();
              }),
              ElementsAre("+rule_loosened quantity", "+rule_loosened event_types.search"));
}

TEST(ContractDiff, EventTypesAreToldOnceAndNotAsAllowedValuesAgain) {
  EXPECT_THAT(Told([](Contract& after) {
                after.event_types.push_back({.event_type = "purchase", .needs = {"price"}});
                after.fields[2].allowed.emplace_back("purchase");
              }),
              ElementsAre("+event_type_added event_types.purchase"));
  EXPECT_THAT(Told([](Contract& after) {
                after.event_types.pop_back();
                after.fields[2].allowed.pop_back();
              }),
              ElementsAre("-rule_tightened event_types.search"));
  EXPECT_THAT(Told([](Contract& after) { after.event_types[0].needs = {"price"}; }),
              ElementsAre("-rule_tightened event_types.page_view"));
}

TEST(ContractDiff, ReadingTheSameTextAnotherWayIsBreaking) {
  EXPECT_THAT(Told([](Contract& after) {
                after.fields[1].timestamp_format = TimestampFormat::kEpochMillis;
              }),
              ElementsAre("-format_changed event_time"));
  EXPECT_THAT(Told([](Contract& after) { after.fields[1].assume_utc = true; }),
              ElementsAre("+rule_loosened event_time"));
}

TEST(ContractDiff, UnknownFieldsMayBeKeptLaterButNotDropped) {
  EXPECT_THAT(Told([](Contract& after) { after.unknown_fields = UnknownFields::kKeep; }),
              ElementsAre("+unknown_kept unknown_fields"));
  EXPECT_THAT(Told([](Contract& after) { after.unknown_fields = UnknownFields::kReject; }),
              ElementsAre("-rule_tightened unknown_fields"));
  Contract keeps = Shop();
  keeps.unknown_fields = UnknownFields::kKeep;
  EXPECT_FALSE(IsCompatible(DiffContracts(keeps, Shop())));
}

}  // namespace
}  // namespace weir
