#include "io/object_key.h"

#include "base/bytes.h"

namespace weir::io {
namespace {

Error BadKey(std::string_view key, std::string_view why) {
  return InvalidInput("object key '" + Printable(key) + "' " + std::string(why));
}

// `last_may_be_cut`: the part at the end may be empty or a piece of a longer one.
Status CheckParts(std::string_view key, bool last_may_be_cut) {
  if (key.find('\0') != std::string_view::npos) return BadKey(key, "holds a NUL byte");
  std::string_view rest = key;
  while (true) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    const bool last = slash == std::string_view::npos;
    if (last && last_may_be_cut) return Ok();
    if (part.empty()) return BadKey(key, "has an empty part");
    if (part == "." || part == "..") return BadKey(key, "has a '.' or '..' part");
    if (part.starts_with(".weir-")) return BadKey(key, "uses a name that the store keeps");
    if (last) return Ok();
    rest.remove_prefix(slash + 1);
  }
}

}  // namespace

Status CheckKey(std::string_view key) { return CheckParts(key, false); }

Status CheckPrefix(std::string_view prefix) { return CheckParts(prefix, true); }

std::string_view FolderOf(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : key.substr(0, slash);
}

}  // namespace weir::io
