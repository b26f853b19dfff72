#include "codec/json_scanner.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.h"

namespace weir::codec {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::ptrdiff_t kFewKeys = 32;  // up to here a suspicion is checked at once

// Seven bits that tell most keys of one object apart.
unsigned BitOf(std::string_view key) {
  if (key.empty()) return 0;
  const auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(key[i])}; };
  const std::size_t n = key.size();
  return static_cast<unsigned>(n * 5 + byte(0) + byte(n / 2) * 7 + byte(n - 1) * 11) & 127U;
}

bool StartsWith(const char* p, const char* end, std::string_view word) {
  return static_cast<std::size_t>(end - p) >= word.size() &&
         std::memcmp(p, word.data(), word.size()) == 0;
}

std::string Excerpt(const char* p, const char* end) {
  if (p >= end) return "the end";
  return Printable({p, static_cast<std::size_t>(end - p)}, 20);
}

}  // namespace

JsonScanner::JsonScanner(int max_depth) : max_depth_(static_cast<std::size_t>(max_depth)) {
  frames_.reserve(max_depth_);
}

std::string_view JsonScanner::TextOf(const JsonValue& value) {
  if (!value.escaped) return value.text;
  unescaped_.emplace_back();
  Unescape(value.text, &unescaped_.back());
  return unescaped_.back();
}

std::optional<StructureFault> JsonScanner::Scan(std::string_view record) {
  frames_.clear();
  keys_.clear();
  members_.clear();
  unescaped_.clear();
  const char* begin = record.data();
  const char* end = begin + record.size();
  const char* p = begin;
  if (StartsWith(p, end, kByteOrderMark)) p += kByteOrderMark.size();
  p = SkipSpace(p, end);
  const char first = p < end ? *p : '\0';
  if (p == end) {
    Fail(RejectReason::kEmpty, begin, "the event is empty");
  } else if (p = ScanValue(p, end); p != nullptr) {
    p = SkipSpace(p, end);
    if (p != end) {
      Fail(RejectReason::kTrailingData, p, Excerpt(p, end) + " follows the JSON value");
      p = nullptr;
    } else if (first != '{') {
      const char* kind = first == '[' ? "a list" : first == '"' ? "a text" : "a single value";
      Fail(RejectReason::kNotAnObject, begin, kind);
    } else {
      return std::nullopt;
    }
  }
  fault_.offset = static_cast<std::size_t>(fault_at_ - begin);
  return std::move(fault_);
}

const char* JsonScanner::ReadMember(const char* p, const char* end) {
  frames_.assign(1, Frame{.object = true});
  keys_.assign(1, {});  // the member's
  unescaped_.clear();
  outside_ = 1;
  p = ScanValue(p, end);
  outside_ = 0;
  return p;
}

const char* JsonScanner::Fail(RejectReason reason, const char* at, std::string what) {
  fault_ = StructureFault{reason, 0, {}, std::move(what)};
  fault_at_ = at;
  return nullptr;
}

// One value with all that is in it. Each turn of the loop reads a scalar or opens a container.
const char* JsonScanner::ScanValue(const char* p, const char* end) {
  for (;;) {
    if (p < end && (*p == '{' || *p == '[')) {
      const bool object = *p == '{';
      if (frames_.size() == 1) top_value_ = p;
      p = Open(p, object);
      if (p == nullptr) return nullptr;
      p = SkipSpace(p, end);
      if (p < end && *p != (object ? '}' : ']')) {
        if (object) p = ScanMemberStart(p, end);
        if (p == nullptr) return nullptr;
        continue;
      }
    } else {
      JsonValue scalar;
      p = ScanScalar(p, end, &scalar);
      if (p == nullptr) return nullptr;
      if (NamesMember()) members_.back().value = scalar;
    }
    p = ScanBehindValue(p, end);
    if (p == nullptr || frames_.size() == outside_) return p;
  }
}

// Behind a value, or in front of the bracket that closes an empty container: closes what ends here.
// Returns where the next value starts, or the byte behind the outermost value.
const char* JsonScanner::ScanBehindValue(const char* p, const char* end) {
  while (frames_.size() > outside_) {
    Frame& frame = frames_.back();
    p = SkipSpace(p, end);
    if (p == end) {
      return Fail(
          RejectReason::kMalformed, end,
          frame.object ? "the event ends inside an object" : "the event ends inside a list");
    }
    if (*p == ',') {
      p = SkipSpace(p + 1, end);
      ++frame.items;
      return frame.object ? ScanMemberStart(p, end) : p;
    }
    if (*p != (frame.object ? '}' : ']')) {
      const char* missing =
          frame.object ? "a comma or } is missing before " : "a comma or ] is missing before ";
      return Fail(RejectReason::kMalformed, p, missing + Excerpt(p, end));
    }
    if (!Close(p)) return nullptr;
    ++p;
    if (NamesMember()) {
      members_.back().value = JsonValue{{top_value_, static_cast<std::size_t>(p - top_value_)},
                                        *top_value_ == '{' ? JsonKind::kObject : JsonKind::kArray,
                                        false};
    }
  }
  return p;
}

// Whether what was read last is the value of the last of members_.
bool JsonScanner::NamesMember() const {
  return frames_.size() == 1 && outside_ == 0 && frames_[0].object;
}

// A key and its colon; returns where the value starts.
const char* JsonScanner::ScanMemberStart(const char* p, const char* end) {
  if (p == end) return Fail(RejectReason::kMalformed, end, "the event ends inside an object");
  if (*p != '"') {
    return Fail(RejectReason::kMalformed, p,
                "a key in quotes is missing before " + Excerpt(p, end));
  }
  JsonValue key{{}, JsonKind::kString, false};
  TextFault fault;
  const char* close = ReadString(p + 1, end, &key.escaped, &fault);
  if (close == nullptr) return Fail(fault.reason, fault.at, fault.what);
  key.text = {p + 1, static_cast<std::size_t>(close - p - 1)};
  p = SkipSpace(close + 1, end);
  if (p == end || *p != ':') {
    return Fail(RejectReason::kMalformed, p, "a colon is missing before " + Excerpt(p, end));
  }
  NoteKey(frames_.back(), key);
  if (NamesMember()) members_.push_back(JsonMember{key, {}});
  return SkipSpace(p + 1, end);
}

const char* JsonScanner::ScanScalar(const char* p, const char* end, JsonValue* value) {
  if (p == end)
    return Fail(RejectReason::kMalformed, end, "the event ends where a value must stand");
  TextFault fault;
  if (*p == '"') {
    const char* close = ReadString(p + 1, end, &value->escaped, &fault);
    if (close == nullptr) return Fail(fault.reason, fault.at, fault.what);
    value->kind = JsonKind::kString;
    value->text = {p + 1, static_cast<std::size_t>(close - p - 1)};
    return close + 1;
  }
  std::size_t size = 4;
  if (StartsWith(p, end, "null")) {
    value->kind = JsonKind::kNull;
  } else if (StartsWith(p, end, "true")) {
    value->kind = JsonKind::kTrue;
  } else if (StartsWith(p, end, "false")) {
    value->kind = JsonKind::kFalse;
    size = 5;
  } else if (*p == '-' || (*p >= '0' && *p <= '9')) {
    const char* behind = ReadNumber(p, end, &fault);
    if (behind == nullptr) return Fail(fault.reason, fault.at, fault.what);
    value->kind = JsonKind::kNumber;
    size = static_cast<std::size_t>(behind - p);
  } else {
    return Fail(RejectReason::kMalformed, p, Excerpt(p, end) + " is no JSON value");
  }
  value->text = {p, size};
  return p + size;
}

const char* JsonScanner::Open(const char* p, bool object) {
  if (frames_.size() == max_depth_) {
    return Fail(RejectReason::kTooDeep, p,
                "nested deeper than " + std::to_string(max_depth_) + " levels");
  }
  frames_.push_back(
      Frame{.object = object, .keys_begin = static_cast<std::uint32_t>(keys_.size())});
  return p + 1;
}

// False: the object that ends at p holds a key twice.
bool JsonScanner::Close(const char* p) {
  const Frame& frame = frames_.back();
  if (frame.check_keys) {
    if (const std::string_view* key = RepeatedKey(frame)) {
      const std::string name(*key);
      keys_.resize(frame.keys_begin);  // what is left of keys_ is the way to this object
      Fail(RejectReason::kDuplicateKey, p,
           "the key " + Printable(name, 80) + " is there twice in one object");
      fault_.pointer = PointerTo(name);
      return false;
    }
  }
  keys_.resize(frame.keys_begin);
  frames_.pop_back();
  return true;
}

void JsonScanner::NoteKey(Frame& frame, const JsonValue& key) {
  const std::string_view text = TextOf(key);
  const unsigned bit = BitOf(text);
  const std::uint64_t mask = std::uint64_t{1} << (bit & 63);
  std::uint64_t& word = frame.seen[bit >> 6];
  if ((word & mask) != 0 && !frame.check_keys) {
    const auto begin = keys_.begin() + frame.keys_begin;
    frame.check_keys =
        keys_.end() - begin > kFewKeys || std::find(begin, keys_.end(), text) != keys_.end();
  }
  word |= mask;
  keys_.push_back(text);
}

// A key that the innermost object holds twice; reorders its keys.
const std::string_view* JsonScanner::RepeatedKey(const Frame& frame) {
  const auto begin = keys_.begin() + frame.keys_begin;
  std::sort(begin, keys_.end());
  const auto twice = std::adjacent_find(begin, keys_.end());
  return twice == keys_.end() ? nullptr : &*twice;
}

// RFC 6901 pointer to a member of the innermost object. The last key noted of each outer object is
// the way in.
std::string JsonScanner::PointerTo(std::string_view key) const {
  std::string pointer;
  for (std::size_t i = 0; i + 1 < frames_.size(); ++i) {
    if (frames_[i].object) {
      pointer += "/" + PointerStep(keys_[frames_[i + 1].keys_begin - 1]);
    } else {
      pointer += "/" + std::to_string(frames_[i].items);
    }
  }
  return pointer + "/" + PointerStep(key);
}

}  // namespace weir::codec
