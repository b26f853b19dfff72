// Who a REST catalog takes us for, and with which keys it lets us at the files of tables:
// signatures and vended credentials. rest_pointers_test.cc is about all else.

#include <type_traits>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "http/stub_server.h"
#include "iceberg/rest_pointers.h"
#include "iceberg/test_table.h"
#include "io/s3_credentials.h"

namespace weir::iceberg {
namespace {

using http::StubServer;
using test::TestTable;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kLocation = "s3://shop/lake/retail/events";
constexpr Micros kNow = 1'788'256'800'000'000;

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Settings of a table that is handed out with keys which end at some second from kNow.
Json Keys(const std::string& access_key, std::int64_t seconds) {
  return {{"s3.access-key-id", access_key},
          {"s3.secret-access-key", "hunter2"},
          {"s3.session-token", "token of " + access_key},
          {"s3.session-token-expires-at-ms", std::to_string(kNow / 1000 + seconds * 1000)}};
}

// A list of such settings, for all of the table.
Json One(const std::string& access_key, std::int64_t seconds) {
  Json list = Json::array();
  list.push_back({{"prefix", kLocation}, {"config", Keys(access_key, seconds)}});
  return list;
}

// A server of one table on S3.
class RestAccessTest : public testing::Test {
 protected:
  RestAccessTest() : server_([this](const StubServer::Heard& heard) { return Answer(heard); }) {
    const std::string text = Replaced(lake_.Current()->Text(), "file:///", "s3://shop/");
    table_["metadata-location"] = std::string(kLocation) + "/metadata/v1.metadata.json";
    table_["metadata"] = Must(ParseJson(text));
    options_.uri = server_.url();
  }

  StubServer::Answer Answer(const StubServer::Heard& heard) {
    const std::string path = heard.target.substr(0, heard.target.find('?'));
    if (path == "/v1/config") return StubServer::Reply(200, config_);
    if (path == kTable) return StubServer::Reply(200, DumpJson(table_));
    if (path == std::string(kTable) + "/credentials") {
      if (away_) return StubServer::Reply(503);
      return StubServer::Reply(200, DumpJson(Json{{"storage-credentials", credentials_}}));
    }
    return StubServer::Reply(refusals_-- > 0 ? 403 : 200, R"({"namespaces": []})");
  }

  // What the server says from now on.
  template <typename T>
  void Set(T* what, std::type_identity_t<T> value) {
    const auto paused = server_.Paused();
    *what = std::move(value);
  }
  void SetInTable(const char* key, Json value) {
    const auto paused = server_.Paused();
    table_[key] = std::move(value);
  }

  RestPointers& pointers() {
    if (!pointers_) {
      auto client = std::make_shared<RestClient>(options_, nullptr, clock_);
      pointers_ = std::make_unique<RestPointers>(
          client, std::make_unique<VendedCredentials>(client, granted_, clock_));
    }
    return *pointers_;
  }
  void LoadTable() { Must(pointers().Current(TestTable::Definition().name)); }
  std::string KeyFor(const std::string& location) {
    const auto found = granted_->Find(location);
    return found ? Must(found->grant.credentials->Get()).access_key : "(none)";
  }
  std::size_t Calls(const std::string& target) const {
    std::size_t count = 0;
    for (const auto& heard : server_.heard()) count += heard.target.starts_with(target) ? 1U : 0U;
    return count;
  }

  static constexpr const char* kTable = "/v1/namespaces/retail/tables/events";
  TestTable lake_;
  ManualClock clock_{kNow};
  std::string config_ = R"({"defaults": {}, "overrides": {}})";
  Json table_ = Json::object();
  Json credentials_ = Json::array();
  bool away_ = false;
  int refusals_ = 0;
  RestOptions options_;
  std::shared_ptr<io::GrantedPlaces> granted_ = std::make_shared<io::GrantedPlaces>();
  StubServer server_;
  std::unique_ptr<RestPointers> pointers_;
};

TEST_F(RestAccessTest, KeysInTheTablesSettingsAreForItsFilesAlone) {
  Json settings = Keys("A", 3600);
  settings["s3.endpoint"] = "http://store:9000";
  settings["client.region"] = "eu-north-1";
  SetInTable("config", settings);
  LoadTable();
  EXPECT_THAT(server_.heard().back().head,
              HasSubstr("X-Iceberg-Access-Delegation: vended-credentials"));
  EXPECT_EQ(KeyFor(std::string(kLocation) + "/data/a.parquet"), "A");
  EXPECT_EQ(KeyFor("s3a://shop/lake/retail/events"), "A");
  EXPECT_EQ(KeyFor("s3://shop/lake/retail/events2/data/a.parquet"), "(none)");
  const io::S3Options here = io::S3OptionsAt(kLocation, {.s3 = {}, .granted = granted_});
  EXPECT_EQ(here.endpoint, "http://store:9000");
  EXPECT_EQ(here.region, "eu-north-1");
  EXPECT_TRUE(here.path_style);
  io::S3Options own;
  own.endpoint = "http://127.0.0.1:1";
  EXPECT_EQ(io::S3OptionsAt(kLocation, {.s3 = own, .granted = granted_}).endpoint, own.endpoint);
}

TEST_F(RestAccessTest, TheLongestPrefixHolds) {
  SetInTable(
      "storage-credentials",
      {{{"prefix", "s3://shop/"}, {"config", Keys("all", 3600)}},
       {{"prefix", std::string(kLocation) + "/metadata"}, {"config", Keys("metadata", 3600)}},
       {{"prefix", "s3://other/part"}, {"config", Keys("other", 3600)}}});
  LoadTable();
  EXPECT_EQ(KeyFor(std::string(kLocation) + "/data/a.parquet"), "all");
  EXPECT_EQ(KeyFor(std::string(kLocation) + "/metadata/snap.avro"), "metadata");
  EXPECT_EQ(KeyFor("s3://other/part/x"), "other");
  EXPECT_EQ(KeyFor("s3://shop/lake/retail/orders/x"), "(none)") << "another table has its own";
}

TEST_F(RestAccessTest, KeysAreRenewedBeforeTheyEnd) {
  Set(&config_, R"({"defaults": {}, "overrides": {}, "endpoints":
    ["GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials"]})");
  SetInTable("storage-credentials", One("A", 200));
  Set(&credentials_, One("B", 800));
  LoadTable();
  EXPECT_EQ(KeyFor(kLocation), "A");
  clock_.Advance(140 * kMicrosPerSecond);
  EXPECT_EQ(KeyFor(kLocation), "A");
  clock_.Advance(15 * kMicrosPerSecond);
  EXPECT_EQ(KeyFor(kLocation), "B") << "in the last quarter of their life";
  EXPECT_EQ(Calls(std::string(kTable) + "/credentials"), 1U);
  clock_.Advance(390 * kMicrosPerSecond);
  Set(&away_, true);
  EXPECT_EQ(KeyFor(kLocation), "B") << "they serve while the server is away";
  Set(&credentials_, One("C", 1600));
  Set(&away_, false);
  clock_.Advance(15 * kMicrosPerSecond);
  EXPECT_EQ(KeyFor(kLocation), "C");
}

TEST_F(RestAccessTest, WithoutAnEndpointTheTableIsLoadedForThem) {
  SetInTable("config", Keys("A", 400));
  LoadTable();
  EXPECT_EQ(KeyFor(kLocation), "A");
  SetInTable("config", Keys("B", 800));
  clock_.Advance(390 * kMicrosPerSecond);
  EXPECT_EQ(KeyFor(kLocation), "B");
  EXPECT_EQ(Calls(kTable), 2U);
}

TEST_F(RestAccessTest, KeysThatComeWithALoadAreUsedAtOnce) {
  SetInTable("config", Keys("A", 3600));
  LoadTable();
  EXPECT_EQ(KeyFor(kLocation), "A");
  SetInTable("config", Keys("B", 3600));
  LoadTable();
  EXPECT_EQ(KeyFor(kLocation), "B");
}

TEST_F(RestAccessTest, AServerThatHandsOutNothingMore) {
  SetInTable("config", Keys("A", 400));
  LoadTable();
  SetInTable("config", Json::object());
  EXPECT_EQ(KeyFor(kLocation), "A");
  clock_.Advance(401 * kMicrosPerSecond);
  const auto keys = granted_->Find(kLocation)->grant.credentials->Get();
  ASSERT_FALSE(keys);
  EXPECT_EQ(keys.error().code, ErrorCode::kStorageDenied);
  EXPECT_THAT(keys.error().ToString(),
              AllOf(HasSubstr("retail.events"), Not(HasSubstr("hunter2"))));
}

TEST_F(RestAccessTest, RequestsAreSigned) {
  options_.token = "fixed";
  options_.signing_service = "glue";
  options_.signing_region = "eu-north-1";
  options_.signing_credentials =
      io::FixedCredentials({.access_key = "AK", .secret_key = "hunter2", .session_token = "st"});
  Must(pointers().Check());
  const std::string head = server_.heard().back().head;
  EXPECT_THAT(head, HasSubstr("Authorization: AWS4-HMAC-SHA256 Credential=AK/20260901/eu-north-1/"
                              "glue/aws4_request, SignedHeaders=accept;"));
  EXPECT_THAT(head, HasSubstr("Original-Authorization: Bearer fixed"));
  EXPECT_THAT(head, HasSubstr("x-amz-security-token: st"));
  EXPECT_THAT(server_.heard().front().head, HasSubstr("AWS4-HMAC-SHA256")) << "/v1/config as well";
}

TEST_F(RestAccessTest, AServerMayAskForSignatures) {
  options_.signing_credentials =
      io::FixedCredentials({.access_key = "AK", .secret_key = "hunter2"});
  Set(&config_, R"({"defaults": {"rest.sigv4-enabled": "true", "rest.signing-region": "us-west-2"},
                "overrides": {"rest.signing-name": "s3tables"}})");
  Set(&refusals_, 1);  // keys that ended look so: asked once more
  Must(pointers().Check());
  EXPECT_THAT(server_.heard().back().head, HasSubstr("/us-west-2/s3tables/aws4_request"));
  EXPECT_EQ(Calls("/v1/namespaces"), 2U);
}

}  // namespace
}  // namespace weir::iceberg
