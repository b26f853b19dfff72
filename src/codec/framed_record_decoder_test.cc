#include <atomic>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/decode_outcome.h"
#include "codec/record_decoder.h"
#include "codec/registry_client.h"
#include "http/stub_server.h"

namespace weir::codec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kAvro =
    R"({"type":"record","name":"e","fields":[{"name":"a","type":"string"}]})";

// Answers from a map; an id that is not in it is not known, id 99 is a registry that is away.
class ScriptedRegistry final : public SchemaRegistry {
 public:
  explicit ScriptedRegistry(int* asked) : asked_(asked) {}
  Result<RegisteredSchema> ById(std::uint32_t id) override {
    ++*asked_;
    if (id == 1)
      return RegisteredSchema{.type = SchemaType::kAvro, .text = kAvro, .references = {}};
    if (id == 2) return RegisteredSchema{.type = SchemaType::kJson, .text = "{}", .references = {}};
    if (id == 3) return RegisteredSchema{.type = SchemaType::kAvro, .text = "?", .references = {}};
    if (id == 99) return Unavailable("away");
    return NotFound("schema " + std::to_string(id) + " is not in the registry");
  }

 private:
  int* asked_;
};

std::string Framed(char id, const std::string& payload) {
  return std::string("\0\0\0\0", 4) + id + payload;
}

Contract OneText() { return ContractOf({FieldOf("a", Type::Of(TypeKind::kString))}); }

std::vector<std::string> Decoded(RecordDecoder& decoder, const std::vector<std::string>& values) {
  const auto records = RecordsOf(values);
  Batch batch(decoder.schema());
  std::vector<Rejection> rejected;
  decoder.Decode(records, 0, &batch, &rejected);
  std::vector<std::string> outcomes(values.size());
  for (std::size_t row = 0; row < batch.rows(); ++row)
    outcomes[batch.records[row]] = Show(batch.columns[0], row);
  for (const Rejection& one : rejected)
    outcomes[one.record] = "!" + std::string(ToString(one.reason));
  return outcomes;
}

TEST(FramedRecordDecoder, DecodesByTheSchemaOfEachRecord) {
  int asked = 0;
  const auto decoder = NewFramedRecordDecoder(OneText(), std::make_unique<ScriptedRegistry>(&asked),
                                              UnknownSchema::kQuarantine);
  const std::vector<std::string> values = {
      Framed(1, "\x02x"), Framed(2, R"({"a":"y"})"), Framed(1, "\x02z"), Framed(3, "\x02x"),
      Framed(4, "\x02x"), R"({"a":"plain"})",        Framed(1, "\x09"),  Framed(2, R"({"a":7})")};
  ASSERT_TRUE(decoder->Prepare(RecordsOf(values)));
  EXPECT_THAT(Decoded(*decoder, values),
              ElementsAre("'x'", "'y'", "'z'", "!unknown_schema", "!unknown_schema", "!malformed",
                          "!malformed", "!wrong_type"));
  EXPECT_EQ(asked, 4);
  // Schemas are kept; only what was not there is asked for again.
  ASSERT_TRUE(decoder->Prepare(RecordsOf(values)));
  EXPECT_EQ(asked, 5);
}

TEST(FramedRecordDecoder, WaitsForARegistryAndWhereToldForASchema) {
  int asked = 0;
  const auto patient = NewFramedRecordDecoder(OneText(), std::make_unique<ScriptedRegistry>(&asked),
                                              UnknownSchema::kRetry);
  const std::vector<std::string> unknown = {Framed(4, "")};
  const std::vector<std::string> away = {Framed(99, "")};
  EXPECT_EQ(patient->Prepare(RecordsOf(unknown)).error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(patient->Prepare(RecordsOf(away)).error().kind, ErrorKind::kUnavailable);
}

TEST(RegistryClient, FetchesASchemaWithItsReferences) {
  http::StubServer server([](const http::StubServer::Heard& heard) {
    if (heard.target == "/api/schemas/ids/7")
      return http::StubServer::Reply(200, R"({"schemaType":"PROTOBUF","schema":"top","references":[
                {"name":"a.proto","subject":"a/x","version":2}]})");
    if (heard.target == "/api/subjects/a%2Fx/versions/2")
      return http::StubServer::Reply(200, R"({"schema":"part","references":[]})");
    return http::StubServer::Reply(404, R"({"error_code":40403})");
  });
  const auto client = NewRegistryClient(
      {.url = server.url() + "/api/", .user = "u", .password = "p", .ca_file = {}});
  const auto schema = client->ById(7);
  ASSERT_TRUE(schema) << schema.error().ToString();
  EXPECT_EQ(schema->type, SchemaType::kProtobuf);
  EXPECT_EQ(schema->text, "top");
  ASSERT_EQ(schema->references.size(), 1U);
  EXPECT_EQ(schema->references[0].text, "part");
  EXPECT_THAT(server.heard()[0].head, HasSubstr("Authorization: Basic dTpw"));
  EXPECT_EQ(client->ById(8).error().kind, ErrorKind::kNotFound);
}

TEST(RegistryClient, WhatIsNoAnswerIsAskedAgain) {
  std::atomic<int> status = 503;
  http::StubServer server(
      [&](const http::StubServer::Heard&) { return http::StubServer::Reply(status, "oops"); });
  const auto client =
      NewRegistryClient({.url = server.url(), .user = {}, .password = {}, .ca_file = {}});
  EXPECT_EQ(client->ById(1).error().kind, ErrorKind::kUnavailable);
  status = 200;
  EXPECT_EQ(client->ById(1).error().kind, ErrorKind::kUnavailable);
  status = 401;
  EXPECT_EQ(client->ById(1).error().kind, ErrorKind::kRefused);
}

}  // namespace
}  // namespace weir::codec
