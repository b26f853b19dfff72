#include "iceberg/rest_pointers.h"

#include <atomic>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "http/stub_server.h"
#include "iceberg/test_table.h"

namespace weir::iceberg {
namespace {

using connect::CommitOutcome;
using http::StubServer;
using test::TestTable;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A server of one table, whose answers a test may change one by one.
class RestPointersTest : public testing::Test {
 protected:
  RestPointersTest() : server_([this](const StubServer::Heard& heard) { return Answer(heard); }) {
    lake_.Append(*lake_.Open(), 1);
    before_ = lake_.Current();
    lake_.Append(*lake_.Open(), 2);
    after_ = lake_.Current();
    options_.uri = server_.url() + "/api/";
  }

  StubServer::Answer Answer(const StubServer::Heard& heard) {
    const std::string path = heard.target.substr(0, heard.target.find('?'));
    if (const auto found = answers_.find(heard.method + " " + path); found != answers_.end()) {
      return found->second;
    }
    if (path == "/api/v1/config") {
      return StubServer::Reply(200, R"({"defaults": {}, "overrides": {}})");
    }
    if (path == "/api/v1/oauth/tokens") {
      return StubServer::Reply(200, R"({"access_token": "t)" + std::to_string(++tokens_) +
                                        R"(", "token_type": "bearer", "expires_in": 100})");
    }
    return StubServer::Reply(404, R"({"error": {"message": "no such thing", "code": 404}})");
  }

  void Set(const std::string& call, StubServer::Answer answer) {
    const auto paused = server_.Paused();
    answers_[call] = std::move(answer);
  }
  void SetConfig(const std::string& config) {
    Set("GET /api/v1/config", StubServer::Reply(200, config));
  }
  static std::string TableText(const TableMetadata& metadata) {
    return Json{{"metadata-location", metadata.file},
                {"metadata", Must(ParseJson(metadata.Text()))}}
        .dump();
  }
  RestPointers& pointers() {
    if (!pointers_) {
      pointers_ =
          std::make_unique<RestPointers>(std::make_unique<RestClient>(options_, nullptr, clock_));
    }
    return *pointers_;
  }
  Result<SwapOutcome> Swap() {
    const PointerSwap swap{.name = TestTable::Definition().name,
                           .base = before_->file,
                           .next = after_->file,
                           .text = {},
                           .snapshot_id = 0,
                           .from = before_.get(),
                           .to = after_.get()};
    return pointers().Swap({&swap, 1});
  }
  std::string Heads() const {
    std::string all;
    for (const auto& heard : server_.heard()) all += heard.head;
    return all;
  }

  static constexpr const char* kTable = "/api/v1/namespaces/retail/tables/events";
  TestTable lake_;
  MetadataPtr before_, after_;
  ManualClock clock_{0};
  std::map<std::string, StubServer::Answer> answers_;
  std::atomic<int> tokens_ = 0;
  RestOptions options_;
  StubServer server_;
  std::unique_ptr<RestPointers> pointers_;
};

TEST_F(RestPointersTest, ATableIsWhatTheServerSays) {
  Set(std::string("GET ") + kTable, StubServer::Reply(200, TableText(*before_)));
  const CurrentMetadata current = Must(pointers().Current(TestTable::Definition().name));
  EXPECT_EQ(current.location, before_->file);
  EXPECT_EQ(current.metadata->uuid, before_->uuid);
  EXPECT_EQ(current.metadata->snapshots.size(), 1U);
}

TEST_F(RestPointersTest, ATableThatDidNotChangeIsNotSentAgain) {
  Set(std::string("GET ") + kTable,
      StubServer::Reply(200, TableText(*before_), "ETag: \"one\"\r\n"));
  const auto first = Must(pointers().Current(TestTable::Definition().name));
  Set(std::string("GET ") + kTable, StubServer::Reply(304));
  const auto second = Must(pointers().Current(TestTable::Definition().name));
  EXPECT_EQ(second.metadata, first.metadata);
  EXPECT_THAT(Heads(), HasSubstr("If-None-Match: \"one\""));
}

TEST_F(RestPointersTest, AMissingTableIsToldFromAServerThatIsAway) {
  auto current = pointers().Current(TestTable::Definition().name);
  ASSERT_FALSE(current);
  EXPECT_EQ(current.error().code, ErrorCode::kTableMissing);
  for (int status : {429, 500, 503}) {
    Set(std::string("GET ") + kTable, StubServer::Reply(status, "<html>"));
    current = pointers().Current(TestTable::Definition().name);
    ASSERT_FALSE(current);
    EXPECT_EQ(current.error().kind, ErrorKind::kUnavailable);
    EXPECT_EQ(current.error().code, ErrorCode::kCatalogUnavailable);
  }
  Set(std::string("GET ") + kTable, StubServer::HangUp());
  current = pointers().Current(TestTable::Definition().name);
  ASSERT_FALSE(current);
  EXPECT_EQ(current.error().kind, ErrorKind::kUnavailable);
}

TEST_F(RestPointersTest, TheStatusOfACommitDecides) {
  const std::string commit = std::string("POST ") + kTable;
  const auto answer = [&](int status) {
    Set(commit, StubServer::Reply(status, R"({"error": {"type": "", "message": "m"}})"));
    return Swap();
  };
  EXPECT_EQ(Must(answer(409)).outcome, CommitOutcome::kConflict);
  for (int status : {408, 500, 502, 503, 504}) {
    EXPECT_EQ(Must(answer(status)).outcome, CommitOutcome::kUnknown) << status;
  }
  Set(commit, StubServer::HangUp());
  EXPECT_EQ(Must(Swap()).outcome, CommitOutcome::kUnknown);
  for (int status : {400, 401, 403, 404, 422, 429}) {
    EXPECT_FALSE(answer(status)) << status << " is a definite refusal";
  }
  Set(commit, StubServer::Reply(200, TableText(*after_)));
  const SwapOutcome done = Must(Swap());
  EXPECT_EQ(done.outcome, CommitOutcome::kCommitted);
  ASSERT_NE(done.metadata, nullptr);
  EXPECT_EQ(done.metadata->current_snapshot_id, after_->current_snapshot_id);
  Set(commit, StubServer::Reply(204));
  EXPECT_EQ(Must(Swap()).outcome, CommitOutcome::kCommitted) << "whatever the answer holds";
}

TEST_F(RestPointersTest, WhoSaysNothingOfItOffersToTakeSeveralTables) {
  SetConfig(R"({"defaults": {}, "overrides": {}})");
  EXPECT_TRUE(pointers().joint_swaps());
  pointers_.reset();
  SetConfig(R"({"defaults": {}, "overrides": {}, "endpoints": ["GET /v1/{prefix}/namespaces"]})");
  EXPECT_FALSE(pointers().joint_swaps());
}

TEST_F(RestPointersTest, SeveralTablesGoTogetherWhereThatIsOffered) {
  SetConfig(R"({"defaults": {"prefix": "main|wh"}, "overrides": {},
                "endpoints": ["POST /v1/{prefix}/transactions/commit"]})");
  EXPECT_TRUE(pointers().joint_swaps());
  Set("POST /api/v1/main%7Cwh/transactions/commit", StubServer::Reply(204));
  PointerSwap swap{.name = TestTable::Definition().name,
                   .base = before_->file,
                   .next = after_->file,
                   .text = {},
                   .snapshot_id = 0,
                   .from = before_.get(),
                   .to = after_.get()};
  const std::vector<PointerSwap> both = {swap, swap};
  EXPECT_EQ(Must(pointers().Swap(both)).outcome, CommitOutcome::kCommitted);
  const Json sent = Must(ParseJson(server_.heard().back().body));
  EXPECT_EQ(sent["table-changes"].size(), 2U);
  EXPECT_EQ(sent["table-changes"][1]["identifier"]["name"], "events");
}

TEST_F(RestPointersTest, NamespacesAreMadeWhenTheTableHasNone) {
  Set("POST /api/v1/namespaces", StubServer::Reply(409));
  const MetadataPtr first = before_;
  const auto made = pointers().Insert(TestTable::Definition().name, "", first->Text());
  ASSERT_FALSE(made.ok());
  std::vector<std::string> calls;
  for (const auto& heard : server_.heard()) calls.push_back(heard.method + " " + heard.target);
  EXPECT_THAT(calls,
              ElementsAre("GET /api/v1/config", "POST /api/v1/namespaces/retail/tables",
                          "POST /api/v1/namespaces", "POST /api/v1/namespaces/retail/tables"));
  Set("POST /api/v1/namespaces/retail/tables", StubServer::Reply(500));
  EXPECT_EQ(pointers().Insert(TestTable::Definition().name, "", first->Text()).error().kind,
            ErrorKind::kCommitUnknown);
}

TEST_F(RestPointersTest, ListsComeInPagesAndLevels) {
  Set("GET /api/v1/namespaces/a/tables",
      StubServer::Reply(200, R"({"identifiers": [{"namespace": ["a"], "name": "t"}]})"));
  Set("GET /api/v1/namespaces/b%20c/tables", StubServer::Reply(200, R"({"identifiers": []})"));
  int page = 0;
  StubServer server([&](const StubServer::Heard& heard) {
    if (heard.target == "/api/v1/namespaces") {
      return StubServer::Reply(200, R"({"namespaces": [["a"]], "next-page-token": "p/2"})");
    }
    if (heard.target == "/api/v1/namespaces?pageToken=p%2F2") {
      ++page;
      return StubServer::Reply(200, R"({"namespaces": [["b c"]], "next-page-token": null})");
    }
    if (heard.target.starts_with("/api/v1/namespaces?parent=")) {
      return StubServer::Reply(200, R"({"namespaces": [["a"], ["b c"]]})");
    }
    return Answer(heard);
  });
  options_.uri = server.url() + "/api";
  EXPECT_THAT(Must(pointers().List()),
              ElementsAre(connect::TableName{.levels = {"a"}, .name = "t"}));
  EXPECT_EQ(page, 1);
}

TEST_F(RestPointersTest, TokensAreGotAndRenewed) {
  options_.credential = "me:se&cret";
  Set(std::string("GET ") + kTable, StubServer::Reply(200, TableText(*before_)));
  const auto name = TestTable::Definition().name;
  Must(pointers().Current(name));
  EXPECT_EQ(tokens_, 1);
  EXPECT_THAT(server_.heard().front().body, HasSubstr("client_id=me&client_secret=se%26cret"));
  EXPECT_THAT(server_.heard().back().head, HasSubstr("Authorization: Bearer t1"));
  Must(pointers().Current(name));
  EXPECT_EQ(tokens_, 1) << "it is still good";
  clock_.Advance(95 * kMicrosPerSecond);
  Must(pointers().Current(name));
  EXPECT_EQ(tokens_, 2) << "it would run out soon";
  Set(std::string("GET ") + kTable, StubServer::Reply(401));
  const auto refused = pointers().Current(name);
  EXPECT_EQ(tokens_, 3) << "one more try";
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kStorageDenied);
  EXPECT_THAT(refused.error().ToString(), Not(HasSubstr("cret")));
}

TEST_F(RestPointersTest, ARefusedCredentialIsNotShown) {
  options_.credential = "me:se&cret";
  Set("POST /api/v1/oauth/tokens",
      StubServer::Reply(401, R"({"error": "invalid_client", "error_description": "me:se&cret"})"));
  const Status checked = pointers().Check();
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().code, ErrorCode::kStorageDenied);
  EXPECT_THAT(checked.error().ToString(), Not(HasSubstr("cret")));
}

TEST_F(RestPointersTest, HeadersAndTheFixedTokenAreSent) {
  options_.token = "fixed";
  options_.headers["X-Project"] = "shop";
  SetConfig(R"({"defaults": {"header.X-Region": "eu"}, "overrides": {}})");
  Set("GET /api/v1/namespaces", StubServer::Reply(200, R"({"namespaces": []})"));
  Must(pointers().Check());
  const std::string head = server_.heard().back().head;
  EXPECT_THAT(head, HasSubstr("Authorization: Bearer fixed"));
  EXPECT_THAT(head, HasSubstr("X-Project: shop"));
  EXPECT_THAT(head, HasSubstr("X-Region: eu"));
}

TEST_F(RestPointersTest, WhatIsNoCatalogIsRefused) {
  SetConfig("<html>hello</html>");
  EXPECT_EQ(pointers().Check().error().code, ErrorCode::kStorageDenied);
}

TEST_F(RestPointersTest, OneTableIsRenamedAndSeveralAreNot) {
  Set("POST /api/v1/tables/rename", StubServer::Reply(204));
  const connect::TableRename rename{.from = TestTable::Definition().name,
                                    .to = {.levels = {"retail"}, .name = "other"}};
  Must(pointers().Rename({rename}));
  EXPECT_EQ(pointers().Rename({rename, rename}).error().kind, ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace weir::iceberg
