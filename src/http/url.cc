#include "http/url.h"

#include <algorithm>
#include <charconv>

#include "http/message.h"

namespace weir::http {
namespace {

bool IsUnreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsHostCharacter(char c) { return IsUnreserved(c) || c == '[' || c == ']' || c == ':'; }

Error BadUrl(std::string_view text, std::string_view why) {
  return InvalidInput("'" + std::string(text) +
                      "' is not an http or https URL: " + std::string(why));
}

// Splits "host:port", "[::1]:port" or "host".
Status ReadAuthority(std::string_view text, std::string_view authority, Url& url) {
  if (authority.find('@') != std::string_view::npos) {
    return InvalidInput("a URL must not hold a user name or password");
  }
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.rfind(':');
  std::string_view host = authority;
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    host = authority.substr(0, colon);
    const std::string_view port = authority.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), url.port);
    if (error != std::errc() || end != port.data() + port.size() || url.port < 1 ||
        url.port > 65'535) {
      return BadUrl(text, "its port is not a number from 1 to 65535");
    }
  }
  if (host.empty() || !std::ranges::all_of(host, IsHostCharacter)) {
    return BadUrl(text, "its host is missing or malformed");
  }
  url.host = LowerCase(host);
  return Ok();
}

}  // namespace

std::string Url::authority() const { return port == 0 ? host : host + ":" + std::to_string(port); }

std::string Url::origin() const { return scheme + "://" + authority(); }

Result<Url> ParseUrl(std::string_view text) {
  Url url;
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos) return BadUrl(text, "it does not begin with http://");
  url.scheme = text.substr(0, colon);
  if (url.scheme != "http" && url.scheme != "https") return BadUrl(text, "its scheme is another");
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f' || c == '#') {
      return BadUrl(text, "it holds a blank, a control character or '#'");
    }
  }
  const std::string_view rest = text.substr(colon + 3);
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  WEIR_TRY(ReadAuthority(text, rest.substr(0, end), url));
  if ((url.scheme == "http" && url.port == 80) || (url.scheme == "https" && url.port == 443)) {
    url.port = 0;
  }
  const std::string_view target = rest.substr(end);
  const std::size_t question = std::min(target.find('?'), target.size());
  url.path = question == 0 ? "/" : std::string(target.substr(0, question));
  if (question < target.size()) url.query = target.substr(question + 1);
  return url;
}

std::string PercentEncode(std::string_view text, Slash slash) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (IsUnreserved(c) || (c == '/' && slash == Slash::kKeep)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

Result<std::string> PercentDecode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return InvalidInput("'%' without two hex digits behind it");
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace weir::http
