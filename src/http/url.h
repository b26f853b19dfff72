#pragma once
// Url: the parts of an absolute http or https URL, and percent encoding.

#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::http {

struct Url {
  std::string scheme;  // "http" or "https"
  std::string host;    // lower case; an IPv6 address with its brackets
  int port = 0;        // 0: the scheme's own
  std::string path;    // as it stands, "/" at least
  std::string query;   // as it stands, without "?"

  /// "host" or "host:port", as the Host header says it.
  std::string authority() const;
  /// "scheme://authority".
  std::string origin() const;
};

/// Errors: kInvalidInput for another scheme, user names, fragments, control characters or blanks.
Result<Url> ParseUrl(std::string_view text);

enum class Slash { kEncode, kKeep };

/// All bytes but A-Z a-z 0-9 - . _ ~ (and '/' where told) as %XX, upper case.
std::string PercentEncode(std::string_view text, Slash slash = Slash::kEncode);

/// Errors: kInvalidInput where a '%' is not followed by two hex digits.
Result<std::string> PercentDecode(std::string_view text);

}  // namespace weir::http
