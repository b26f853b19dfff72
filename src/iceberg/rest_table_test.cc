// An Iceberg table behind a REST catalog's server, whose columns change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "http/stub_server.h"
#include "iceberg/rest_pointers.h"
#include "iceberg/table.h"
#include "iceberg/test_table.h"

namespace weir::iceberg {
namespace {

using connect::CommitOutcome;
using http::StubServer;
using test::TestTable;
using testing::SizeIs;

// A server of one table that does what it is asked to.
class RestTableTest : public testing::Test {
 protected:
  RestTableTest() : server_([this](const StubServer::Heard& heard) { return Answer(heard); }) {
    lake_.Append(*lake_.Open(), 1);
    RestOptions options;
    options.uri = server_.url();
    auto client = std::make_unique<RestClient>(options, nullptr, lake_.clock());
    table_ = std::make_unique<IcebergTable>(TestTable::Definition().name, "shop",
                                            std::make_shared<RestPointers>(std::move(client)),
                                            nullptr, lake_.warehouse(), lake_.clock());
    change_.added.push_back(
        {.parent = {},
         .field = {.name = "coupon", .type = Type::Of(TypeKind::kString), .doc = {}}});
  }

  StubServer::Answer Answer(const StubServer::Heard& heard) {
    if (heard.target.ends_with("/config")) {
      return StubServer::Reply(200, R"({"defaults": {}, "overrides": {}})");
    }
    if (heard.method == "POST") {
      sent_ = Must(ParseJson(heard.body));
      if (before_commit_) before_commit_();
      if (!Apply()) return StubServer::Reply(409, R"({"error": {"message": "no", "code": 409}})");
      if (status_ != 200) return StubServer::Reply(status_, "<html>");
    }
    const MetadataPtr current = lake_.Current();
    return StubServer::Reply(200, Json{{"metadata-location", current->file},
                                       {"metadata", Must(ParseJson(current->Text()))}}
                                      .dump());
  }

  // False: a requirement is not met.
  bool Apply() {
    const MetadataPtr current = lake_.Current();
    for (const Json& required : sent_["requirements"]) {
      if (required["type"] == "assert-table-uuid" && required["uuid"] != current->uuid) {
        return false;
      }
      if (required["type"] == "assert-current-schema-id" &&
          required["current-schema-id"] != current->current_schema_id) {
        return false;
      }
    }
    lake_.Foreign([&](Json& document) {
      for (const Json& update : sent_["updates"]) {
        if (update["action"] != "add-schema") continue;
        document["schemas"].push_back(update["schema"]);
        document["current-schema-id"] = update["schema"]["schema-id"];
        document["last-column-id"] = update["last-column-id"];
      }
    });
    return true;
  }

  TestTable lake_;
  Json sent_;
  int status_ = 200;
  std::function<void()> before_commit_;
  connect::SchemaChange change_;
  StubServer server_;
  std::unique_ptr<IcebergTable> table_;
};

TEST_F(RestTableTest, AColumnIsAddedByTheServer) {
  const auto base = Must(table_->Load());
  EXPECT_EQ(Must(table_->Evolve(*base, change_)), CommitOutcome::kCommitted);
  EXPECT_EQ(sent_["updates"].size(), 2U);
  EXPECT_EQ(sent_["requirements"].size(), 3U) << "the table, its columns, their ids";
  const auto after = Must(table_->Load());
  ASSERT_THAT(after->schema.fields, SizeIs(4));
  EXPECT_EQ(after->schema.fields[3].id, 4);
  EXPECT_EQ(after->snapshot_id, base->snapshot_id);
  EXPECT_THAT(Must(table_->LiveFiles(*after)), SizeIs(1));
}

TEST_F(RestTableTest, WhatAServerSaysOfSeveralTablesIsLookedAt) {
  const auto base = Must(table_->Load());
  EXPECT_FALSE(table_->Grouped(*base, {})->whole);
  EXPECT_TRUE(lake_.Open()->Grouped(*base, {})->whole) << "where we move the pointer ourselves";
}

TEST_F(RestTableTest, AServerErrorAfterTheChangeIsUnknownAndTheNextLookTells) {
  status_ = 503;
  const auto base = Must(table_->Load());
  EXPECT_EQ(Must(table_->Evolve(*base, change_)), CommitOutcome::kUnknown);
  EXPECT_TRUE(Must(table_->Load())->schema.IndexOf("coupon"));
}

TEST_F(RestTableTest, ColumnsOfOthersAreAConflict) {
  before_commit_ = [this] {
    before_commit_ = nullptr;
    const auto other = lake_.Open();
    connect::SchemaChange theirs = change_;
    theirs.added[0].field.name = "voucher";
    Must(other->Evolve(*Must(other->Load()), theirs));
  };
  EXPECT_EQ(Must(table_->Evolve(*Must(table_->Load()), change_)), CommitOutcome::kConflict);
  EXPECT_EQ(Must(table_->Evolve(*Must(table_->Load()), change_)), CommitOutcome::kCommitted);
  EXPECT_THAT(Must(table_->Load())->schema.fields, SizeIs(5));
}

// The server puts the columns onto rows that came meanwhile: they are there for us as well.
TEST_F(RestTableTest, RowsOfOthersInBetweenStay) {
  before_commit_ = [this] { lake_.Append(*lake_.Open("other"), 2); };
  EXPECT_EQ(Must(table_->Evolve(*Must(table_->Load()), change_)), CommitOutcome::kCommitted);
  const auto after = Must(table_->Load());
  EXPECT_TRUE(after->schema.IndexOf("coupon"));
  EXPECT_THAT(Must(table_->LiveFiles(*after)), SizeIs(2));
}

}  // namespace
}  // namespace weir::iceberg
