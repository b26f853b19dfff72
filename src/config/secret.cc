#include "config/secret.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/bytes.h"

namespace weir::config {
namespace {

bool IsNameByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
}

}  // namespace

bool IsSecretName(std::string_view name) {
  std::string lower;
  for (char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array kMarks = {"password", "passwd",     "passphrase",         "secret",
                                 "token",    "credential", "ssl.key.pem",        "private_key",
                                 "api_key",  "access_key", "oauthbearer.config", "authorization",
                                 "cookie"};
  const bool marked = std::any_of(kMarks.begin(), kMarks.end(), [&](const char* mark) {
    return lower.find(mark) != std::string::npos;
  });
  // Two that only sound like it: an address, and whether credentials are wanted.
  if (marked) return !lower.ends_with("token.endpoint.url") && lower != "vended_credentials";
  // A misspelt one, alone or as a part: "passwrd", "sasl.pasword".
  for (std::size_t at = 0; at <= lower.size();) {
    const std::size_t end = std::min(lower.find_first_of("._-", at), lower.size());
    if (EditDistance(std::string_view(lower).substr(at, end - at), "password") <= 2) return true;
    at = end + 1;
  }
  return false;
}

std::vector<LineRange> UrlPasswords(std::string_view line) {
  std::vector<LineRange> ranges;
  for (std::size_t at = line.find("://"); at != std::string_view::npos;
       at = line.find("://", at + 3)) {
    const std::size_t end = std::min(line.find_first_of(" \"'", at), line.size());
    const std::string_view url = line.substr(0, end);
    const std::size_t host = url.rfind('@');
    const std::size_t colon = url.find(':', at + 3);
    if (host != std::string_view::npos && colon < host) ranges.emplace_back(colon + 1, host);
    constexpr std::string_view kParameter = "password=";
    const std::size_t parameter = url.find(kParameter, at);
    if (parameter != std::string_view::npos) {
      ranges.emplace_back(parameter + kParameter.size(), end);
    }
  }
  return ranges;
}

std::vector<LineRange> SecretRanges(std::string_view line) {
  std::vector<LineRange> ranges = UrlPasswords(line);
  for (std::size_t at = 0; at < line.size();) {
    if (!IsNameByte(line[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && IsNameByte(line[end])) ++end;
    if (IsSecretName(line.substr(at, end - at)) && end < line.size()) {
      ranges.emplace_back(end + 1, line.size());
      break;
    }
    at = end;
  }
  return ranges;
}

}  // namespace weir::config
