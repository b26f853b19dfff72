#include "http/message.h"

#include <algorithm>
#include <charconv>

namespace weir::http {
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

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

const std::string* FindHeader(const Headers& headers, std::string_view name) {
  const std::string wanted = LowerCase(name);
  const auto found =
      std::ranges::find_if(headers, [&](const Header& h) { return LowerCase(h.name) == wanted; });
  return found == headers.end() ? nullptr : &found->value;
}

std::string_view Response::header(std::string_view name) const {
  const std::string* value = FindHeader(headers, name);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

std::optional<std::int64_t> Response::number(std::string_view name) const {
  const std::string_view text = header(name);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace weir::http
