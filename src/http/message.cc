#include "http/message.h"

#include <algorithm>

namespace weir::http {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool SameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

}  // namespace

std::string_view ToString(Method method) {
  switch (method) {
    case Method::kGet:
      return "GET";
    case Method::kHead:
      return "HEAD";
    case Method::kPut:
      return "PUT";
    case Method::kPost:
      return "POST";
    case Method::kDelete:
      return "DELETE";
  }
  return "?";
}

const std::string* FindHeader(const Headers& headers, std::string_view name) {
  const auto found =
      std::ranges::find_if(headers, [&](const Header& h) { return SameName(h.name, name); });
  return found == headers.end() ? nullptr : &found->value;
}

std::string_view Response::header(std::string_view name) const {
  const std::string* value = FindHeader(headers, name);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

}  // namespace weir::http
