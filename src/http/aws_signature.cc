#include "http/aws_signature.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/bytes.h"
#include "base/check.h"
#include "http/url.h"

namespace weir::http {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

std::string Hmac(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  const auto* made =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  WEIR_CHECK(made != nullptr);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

// Without blanks at the ends, and runs of blanks inside as one.
std::string Collapsed(std::string_view value) {
  std::string out;
  bool blank = false;
  for (const char c : value) {
    if (c == ' ' || c == '\t') {
      blank = true;
      continue;
    }
    if (blank && !out.empty()) out += ' ';
    blank = false;
    out += c;
  }
  return out;
}

// "b=2&a" of a URL as "a=&b=2": sorted by the bytes of names, then values, all encoded alike.
std::string CanonicalQuery(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view part = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view value = part.substr(std::min(equals + 1, part.size()));
    const auto plain = [](std::string_view text) {
      auto decoded = PercentDecode(text);
      return decoded ? *std::move(decoded) : std::string(text);
    };
    pairs.emplace_back(PercentEncode(plain(part.substr(0, equals))), PercentEncode(plain(value)));
  }
  std::ranges::sort(pairs);
  std::string out;
  for (const auto& [name, value] : pairs) {
    if (!out.empty()) out += '&';
    out.append(name).append("=").append(value);
  }
  return out;
}

struct SignedHeaders {
  std::string names;  // "host;x-amz-date"
  std::string lines;  // "host:h\nx-amz-date:d\n"
};

SignedHeaders HeadersToSign(const Request& request, const Url& url) {
  std::map<std::string, std::string> sorted;
  for (const auto& [name, value] : request.headers) {
    std::string& joined = sorted[LowerCase(name)];
    if (!joined.empty()) joined += ',';
    joined += Collapsed(value);
  }
  sorted.try_emplace("host", url.authority());
  SignedHeaders headers;
  for (const auto& [name, value] : sorted) {
    if (!headers.names.empty()) headers.names += ';';
    headers.names += name;
    headers.lines.append(name).append(":").append(value).append("\n");
  }
  return headers;
}

std::string CanonicalText(const Request& request, const Url& url, const SignedHeaders& headers,
                          const AwsScope& scope, std::string_view payload_sha256) {
  std::string text(ToString(request.method));
  text.append("\n");
  text.append(scope.service == "s3" ? url.path : PercentEncode(url.path, Slash::kKeep));
  text.append("\n").append(CanonicalQuery(url.query));
  text.append("\n").append(headers.lines);
  text.append("\n").append(headers.names);
  text.append("\n").append(payload_sha256);
  return text;
}

}  // namespace

Result<std::string> CanonicalAwsRequest(const Request& request, const AwsScope& scope,
                                        std::string_view payload_sha256) {
  WEIR_ASSIGN_OR_RETURN(const Url url, ParseUrl(request.url));
  return CanonicalText(request, url, HeadersToSign(request, url), scope, payload_sha256);
}

Status SignForAws(Request& request, const AwsKeys& keys, const AwsScope& scope,
                  std::string_view payload_sha256, Micros now) {
  WEIR_ASSIGN_OR_RETURN(const Url url, ParseUrl(request.url));
  std::string date_time;  // 20261130T093000Z
  for (const char c : FormatTime(now).substr(0, 19)) {
    if (c != '-' && c != ':') date_time += c;
  }
  date_time += 'Z';
  const std::string day = date_time.substr(0, 8);
  request.headers.push_back({"x-amz-date", date_time});
  request.headers.push_back({"x-amz-content-sha256", std::string(payload_sha256)});
  if (!keys.session_token.empty()) {
    request.headers.push_back({"x-amz-security-token", keys.session_token});
  }
  const SignedHeaders headers = HeadersToSign(request, url);
  const std::string canonical = CanonicalText(request, url, headers, scope, payload_sha256);
  const std::string credential_scope =
      day + "/" + scope.region + "/" + scope.service + "/aws4_request";
  const std::string to_sign = std::string(kAlgorithm) + "\n" + date_time + "\n" + credential_scope +
                              "\n" + Sha256Hex(canonical);
  std::string key = "AWS4" + keys.secret_key;
  for (const std::string_view part :
       {std::string_view(day), std::string_view(scope.region), std::string_view(scope.service),
        std::string_view("aws4_request")}) {
    key = Hmac(key, part);
  }
  request.headers.push_back(
      {"Authorization", std::string(kAlgorithm) + " Credential=" + keys.access_key + "/" +
                            credential_scope + ", SignedHeaders=" + headers.names +
                            ", Signature=" + HexEncode(Hmac(key, to_sign))});
  return Ok();
}

}  // namespace weir::http
