#include "iceberg/rest_token.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_document.h"
#include "http/url.h"

namespace weir::iceberg {
namespace {

constexpr std::int64_t kUsualLifetimeSeconds = 3600;
constexpr std::int64_t kLongestLifetimeSeconds = std::int64_t{365} * 24 * 3600;

// A tenth of its life before the end, since clocks and networks are slow.
Micros RenewAfter(std::int64_t lifetime_seconds) {
  const std::int64_t bounded =
      std::clamp<std::int64_t>(lifetime_seconds, 1, kLongestLifetimeSeconds);
  return bounded * kMicrosPerSecond / 10 * 9;
}

std::string FormOf(const TokenSource& source) {
  const std::size_t colon = source.credential.find(':');
  std::string form = "grant_type=client_credentials&scope=" +
                     http::PercentEncode(source.scope.empty() ? "catalog" : source.scope);
  if (colon != std::string::npos) {
    form += "&client_id=" + http::PercentEncode(source.credential.substr(0, colon));
  }
  const std::size_t secret = colon == std::string::npos ? 0 : colon + 1;
  return form + "&client_secret=" + http::PercentEncode(source.credential.substr(secret));
}

}  // namespace

Result<std::string> RestToken::Current() {
  const std::lock_guard lock(mutex_);
  if (!source_.token.empty()) return source_.token;
  if (source_.credential.empty()) return std::string();
  if (token_.empty() || clock_.Monotonic() >= renew_at_) WEIR_TRY(Renew());
  return token_;
}

bool RestToken::Forget(const std::string& refused) {
  const std::lock_guard lock(mutex_);
  if (!source_.token.empty() || source_.credential.empty()) return false;
  if (token_ == refused) token_.clear();
  return true;
}

void RestToken::Complete(const TokenSource& found) {
  const std::lock_guard lock(mutex_);
  if (source_.token.empty() && source_.credential.empty()) {
    source_.token = found.token;
    source_.credential = found.credential;
  }
  if (!found.uri.empty()) source_.uri = found.uri;
  if (source_.scope.empty()) source_.scope = found.scope;
}

Status RestToken::Renew() {
  const std::string form = FormOf(source_);
  const http::Request request{.method = http::Method::kPost,
                              .url = source_.uri,
                              .headers = {{"Content-Type", "application/x-www-form-urlencoded"},
                                          {"Accept", "application/json"}},
                              .body = form};
  auto response = transport_.Send(request);
  if (!response) {
    Error error = http::Repeatable(std::move(response).error());
    error.code = ErrorCode::kCatalogUnavailable;
    return WithContext(std::move(error), "asking for a token");
  }
  const std::string where = fmt::format("{}: HTTP {}", source_.uri, response->status);
  if (response->status >= 500 || response->status == 429) {
    return Unavailable(where + " when asked for a token", ErrorCode::kCatalogUnavailable);
  }
  if (!response->ok()) {
    return WithRemedy(Refused(where + ": the credential was refused", ErrorCode::kStorageDenied),
                      "check `credential`, `scope` and `oauth2_uri` below `lake.catalog.rest`");
  }
  const auto body = ParseJson(response->body);
  const auto token = body ? FindText(*body, "access_token") : std::nullopt;
  if (!token || token->empty() || token->find_first_of("\r\n") != std::string::npos) {
    return Unavailable(where + ", but no token came", ErrorCode::kCatalogUnavailable);
  }
  token_ = *token;
  renew_at_ = clock_.Monotonic() +
              RenewAfter(FindLong(*body, "expires_in").value_or(kUsualLifetimeSeconds));
  return Ok();
}

}  // namespace weir::iceberg
