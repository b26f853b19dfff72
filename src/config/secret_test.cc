#include "config/secret.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/echo.h"
#include "config/load.h"
#include "config/retail_example.h"

namespace weir::config {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SecretTest, NamesThatHoldSecrets) {
  for (const char* name :
       {"password", "sasl.password", "ssl.key.password", "key_password", "PASSWORD", "passwrd",
        "sasl.pasword", "ssl.keystore.password", "sasl.oauthbearer.client.secret", "ssl.key.pem",
        "sasl.oauthbearer.config", "api_key", "token", "credential"}) {
    EXPECT_TRUE(IsSecretName(name)) << name;
  }
  for (const char* name :
       {"brokers", "topic", "sasl.username", "ssl.key.location", "key", "state", "p",
        "sasl.oauthbearer.token.endpoint.url", "sasl.mechanism", "product_id", ""}) {
    EXPECT_FALSE(IsSecretName(name)) << name;
  }
}

TEST(SecretTest, FindsSecretsInLinesThatCannotBeParsed) {
  EXPECT_TRUE(SecretRanges("topic: events").empty());
  const std::string line = "  sasl: {user: u, password: hunter2";
  const auto ranges = SecretRanges(line);
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_THAT(line.substr(0, ranges[0].first), Not(HasSubstr("hunter2")));
  EXPECT_EQ(ranges[0].second, line.size());
}

TEST(SecretTest, FindsPasswordsInUrls) {
  const auto hidden = [](const std::string& line) {
    std::string out;
    for (const auto& [first, last] : UrlPasswords(line)) out += line.substr(first, last - first);
    return out;
  };
  EXPECT_EQ(hidden("sql: \"postgresql://u:pa@ss:w@h:5/d\""), "pa@ss:w");
  EXPECT_EQ(hidden("postgresql://h/d?password=secret"), "secret");
  EXPECT_EQ(hidden("postgresql://u@h:5432/d"), "");
  EXPECT_EQ(hidden("https://h:5432/d"), "");
}

// A pipeline with secrets of every origin. `mistake` is put where it makes errors on the secrets'
// lines.
std::string SecretPipeline(const std::string& mistake) {
  return "pipeline: shop\n"
         "source:\n"
         "  kafka:\n"
         "    brokers: ${file:brokers}\n"
         "    topic: events\n"
         "    security: {protocol: sasl_ssl, mechanism: plain, username: \"${file:user}\", "
         "password: SECRET-literal" +
         mistake +
         "}\n"
         "    options:\n"
         "      ssl.key.password: ${KEY_PASSWORD}\n"
         "      client.id: ${file:client}\n"
         "state: ./state\n"
         "contract: retail_event.yaml\n"
         "lake: {warehouse: ./lake}\n"
         "tables:\n"
         "  silver.events: {from: valid, properties: {owner.token: SECRET-token, a: "
         "\"${file:a}\"}}\n"
         "on_error: fail\n";
}

ScriptedEnvironment SecretEnvironment() {
  ScriptedEnvironment environment;
  environment.variables = {{"KEY_PASSWORD", "SECRET-variable"}};
  environment.files = {{"/pipelines/brokers", "SECRET-host:9092\n"},
                       {"/pipelines/user", "SECRET-user\n"},
                       {"/pipelines/client", "SECRET-client\n"},
                       {"/pipelines/a", "SECRET-property\n"},
                       {"/pipelines/retail_event.yaml", std::string(RetailContractText())}};
  return environment;
}

TEST(SecretTest, ReachTheClientButNoOutput) {
  const auto outcome = ParsePipelineText(SecretPipeline(""), "p.yaml", SecretEnvironment());
  ASSERT_TRUE(outcome.spec) << outcome.diagnostics.ToText();
  const SourceSpec& source = outcome.spec->source;
  EXPECT_EQ(source.options.at("sasl.password"), "SECRET-literal");
  EXPECT_EQ(source.options.at("ssl.key.password"), "SECRET-variable");
  EXPECT_EQ(source.options.at("sasl.username"), "SECRET-user");
  EXPECT_EQ(source.brokers, "SECRET-host:9092");
  EXPECT_THAT(source.secret_options,
              testing::UnorderedElementsAre("sasl.password", "ssl.key.password", "sasl.username",
                                            "client.id"));
  const std::string echo = Echo(*outcome.spec);
  EXPECT_THAT(echo, Not(HasSubstr("SECRET")));
  EXPECT_THAT(echo, HasSubstr("***"));
}

TEST(SecretTest, DoNotChangeTheHash) {
  const auto one = ParsePipelineText(SecretPipeline(""), "p.yaml", SecretEnvironment());
  ScriptedEnvironment other_environment = SecretEnvironment();
  other_environment.variables["KEY_PASSWORD"] = "SECRET-other";
  other_environment.files["/pipelines/user"] = "SECRET-somebody";
  const auto other = ParsePipelineText(SecretPipeline(""), "p.yaml", other_environment);
  ASSERT_TRUE(one.spec && other.spec);
  EXPECT_EQ(one.spec->text_hash, other.spec->text_hash);
}

TEST(SecretTest, AreInNoDiagnostic) {
  for (const char* mistake :
       {", protcol: x", ", mechanism: nope", ": x", "\", username: y", " #",
        ", password: SECRET-twice", ", passwrd: SECRET-typo", "]", "\n  a: [", ", username: {a: b}",
        ", key_password: [SECRET-list]", "${", "${SECRET x}"}) {
    const auto outcome = ParsePipelineText(SecretPipeline(mistake), "p.yaml", SecretEnvironment());
    EXPECT_FALSE(outcome.diagnostics.ok()) << mistake;
    EXPECT_THAT(outcome.diagnostics.ToText(true), Not(HasSubstr("SECRET"))) << mistake;
    EXPECT_THAT(outcome.diagnostics.ToJson(), Not(HasSubstr("SECRET"))) << mistake;
    EXPECT_THAT(outcome.diagnostics.ToStatus().ok()
                    ? ""
                    : outcome.diagnostics.ToStatus().error().ToString(),
                Not(HasSubstr("SECRET")))
        << mistake;
  }
}

// Values that are wrong are quoted in messages, so none may come from a file where that can happen.
TEST(SecretTest, HaveNoPlaceWhereValuesAreQuoted) {
  ScriptedEnvironment environment;
  environment.files["/pipelines/x"] = "SECRET-x";
  for (const char* text :
       {"on_error: ${file:x}",
        "state: \"${file:x}://\"",
        "pipeline: ${file:x}",
        "memory: ${file:x}",
        "epoch: {every: \"${file:x}\"}",
        "epoch: {max_rows: \"${file:x}\"}",
        "source: {spool: ./l, topic: \"${file:x}\"}",
        "source: {spool: ./l, topic: t, start: \"${file:x}\"}",
        R"(source: {kafka: {brokers: "b:1", topic: t, security: {protocol: "${file:x}"}}})",
        "lake: {warehouse: \"${file:x}\"}",
        "tables: {a.b: {from: \"${file:x}\"}}",
        "tables: {a.b: {from: valid, coordinates: \"${file:x}\"}}",
        "tables: {a.b: {from: valid, partition_by: [\"${file:x}(\"]}}",
        "tables: {a.b: {from: valid, sort_by: \"${file:x}\"}}",
        "contract: ${file:x}",
        "contract: {name: c, fields: {a: \"${file:x}\"}}",
        "contract: {name: c, fields: {a: {type: \"${file:x}\"}}}",
        "contract: {name: c, fields: {a: {type: int, min: \"${file:x}\"}}}",
        "contract: {name: c, event_type: \"${file:x}\", fields: {a: string}}",
        "contract: {name: c, fields: {a: {type: string, pattern: \"(${file:x}\"}}}",
        R"(contract: {name: c, fields: {a: {type: int, allowed: ["${file:x}", "${file:x}"]}}})"}) {
    const auto outcome = ParsePipelineText(text, "p.yaml", environment);
    EXPECT_THAT(outcome.diagnostics.ToText(), HasSubstr("where no secret has a place")) << text;
    EXPECT_THAT(outcome.diagnostics.ToText(), Not(HasSubstr("SECRET"))) << text;
    EXPECT_THAT(outcome.diagnostics.ToJson(), Not(HasSubstr("SECRET"))) << text;
  }
}

TEST(SecretTest, WrongOptionsAreNotQuoted) {
  ScriptedEnvironment environment;
  environment.files["/pipelines/x"] = "SECRET-x";
  const auto outcome = ParsePipelineText(
      R"(source: {kafka: {brokers: "${file:x}", topic: t, options: {check.crcs: "${file:x}"}}})",
      "p.yaml", environment);
  EXPECT_THAT(outcome.diagnostics.ToText(), HasSubstr("`check.crcs`"));
  EXPECT_THAT(outcome.diagnostics.ToText(), HasSubstr("`brokers`"));
  EXPECT_THAT(outcome.diagnostics.ToText(), Not(HasSubstr("SECRET")));
}

}  // namespace
}  // namespace weir::config
