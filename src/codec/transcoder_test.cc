#include "codec/transcoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "avro/encoder.h"
#include "codec/decode_outcome.h"

namespace weir::codec {
namespace {

using ::testing::HasSubstr;

RegisteredSchema Avro(std::string text) {
  return {.type = SchemaType::kAvro, .text = std::move(text), .references = {}};
}

// The text that a value becomes, or "!reason".
std::string TextOf(Transcoder& transcoder, std::string_view payload) {
  std::string json;
  Rejection rejection;
  if (transcoder.Transcode(payload, &json, &rejection)) return json;
  return "!" + std::string(ToString(rejection.reason));
}

std::unique_ptr<Transcoder> Must(Result<std::unique_ptr<Transcoder>> made) {
  EXPECT_TRUE(made) << made.error().ToString();
  return made ? std::move(made).value() : nullptr;
}

TEST(AvroTranscoder, WritesValuesAsTheContractReadsThem) {
  Contract contract = ContractOf(
      {FieldOf("at", Type::Of(TypeKind::kTimestamp)),
       FieldOf("seen", Type::Of(TypeKind::kTimestamp)), FieldOf("day", Type::Of(TypeKind::kDate)),
       FieldOf("price", Type::Decimal(10, 2)), FieldOf("kind", Type::Of(TypeKind::kString))});
  contract.fields[1].timestamp_format = TimestampFormat::kEpochMillis;
  auto transcoder = Must(NewAvroTranscoder(Avro(R"({"type":"record","name":"e","fields":[
    {"name":"at","type":{"type":"long","logicalType":"timestamp-millis"}},
    {"name":"seen","type":{"type":"long","logicalType":"timestamp-micros"}},
    {"name":"day","type":{"type":"int","logicalType":"date"}},
    {"name":"price","type":["null",{"type":"bytes","logicalType":"decimal","precision":10,
      "scale":2}]},
    {"name":"kind","type":{"type":"enum","name":"k","symbols":["view","sale"]}},
    {"name":"note","type":["null","string"]},
    {"name":"tags","type":{"type":"array","items":"int"}},
    {"name":"extra","type":{"type":"map","values":"double"}}]})"),
                                           contract));
  avro::Encoder value;
  value.Long(1'764'500'000'123);
  value.Long(1'764'500'000'123'456);
  value.Int(20'000);
  value.Present();
  value.Bytes(std::string_view("\xff\x38", 2));  // -200
  value.Long(1);
  value.Null();
  value.BeginItems(2);
  value.Int(7);
  value.Int(-8);
  value.EndItems();
  value.BeginItems(1);
  value.Bytes("a\"b");
  value.Double(0.5);
  value.EndItems();
  EXPECT_EQ(TextOf(*transcoder, value.bytes()),
            R"({"at":"2025-11-30T10:53:20.123000Z","seen":1764500000123.456,"day":"2024-10-04",)"
            R"("price":-2.00,"kind":"sale","note":null,"tags":[7,-8],"extra":{"a\"b":0.5}})");
}

TEST(AvroTranscoder, FindsRenamedFieldsByTheirOldNames) {
  const Contract contract = ContractOf({FieldOf("user_id", Type::Of(TypeKind::kString))});
  auto transcoder = Must(NewAvroTranscoder(Avro(R"({"type":"record","name":"e","fields":[
        {"name":"user","aliases":["uid","user_id"],"type":"string"}]})"),
                                           contract));
  avro::Encoder value;
  value.Bytes("u");
  EXPECT_EQ(TextOf(*transcoder, value.bytes()), R"({"user_id":"u"})");
}

TEST(AvroTranscoder, RefusesBytesThatAreNoValue) {
  const Contract contract = ContractOf({FieldOf("a", Type::Of(TypeKind::kString))});
  auto transcoder = Must(
      NewAvroTranscoder(Avro(R"({"type":"record","name":"e","fields":[{"name":"a","type":"string"},
        {"name":"next","type":["null","e"]}]})"),
                        contract));
  EXPECT_EQ(TextOf(*transcoder, ""), "!malformed");
  EXPECT_EQ(TextOf(*transcoder, std::string_view("\x02x\x04", 3)), "!malformed");
  EXPECT_EQ(TextOf(*transcoder, std::string_view("\x02x\x00y", 4)), "!trailing_data");
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += std::string("\x02x\x02", 3);
  EXPECT_EQ(TextOf(*transcoder, deep), "!too_deep");
}

TEST(AvroTranscoder, ASchemaThatIsNoRecordCannotBeUsed) {
  const Contract contract = ContractOf({FieldOf("a", Type::Of(TypeKind::kString))});
  EXPECT_FALSE(NewAvroTranscoder(Avro(R"("string")"), contract));
  EXPECT_FALSE(NewAvroTranscoder(Avro("nonsense"), contract));
  RegisteredSchema with_reference = Avro(
      R"({"type":"record","name":"e","namespace":"b","fields":[{"name":"a","type":"c.money"}]})");
  EXPECT_FALSE(NewAvroTranscoder(with_reference, contract));
  with_reference.references = {
      {.name = "c.money",
       .text = R"({"type":"record","name":"money","namespace":"c","fields":[]})"}};
  EXPECT_TRUE(NewAvroTranscoder(with_reference, contract));
}

constexpr const char* kProto = R"pb(
  syntax = "proto3"
  ;
package shop;
import "google/protobuf/timestamp.proto";
import "common/money.proto";
message Other { int32 x = 1; }
message Event {
  string event_id = 1;
  google.protobuf.Timestamp event_time = 2;
  optional int64 quantity = 3;
  common.Money price = 4;
  map<string, int32> counts = 5;
  repeated string tags = 6;
  enum Kind { UNKNOWN = 0; SALE = 1; }
  Kind kind = 7;
  message Inner { bool yes = 1; }
}
)pb";

RegisteredSchema Proto() {
  return {
      .type = SchemaType::kProtobuf,
      .text = kProto,
      .references = {{.name = "common/money.proto", .text = R"(syntax = "proto3"; package common;
                                     message Money { int64 cents = 1; })"}}};
}

Contract ProtoContract() {
  return ContractOf({FieldOf("event_id", Type::Of(TypeKind::kString)),
                     FieldOf("event_time", Type::Of(TypeKind::kTimestamp))});
}

TEST(ProtobufTranscoder, WritesTheMessageThatTheIndexesName) {
  auto transcoder = Must(NewProtobufTranscoder(Proto(), ProtoContract()));
  // Indexes [1]; event_id "e", event_time {seconds 1}, quantity 5, price {cents 9},
  // counts {"a": 1}, tags ["t"], kind 1.
  const std::string_view event(
      "\x02\x02\x0a\x01"
      "e\x12\x02\x08\x01\x18\x05\x22\x02\x08\x09\x2a\x05\x0a\x01"
      "a\x10\x01\x32\x01t\x38\x01",
      27);
  EXPECT_EQ(TextOf(*transcoder, event),
            R"({"event_id":"e","event_time":"1970-01-01T00:00:01Z","quantity":5,)"
            R"("price":{"cents":9},"counts":{"a":1},"tags":["t"],"kind":"SALE"})");
  EXPECT_EQ(TextOf(*transcoder, std::string_view("\x00\x08\x07", 3)), R"({"x":7})");
  EXPECT_EQ(TextOf(*transcoder, std::string_view("\x04\x02\x00\x08\x01", 5)), R"({"yes":true})");
}

TEST(ProtobufTranscoder, AFieldWithoutPresenceHasItsDefault) {
  auto transcoder = Must(NewProtobufTranscoder(Proto(), ProtoContract()));
  EXPECT_EQ(TextOf(*transcoder, std::string_view("\x02\x02", 2)),
            R"({"event_id":"","counts":{},"tags":[],"kind":"UNKNOWN"})");
}

TEST(ProtobufTranscoder, RefusesBytesThatAreNoMessage) {
  auto transcoder = Must(NewProtobufTranscoder(Proto(), ProtoContract()));
  EXPECT_EQ(TextOf(*transcoder, ""), "!malformed");
  EXPECT_EQ(TextOf(*transcoder, "\x02\x12"), "!malformed");           // no message 9
  EXPECT_EQ(TextOf(*transcoder, "\x02\x02\x0a\x09x"), "!malformed");  // cut off
}

TEST(ProtobufTranscoder, SaysWhyASchemaCannotBeUsed) {
  RegisteredSchema schema = Proto();
  schema.references.clear();
  const auto missing = NewProtobufTranscoder(schema, ProtoContract());
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("common/money.proto"));
  schema.text = "syntax = ";
  EXPECT_FALSE(NewProtobufTranscoder(schema, ProtoContract()));
  schema.text = "syntax = \"proto3\";";
  EXPECT_FALSE(NewProtobufTranscoder(schema, ProtoContract()));
}

}  // namespace
}  // namespace weir::codec
