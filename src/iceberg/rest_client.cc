#include "iceberg/rest_client.h"

#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "http/url.h"

namespace weir::iceberg {
namespace {

constexpr Micros kCallTimeout = 60 * kMicrosPerSecond;
// Metadata of a table with very many snapshots; Java's default writes no more than some MiB.
constexpr std::int64_t kMostAnswerBytes = std::int64_t{256} << 20;
constexpr std::size_t kMostMessageBytes = 300;

std::string WithoutSlash(std::string text) {
  while (text.ends_with('/')) text.pop_back();
  return text;
}

bool IsEscape(std::string_view text) {
  return text.size() >= 3 && text[0] == '%' &&
         std::isxdigit(static_cast<unsigned char>(text[1])) != 0 &&
         std::isxdigit(static_cast<unsigned char>(text[2])) != 0;
}

// Servers give a prefix encoded or as it is: what is encoded stays, the rest becomes it.
std::string EncodedPrefix(std::string_view prefix) {
  std::string out;
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    if (IsEscape(prefix.substr(i))) {
      out += prefix.substr(i, 3);
      i += 2;
    } else {
      out += http::PercentEncode(prefix.substr(i, 1), http::Slash::kKeep);
    }
  }
  return out;
}

std::map<std::string, std::string> TextsAt(const Json& body, const char* key) {
  std::map<std::string, std::string> texts;
  const Json* object = Find(body, key);
  if (object == nullptr || !object->is_object()) return texts;
  for (const auto& [name, value] : object->items()) {
    if (value.is_string()) texts[name] = value.get<std::string>();
  }
  return texts;
}

http::ClientOptions ClientOptionsOf(const RestOptions& options) {
  http::ClientOptions out;
  out.ca_file = options.ca_file;
  out.total_timeout = kCallTimeout;
  return out;
}

TokenSource SourceOf(const RestOptions& options) {
  const std::string own = WithoutSlash(options.uri) + "/v1/oauth/tokens";
  return {.token = options.token,
          .credential = options.credential,
          .uri = options.oauth2_uri.empty() ? own : options.oauth2_uri,
          .scope = options.scope};
}

}  // namespace

RestClient::RestClient(const RestOptions& options, std::unique_ptr<http::Transport> transport,
                       Clock& clock)
    : options_(options),
      transport_(transport ? std::move(transport) : http::NewClient(ClientOptionsOf(options))),
      token_(SourceOf(options), *transport_, clock),
      clock_(clock) {
  options_.uri = WithoutSlash(options_.uri);
  for (const auto& [name, value] : options_.headers) headers_.push_back({name, value});
  if (!options_.signing_service.empty()) {
    SignFor(options_.signing_service, options_.signing_region);
  }
}

void RestClient::SignFor(const std::string& service, const std::string& region) {
  signer_ = std::make_unique<RestSigner>(service, region, options_.signing_credentials, clock_);
}

Result<http::Response> RestClient::SendOnce(const http::Request& request,
                                            const http::Headers& extra, std::string& token) {
  WEIR_ASSIGN_OR_RETURN(token, token_.Current());
  http::Request signed_request = request;
  signed_request.headers = headers_;
  signed_request.headers.push_back({"Accept", "application/json"});
  if (!request.body.empty()) {
    signed_request.headers.push_back({"Content-Type", "application/json"});
  }
  if (!token.empty()) signed_request.headers.push_back({"Authorization", "Bearer " + token});
  for (const http::Header& header : extra) signed_request.headers.push_back(header);
  if (signer_ != nullptr) WEIR_TRY(signer_->Sign(signed_request));
  return transport_->Send(signed_request);
}

Result<http::Response> RestClient::SendTo(const std::string& url, const Call& call) {
  const std::string body = call.body == nullptr ? "" : DumpJson(*call.body);
  const http::Request request{.method = call.method,
                              .url = call.query.empty() ? url : url + "?" + call.query,
                              .headers = {},
                              .body = body,
                              .max_answer_bytes = kMostAnswerBytes};
  std::string token;
  auto response = SendOnce(request, call.headers, token);
  // Refused before anything was done, so a newer token may try.
  const bool refused = response && (response->status == 401 || response->status == 419);
  const bool unsure = response && response->status == 403 && signer_ != nullptr;
  if (unsure) signer_->Discard();
  if ((refused && token_.Forget(token)) || unsure) {
    response = SendOnce(request, call.headers, token);
  }
  return response;
}

Status RestClient::Configure() {
  const std::lock_guard lock(mutex_);
  if (configured_) return Ok();
  const std::string query =
      options_.warehouse.empty() ? "" : "warehouse=" + http::PercentEncode(options_.warehouse);
  auto response = SendTo(options_.uri + "/v1/config", {.path = {}, .query = query});
  if (!response) {
    Error error = http::Repeatable(std::move(response).error());
    if (error.code == ErrorCode::kNone) error.code = ErrorCode::kCatalogUnavailable;
    return error;
  }
  if (!response->ok()) {
    Error error = RestError(*response, options_.uri + "/v1/config");
    if (error.kind != ErrorKind::kNotFound) return error;
    return WithRemedy(Refused(error.message, ErrorCode::kStorageDenied),
                      "check `uri` and `warehouse` below `lake.catalog.rest`");
  }
  const auto body = ParseJson(response->body);
  if (!body) {
    return Refused(options_.uri + "/v1/config is not what a REST catalog answers",
                   ErrorCode::kStorageDenied);
  }
  std::map<std::string, std::string> settings = TextsAt(*body, "defaults");
  for (const auto& [name, value] : TextsAt(*body, "overrides")) settings[name] = value;
  const auto setting = [&](const char* name) {
    const auto found = settings.find(name);
    return found == settings.end() ? std::string() : found->second;
  };
  token_.Complete({.token = setting("token"),
                   .credential = setting("credential"),
                   .uri = options_.oauth2_uri.empty() ? setting("oauth2-server-uri") : "",
                   .scope = setting("scope")});
  for (const auto& [name, value] : settings) {
    const std::string_view bare(name);
    if (!bare.starts_with("header.")) continue;
    if (http::FindHeader(headers_, bare.substr(7)) == nullptr) {
      headers_.push_back({std::string(bare.substr(7)), value});
    }
  }
  if (signer_ == nullptr && setting("rest.sigv4-enabled") == "true") {
    const std::string service = setting("rest.signing-name");
    SignFor(service.empty() ? "execute-api" : service, setting("rest.signing-region"));
  }
  if (const std::string text = setting("namespace-separator"); !text.empty()) {
    separator_ = EncodedPrefix(text);
  }
  const std::string uri = setting("uri").empty() ? options_.uri : WithoutSlash(setting("uri"));
  const std::string prefix = EncodedPrefix(setting("prefix"));
  base_ = uri + "/v1" + (prefix.empty() ? "" : "/" + prefix);
  if (const Json* endpoints = weir::Find(*body, "endpoints")) {
    for (const Json& item : *endpoints) {
      if (item.is_string()) endpoints_.push_back(item.get<std::string>());
    }
  } else {
    endpoints_.emplace_back(kJointCommit);
  }
  configured_ = true;
  return Ok();
}

Result<http::Response> RestClient::Send(const Call& call) {
  WEIR_TRY(Configure());
  return SendTo(base_ + call.path, call);
}

Result<bool> RestClient::Offers(const std::string& operation) {
  WEIR_TRY(Configure());
  return std::ranges::find(endpoints_, operation) != endpoints_.end();
}

std::string RestClient::NamespacePath(const std::vector<std::string>& levels) const {
  std::string path = "/namespaces/";
  for (std::size_t i = 0; i < levels.size(); ++i) {
    path += (i == 0 ? "" : separator_) + http::PercentEncode(levels[i]);
  }
  return path;
}

std::string RestClient::TablePath(const connect::TableName& name) const {
  return NamespacePath(name.levels) + "/tables/" + http::PercentEncode(name.name);
}

std::string MessageIn(const http::Response& response) {
  std::string message;
  if (const auto body = ParseJson(response.body)) {
    if (const Json* error = Find(*body, "error")) {
      message = FindText(*error, "message").value_or("");
    }
  }
  message.resize(std::min(message.size(), kMostMessageBytes));
  for (char& c : message) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return message;
}

Error RestError(const http::Response& response, const std::string& what) {
  std::string message = fmt::format("{}: HTTP {}", what, response.status);
  if (const std::string said = MessageIn(response); !said.empty()) message += ": " + said;
  switch (response.status) {
    case 404:
      return NotFound(std::move(message), ErrorCode::kTableMissing);
    case 409:
      return Conflict(std::move(message));
    case 408:
    case 425:
    case 429:
      return Unavailable(std::move(message), ErrorCode::kCatalogUnavailable);
    case 401:
    case 403:
    case 419:
      return WithRemedy(Refused(std::move(message), ErrorCode::kStorageDenied),
                        "check `token` or `credential` below `lake.catalog.rest`, and its rights");
    default:
      break;
  }
  if (response.status >= 500) {
    return Unavailable(std::move(message), ErrorCode::kCatalogUnavailable);
  }
  return Refused(std::move(message), ErrorCode::kStorageDenied);
}

}  // namespace weir::iceberg
