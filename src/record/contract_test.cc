#include "record/contract.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using ::testing::HasSubstr;

ContractField Of(std::string name, Type type, bool required = false) {
  ContractField field;
  field.field =
      Field{.name = std::move(name), .type = std::move(type), .required = required, .doc = {}};
  return field;
}

// A small contract that holds; each case below breaks one thing.
Contract Shop() {
  Contract contract;
  contract.name = "shop";
  contract.fields = {Of("event_id", Type::Of(TypeKind::kString), true),
                     Of("event_time", Type::Of(TypeKind::kTimestamp), true),
                     Of("event_type", Type::Of(TypeKind::kString), true),
                     Of("quantity", Type::Of(TypeKind::kInt)), Of("price", Type::Decimal(10, 2))};
  contract.fields[2].allowed = {"page_view", "search"};
  contract.fields[3].min = Bound{.number = 1, .text = "1"};
  contract.event_type_field = "event_type";
  contract.event_types = {{.event_type = "search", .needs = {"price"}}};
  contract.event_time_field = "event_time";
  return contract;
}

TEST(Contract, ASoundOneHolds) {
  const Status status = Check(Shop());
  EXPECT_TRUE(status.ok()) << status.error().ToString();
}

struct Broken {
  const char* what;  // what the message says
  std::function<void(Contract&)> breaks;
};

const std::vector<Broken> kBroken = {
    {"no field that an event carries", [](Contract& c) { c.fields.clear(); }},
    {"a field has no name", [](Contract& c) { c.fields[0].field.name = ""; }},
    {"is not UTF-8", [](Contract& c) { c.fields[0].field.name = "\xff"; }},
    {"Event_Time is there twice",
     [](Contract& c) { c.fields.push_back(Of("Event_Time", Type::Of(TypeKind::kInt))); }},
    {"ingestion_time is there twice",
     [](Contract& c) { c.fields.push_back(Of("ingestion_time", Type::Of(TypeKind::kInt))); }},
    {"unknown_fields is there twice",
     [](Contract& c) {
       c.unknown_fields = UnknownFields::kKeep;
       c.fields.push_back(Of("unknown_fields", Type::Of(TypeKind::kInt)));
     }},
    {"precision must be 1 to 38, not 39",
     [](Contract& c) { c.fields[4].field.type = Type::Decimal(39, 2); }},
    {"scale must be 0 to the precision 2, not 3",
     [](Contract& c) { c.fields[4].field.type = Type::Decimal(2, 3); }},
    {"JSON has no binary", [](Contract& c) { c.fields[3] = Of("q", Type::Of(TypeKind::kBinary)); }},
    {"keys of a map are strings",
     [](Contract& c) {
       const Type number = Type::Of(TypeKind::kInt);
       c.fields[4].field.type = Type::Map(number, number);
     }},
    {"a struct needs at least one field",
     [](Contract& c) { c.fields[4].field.type = Type::Struct({}); }},
    {"price.element: decimal precision",
     [](Contract& c) { c.fields[4].field.type = Type::List(Type::Decimal(0, 0)); }},
    {"nest deeper",
     [](Contract& c) {
       for (int i = 0; i < 40; ++i) c.fields[4].field.type = Type::List(c.fields[4].field.type);
     }},
    {"not_blank applies to string", [](Contract& c) { c.fields[3].not_blank = true; }},
    {"allowed applies to string", [](Contract& c) { c.fields[3].allowed = {"1"}; }},
    {"search is allowed twice", [](Contract& c) { c.fields[2].allowed.emplace_back("search"); }},
    {"pattern applies to string", [](Contract& c) { c.fields[3].pattern = "x"; }},
    {"not a regular expression", [](Contract& c) { c.fields[0].pattern = "("; }},
    {"do not apply to string", [](Contract& c) { c.fields[0].min = Bound{.text = "1"}; }},
    {"the bound 3000000000 does not fit int",
     [](Contract& c) { c.fields[3].max = Bound{.number = 3'000'000'000, .text = "3000000000"}; }},
    {"the bound 100000000.00 does not fit decimal(10,2)",
     [](Contract& c) {
       c.fields[4].max = Bound{.number = 10'000'000'000, .text = "100000000.00"};
     }},
    {"min 1 is above max 0",
     [](Contract& c) { c.fields[3].max = Bound{.number = 0, .text = "0"}; }},
    {"a timestamp format applies to timestamp",
     [](Contract& c) { c.fields[3].timestamp_format = TimestampFormat::kEpochMillis; }},
    {"assume_utc applies to", [](Contract& c) { c.fields[3].assume_utc = true; }},
    {"needs the type timestamp", [](Contract& c) { c.fields[3].from_ingestion = true; }},
    {"two fields are filled by ingestion",
     [](Contract& c) {
       for (const char* name : {"i1", "i2"}) {
         c.fields.push_back(Of(name, Type::Of(TypeKind::kTimestamp)));
         c.fields.back().from_ingestion = true;
       }
     }},
    {"does not say where the type stands", [](Contract& c) { c.event_type_field = ""; }},
    {"event_type_field kind is no field", [](Contract& c) { c.event_type_field = "kind"; }},
    {"must be a string, not int", [](Contract& c) { c.event_type_field = "quantity"; }},
    {"event type search is there twice",
     [](Contract& c) { c.event_types.push_back(c.event_types[0]); }},
    {"event type bogus is not among the allowed",
     [](Contract& c) { c.event_types[0].event_type = "bogus"; }},
    {"needs bogus, which is no field", [](Contract& c) { c.event_types[0].needs = {"bogus"}; }},
    {"event_time_field when is no field", [](Contract& c) { c.event_time_field = "when"; }},
    {"must be a timestamp", [](Contract& c) { c.event_time_field = "quantity"; }},
    {"event_time must be required", [](Contract& c) { c.fields[1].field.required = false; }},
};

TEST(Contract, ContradictionsAreNamed) {
  for (const Broken& broken : kBroken) {
    Contract contract = Shop();
    broken.breaks(contract);
    const Status status = Check(contract);
    ASSERT_FALSE(status.ok()) << broken.what;
    EXPECT_EQ(status.error().code, ErrorCode::kContractInvalid);
    EXPECT_THAT(status.error().message, HasSubstr(broken.what));
  }
}

std::vector<std::string> Names(const Schema& schema) {
  std::vector<std::string> names;
  for (const Field& field : schema.fields) names.push_back(field.name);
  return names;
}

TEST(Contract, IngestionTimeComesLastUnlessPlaced) {
  Contract contract = Shop();
  EXPECT_EQ(Names(TableSchema(contract)),
            (std::vector<std::string>{"event_id", "event_time", "event_type", "quantity", "price",
                                      "ingestion_time"}));
  EXPECT_EQ(IngestionColumn(contract), "ingestion_time");
  contract.fields.insert(contract.fields.begin() + 2, Of("taken", Type::Of(TypeKind::kTimestamp)));
  contract.fields[2].from_ingestion = true;
  EXPECT_TRUE(Check(contract).ok());
  EXPECT_EQ(Names(TableSchema(contract)),
            (std::vector<std::string>{"event_id", "event_time", "taken", "event_type", "quantity",
                                      "price"}));
  EXPECT_EQ(IngestionColumn(contract), "taken");
}

TEST(Contract, KeptUnknownFieldsAreTheLastColumn) {
  Contract contract = Shop();
  contract.unknown_fields = UnknownFields::kKeep;
  contract.unknown_column = "rest";
  const Schema schema = TableSchema(contract);
  EXPECT_EQ(schema.fields.back().name, "rest");
  EXPECT_EQ(ToString(schema.fields.back().type), "map<string, string>");
}

}  // namespace
}  // namespace weir
