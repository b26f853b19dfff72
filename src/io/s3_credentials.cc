#include "io/s3_credentials.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/json_depth.h"
#include "base/log.h"
#include "http/url.h"
#include "io/aws_profile.h"
#include "io/s3_answers.h"
#include "io/xml.h"

namespace weir::io {
namespace {

constexpr Micros kRefreshAhead = 300 * kMicrosPerSecond;
constexpr Micros kAskAgainAfter = 10 * kMicrosPerSecond;
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;

Error NoCredentials(const std::string& why) { return Refused(why, ErrorCode::kStorageDenied); }

class Fixed final : public S3CredentialSource {
 public:
  explicit Fixed(S3Credentials credentials) : credentials_(std::move(credentials)) {}
  Result<S3Credentials> Get() override { return credentials_; }
  void Discard() override {}

 private:
  const S3Credentials credentials_;
};

class Refreshed final : public S3CredentialSource {
 public:
  Refreshed(std::function<Result<S3Credentials>()> fetch, Clock& clock)
      : fetch_(std::move(fetch)), clock_(clock) {}

  Result<S3Credentials> Get() override {
    const std::lock_guard lock(mutex_);
    const Micros now = clock_.Now();
    const bool fresh = have_ && (have_->expires == 0 || now < have_->expires - ahead_);
    const bool usable = have_ && now < have_->expires;
    if (fresh || (usable && now < not_before_)) return *have_;
    auto fetched = fetch_();
    if (fetched) {
      have_ = *std::move(fetched);
      // Some live for a few minutes only.
      const Micros life = have_->expires - now;
      ahead_ = life > kRefreshAhead ? kRefreshAhead : std::max<Micros>(life, 0) / 4;
      return *have_;
    }
    if (!usable) return std::move(fetched).error();
    not_before_ = now + kAskAgainAfter;
    log::Warn("credentials of the object store were not renewed",
              {{"because", fetched.error().ToString()}});
    return *have_;
  }

  void Discard() override {
    const std::lock_guard lock(mutex_);
    have_.reset();
  }

 private:
  const std::function<Result<S3Credentials>()> fetch_;
  Clock& clock_;
  std::mutex mutex_;
  std::optional<S3Credentials> have_;  // guarded by mutex_
  Micros ahead_ = kRefreshAhead;       // guarded by mutex_
  Micros not_before_ = 0;              // guarded by mutex_
};

Result<std::string> ReadSmallFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound(path + " cannot be read");
  std::string text(kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxFileBytes) return InvalidInput(path + " is too long");
  return text;
}

std::string WithoutLineEnd(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

// One look through the chain.
class Chain {
 public:
  Chain(std::string region, CredentialPlaces places)
      : region_(std::move(region)), places_(std::move(places)) {}

  Result<S3Credentials> Find() const {
    if (auto found = FromVariables()) return *std::move(found);
    if (!Variable("AWS_WEB_IDENTITY_TOKEN_FILE").empty()) return FromWebIdentity();
    if (auto found = FromProfile()) return *std::move(found);
    const bool in_container = !Variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI").empty() ||
                              !Variable("AWS_CONTAINER_CREDENTIALS_FULL_URI").empty();
    if (in_container) return FromContainer();
    if (Variable("AWS_EC2_METADATA_DISABLED") == "true") return Nowhere("it is switched off");
    return FromMachine();
  }

  std::string ProfileSetting(const std::string& name) const {
    for (const bool config : {false, true}) {
      const AwsProfile profile = Profile(config);
      const auto found = profile.find(name);
      if (found != profile.end()) return found->second;
    }
    return {};
  }

 private:
  std::string Variable(const char* name) const { return places_.variable(name); }

  static Error Nowhere(const std::string& why) {
    return WithRemedy(
        NoCredentials("no credentials for the object store: none in the environment or a profile, "
                      "and the machine's metadata service: " +
                      why),
        "set `s3.access_key` and `s3.secret_key`, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  }

  std::optional<S3Credentials> FromVariables() const {
    S3Credentials found{.access_key = Variable("AWS_ACCESS_KEY_ID"),
                        .secret_key = Variable("AWS_SECRET_ACCESS_KEY"),
                        .session_token = Variable("AWS_SESSION_TOKEN")};
    if (found.access_key.empty() || found.secret_key.empty()) return std::nullopt;
    return found;
  }

  AwsProfile Profile(bool config) const {
    const char* variable = config ? "AWS_CONFIG_FILE" : "AWS_SHARED_CREDENTIALS_FILE";
    std::string path = Variable(variable);
    if (path.empty()) path = places_.home + (config ? "/.aws/config" : "/.aws/credentials");
    std::string name = Variable("AWS_PROFILE");
    if (name.empty()) name = "default";
    const auto text = ReadSmallFile(path);
    return text ? ReadAwsProfile(*text, name) : AwsProfile();
  }

  std::optional<S3Credentials> FromProfile() const {
    S3Credentials found{.access_key = ProfileSetting("aws_access_key_id"),
                        .secret_key = ProfileSetting("aws_secret_access_key"),
                        .session_token = ProfileSetting("aws_session_token")};
    if (found.access_key.empty() || found.secret_key.empty()) return std::nullopt;
    return found;
  }

  Result<std::string> Ask(const http::Request& request, const std::string& whom) const {
    auto response = places_.transport->Send(request);
    if (!response) {
      return Unavailable(whom + ": " + response.error().message, ErrorCode::kStorageFailed);
    }
    if (response->ok()) return std::move(response->body);
    const std::string message = whom + " answered " + std::to_string(response->status);
    if (response->status >= 500 || response->status == 429) {
      return Unavailable(message, ErrorCode::kStorageFailed);
    }
    return NoCredentials(message + " " + ReadFault(response->body).code);
  }

  Result<S3Credentials> FromWebIdentity() const {
    WEIR_ASSIGN_OR_RETURN(const std::string token,
                          ReadSmallFile(Variable("AWS_WEB_IDENTITY_TOKEN_FILE")));
    std::string session = Variable("AWS_ROLE_SESSION_NAME");
    if (session.empty()) session = "weir";
    std::string url = Variable("AWS_ENDPOINT_URL_STS");
    if (url.empty()) url = "https://sts." + region_ + ".amazonaws.com";
    const std::string body = "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=" +
                             http::PercentEncode(Variable("AWS_ROLE_ARN")) +
                             "&RoleSessionName=" + http::PercentEncode(session) +
                             "&WebIdentityToken=" + http::PercentEncode(WithoutLineEnd(token));
    const http::Request request{.method = http::Method::kPost,
                                .url = url + "/",
                                .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
                                .body = body};
    WEIR_ASSIGN_OR_RETURN(const std::string answer, Ask(request, "the token service"));
    WEIR_ASSIGN_OR_RETURN(const XmlElement root, ParseXml(answer));
    const XmlElement* result = root.Find("AssumeRoleWithWebIdentityResult");
    const XmlElement* found = result == nullptr ? nullptr : result->Find("Credentials");
    if (found == nullptr) return Corrupt("the token service gave no credentials");
    return Checked({.access_key = std::string(found->TextOf("AccessKeyId")),
                    .secret_key = std::string(found->TextOf("SecretAccessKey")),
                    .session_token = std::string(found->TextOf("SessionToken")),
                    .expires = ReadIsoTime(found->TextOf("Expiration")).value_or(0)},
                   "the token service");
  }

  Result<S3Credentials> FromContainer() const {
    std::string url = Variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    const std::string relative = Variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    if (!relative.empty()) url = "http://169.254.170.2" + relative;
    std::string token = Variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    const std::string file = Variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    if (!file.empty()) {
      WEIR_ASSIGN_OR_RETURN(token, ReadSmallFile(file));
    }
    http::Request request{.url = url};
    if (!token.empty()) request.headers = {{"Authorization", WithoutLineEnd(token)}};
    WEIR_ASSIGN_OR_RETURN(const std::string answer, Ask(request, "the container's credentials"));
    return FromJson(answer, "the container's credentials");
  }

  // Version 2 of the metadata service: a token first.
  Result<S3Credentials> FromMachine() const {
    const std::string base = places_.metadata_url + "/latest";
    constexpr Micros kPatience = 2 * kMicrosPerSecond;
    const auto token = Ask({.method = http::Method::kPut,
                            .url = base + "/api/token",
                            .headers = {{"X-aws-ec2-metadata-token-ttl-seconds", "21600"}},
                            .timeout = kPatience},
                           "the metadata service");
    if (!token) return Nowhere(token.error().message);
    const http::Headers headers = {{"X-aws-ec2-metadata-token", *token}};
    const std::string roles = base + "/meta-data/iam/security-credentials/";
    const auto role =
        Ask({.url = roles, .headers = headers, .timeout = kPatience}, "the metadata service");
    if (!role) return Nowhere(role.error().message);
    const std::string name = role->substr(0, role->find('\n'));
    WEIR_ASSIGN_OR_RETURN(
        const std::string answer,
        Ask({.url = roles + http::PercentEncode(name), .headers = headers, .timeout = kPatience},
            "the metadata service"));
    return FromJson(answer, "the metadata service");
  }

  static Result<S3Credentials> FromJson(const std::string& text, const std::string& whom) {
    if (!NestsAtMost(text, 8)) return Corrupt(whom + " gave no JSON");
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) return Corrupt(whom + " gave no JSON");
    const auto text_at = [&](const char* key) {
      const auto found = json.find(key);
      return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    return Checked({.access_key = text_at("AccessKeyId"),
                    .secret_key = text_at("SecretAccessKey"),
                    .session_token = text_at("Token"),
                    .expires = ReadIsoTime(text_at("Expiration")).value_or(0)},
                   whom);
  }

  static Result<S3Credentials> Checked(S3Credentials found, const std::string& whom) {
    if (found.access_key.empty() || found.secret_key.empty()) {
      return NoCredentials(whom + " gave no access key");
    }
    return found;
  }

  const std::string region_;
  const CredentialPlaces places_;
};

}  // namespace

CredentialPlaces ProcessPlaces() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  CredentialPlaces places{.variable = variable, .home = variable("HOME"), .transport = nullptr};
  const std::string metadata = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (!metadata.empty()) places.metadata_url = metadata;
  return places;
}

std::shared_ptr<S3CredentialSource> FixedCredentials(S3Credentials credentials) {
  return std::make_shared<Fixed>(std::move(credentials));
}

std::shared_ptr<S3CredentialSource> RefreshedCredentials(
    std::function<Result<S3Credentials>()> fetch, Clock& clock) {
  return std::make_shared<Refreshed>(std::move(fetch), clock);
}

std::shared_ptr<S3CredentialSource> DefaultCredentials(const std::string& region, Clock& clock,
                                                       CredentialPlaces places) {
  if (places.transport == nullptr) {
    http::ClientOptions options;
    options.connect_timeout = 2 * kMicrosPerSecond;
    options.total_timeout = 10 * kMicrosPerSecond;
    places.transport = http::NewClient(options);
  }
  auto chain = std::make_shared<Chain>(region, std::move(places));
  return RefreshedCredentials([chain] { return chain->Find(); }, clock);
}

std::string DefaultRegion(const CredentialPlaces& places) {
  for (const char* name : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
    if (std::string region = places.variable(name); !region.empty()) return region;
  }
  std::string region = Chain("", places).ProfileSetting("region");
  return region.empty() ? "us-east-1" : region;
}

std::string DefaultEndpoint(const CredentialPlaces& places) {
  std::string endpoint = places.variable("AWS_ENDPOINT_URL_S3");
  return endpoint.empty() ? places.variable("AWS_ENDPOINT_URL") : endpoint;
}

std::shared_ptr<http::Transport> NewS3Transport(const S3Options& options) {
  http::ClientOptions client;
  client.ca_file = options.ca_file;
  client.least_bytes_per_second = 512;
  client.slow_timeout = 20 * kMicrosPerSecond;
  client.total_timeout = 180 * kMicrosPerSecond;
  return http::NewClient(client);
}

}  // namespace weir::io
