#pragma once
// Request and Response: one exchange of HTTP as plain values.
//
// A request names an absolute URL that is sent as it stands: whoever makes it encodes its parts
// (http/url.h). Header names compare without regard to case.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace weir::http {

enum class Method { kGet, kHead, kPut, kPost, kDelete };

std::string_view ToString(Method method);

struct Header {
  std::string name;
  std::string value;
};
using Headers = std::vector<Header>;

/// ASCII letters only, as names of headers and hosts have them.
std::string LowerCase(std::string_view text);

/// The value of the first header of this name, or nullptr.
const std::string* FindHeader(const Headers& headers, std::string_view name);

struct Request {
  Method method = Method::kGet;
  std::string url = {};
  Headers headers = {};        // a value may hold no line break
  std::string_view body = {};  // not owned: lives until Send returns
  /// A longer answer is an error, and is not read further.
  std::int64_t max_answer_bytes = std::int64_t{16} << 20;
  /// For the whole exchange; 0: what the client's options say.
  Micros timeout = 0;
};

struct Response {
  int status = 0;
  Headers headers;
  std::string body;

  bool ok() const { return status >= 200 && status < 300; }
  /// The value of a header, empty when it is not there.
  std::string_view header(std::string_view name) const;
  /// The same as a whole number; nullopt when it is not there, is negative, or is something else.
  std::optional<std::int64_t> number(std::string_view name) const;
};

}  // namespace weir::http
