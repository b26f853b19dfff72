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
  constexpr std::array kMarks = {"password", "passwd",     "passphrase",        "secret",
                                 "token",    "credential", "ssl.key.pem",       "private_key",
                                 "api_key",  "access_key", "oauthbearer.config"};
  const bool marked = std::any_of(kMarks.begin(), kMarks.end(), [&](const char* mark) {
    return lower.find(mark) != std::string::npos;
  });
  if (marked) return !lower.ends_with("token.endpoint.url");
  // A misspelt one, alone or as a part: "passwrd", "sasl.pasword".
  for (std::size_t at = 0; at <= lower.size();) {
    const std::size_t end = std::min(lower.find_first_of("._-", at), lower.size());
    if (EditDistance(std::string_view(lower).substr(at, end - at), "password") <= 2) return true;
    at = end + 1;
  }
  return false;
}

std::vector<LineRange> SecretRanges(std::string_view line) {
  std::vector<LineRange> ranges;
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
