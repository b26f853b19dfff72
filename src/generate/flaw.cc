#include "generate/flaw.h"

#include <cstddef>

#include "base/check.h"

namespace weir::generate {
namespace {

struct Range {
  std::size_t begin;
  std::size_t end;
};

// End of the value that starts at `at`: the comma or brace after it.
std::size_t ValueEnd(std::string_view object, std::size_t at) {
  bool in_string = false;
  for (; at < object.size(); ++at) {
    const char c = object[at];
    if (in_string && c == '\\') {
      ++at;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == ',' || c == '}')) {
      return at;
    }
  }
  WEIR_CHECK(false);
  return at;
}

// The member with its name, without commas; empty at the closing brace when it is not there.
Range FindMember(std::string_view object, std::string_view name) {
  std::size_t at = 1;
  while (object[at] == '"') {
    const std::size_t name_end = object.find('"', at + 1);
    const std::size_t end = ValueEnd(object, name_end + 2);
    if (object.substr(at + 1, name_end - at - 1) == name) return {at, end};
    if (object[end] == '}') break;
    at = end + 1;
  }
  return {object.size() - 1, object.size() - 1};
}

}  // namespace

void SetMember(std::string& object, std::string_view name, std::string_view json_value) {
  const Range found = FindMember(object, name);
  std::string member;
  if (found.begin == found.end && object.size() > 2) member += ',';
  member.append("\"").append(name).append("\":").append(json_value);
  object.replace(found.begin, found.end - found.begin, member);
}

void RemoveMember(std::string& object, std::string_view name) {
  Range found = FindMember(object, name);
  if (found.begin == found.end) return;
  if (object[found.end] == ',') {
    ++found.end;
  } else if (object[found.begin - 1] == ',') {
    --found.begin;
  }
  object.erase(found.begin, found.end - found.begin);
}

// In the middle of whatever is there: any proper prefix of an object is no JSON.
std::string Truncated(std::string_view object) {
  return std::string(object.substr(0, object.size() * 2 / 3));
}

std::string WithoutQuote(std::string_view object) {
  std::string spoilt(object);
  const std::size_t last = spoilt.rfind('"');
  WEIR_CHECK(last != std::string::npos);
  return spoilt.erase(last, 1);
}

std::string WithTrailingData(std::string_view object) {
  return std::string(object).append("{\"more\":1}");
}

std::string InArray(std::string_view object) { return std::string("[").append(object).append("]"); }

std::string WithRepeatedFirstMember(std::string_view object) {
  const std::size_t end = ValueEnd(object, object.find(':') + 1);
  std::string spoilt(object.substr(0, object.size() - 1));
  return spoilt.append(",").append(object.substr(1, end - 1)).append("}");
}

}  // namespace weir::generate
