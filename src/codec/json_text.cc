#include "codec/json_text.h"

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/check.h"

namespace weir::codec {

namespace {

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
unsigned Byte(char c) { return static_cast<unsigned char>(c); }

const char* Fail(TextFault* fault, RejectReason reason, const char* at, const char* what) {
  *fault = TextFault{reason, at, what};
  return nullptr;
}

// First byte that is not plain ASCII inside a string: quote, backslash, control or >= 0x80.
const char* SkipPlain(const char* p, const char* end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i slash = _mm_set1_epi8('\\');
  const __m128i space = _mm_set1_epi8(0x20);
  while (end - p >= 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    // As signed bytes, control characters and bytes >= 0x80 are both below the space.
    const __m128i special =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, slash)),
                     _mm_cmplt_epi8(block, space));
    const int mask = _mm_movemask_epi8(special);
    if (mask != 0) return p + __builtin_ctz(static_cast<unsigned>(mask));
    p += 16;
  }
#endif
  while (p < end && *p != '"' && *p != '\\' && Byte(*p) >= 0x20 && Byte(*p) < 0x80) ++p;
  return p;
}

// Length of the UTF-8 sequence at p (2 to 4), or 0 where there is none. RFC 3629: no overlong
// forms, no surrogates, at most U+10FFFF.
int SequenceLength(const char* p, const char* end) {
  const auto follows = [&](int i, unsigned low = 0x80, unsigned high = 0xBF) {
    return end - p > i && Byte(p[i]) >= low && Byte(p[i]) <= high;
  };
  const unsigned lead = Byte(*p);
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return follows(1) ? 2 : 0;
  if (lead < 0xF0) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (lead > 0xF4) return 0;
  const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
  return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
}

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The four digits at p, or -1.
int ReadHex4(const char* p, const char* end) {
  if (end - p < 4) return -1;
  int value = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = HexDigit(p[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

bool IsHighSurrogate(int unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool IsLowSurrogate(int unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// The byte behind the escape that starts at the backslash p.
const char* ReadEscape(const char* p, const char* end, TextFault* fault) {
  if (end - p < 2) return Fail(fault, RejectReason::kMalformed, p, "a string without its end");
  if (p[1] != 'u') {
    if (std::strchr("\"\\/bfnrt", p[1]) == nullptr || p[1] == '\0') {
      return Fail(fault, RejectReason::kMalformed, p, "an unknown escape");
    }
    return p + 2;
  }
  const int unit = ReadHex4(p + 2, end);
  if (unit < 0) return Fail(fault, RejectReason::kMalformed, p, "\\u without four hex digits");
  if (IsHighSurrogate(unit)) {
    if (end - p >= 8 && p[6] == '\\' && p[7] == 'u' && IsLowSurrogate(ReadHex4(p + 8, end))) {
      return p + 12;
    }
    return Fail(fault, RejectReason::kInvalidUtf8, p, "a lone surrogate escape");
  }
  if (IsLowSurrogate(unit)) {
    return Fail(fault, RejectReason::kInvalidUtf8, p, "a lone surrogate escape");
  }
  return p + 6;
}

void AppendUtf8(unsigned code, std::string* out) {
  const auto tail = [&](unsigned shift) {
    out->push_back(static_cast<char>(0x80 | ((code >> shift) & 0x3F)));
  };
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out->push_back(static_cast<char>(0xC0 | (code >> 6)));
    tail(0);
  } else if (code < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | (code >> 12)));
    tail(6);
    tail(0);
  } else {
    out->push_back(static_cast<char>(0xF0 | (code >> 18)));
    tail(12);
    tail(6);
    tail(0);
  }
}

char Unescaped(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;
  }
}

const char* SkipDigits(const char* p, const char* end) {
  while (p < end && IsDigit(*p)) ++p;
  return p;
}

// The closing bracket's successor; strings inside are skipped as strings.
const char* SkipCheckedNested(const char* p) {
  int depth = 0;
  for (;; ++p) {
    switch (*p) {
      case '"':
        p = SkipCheckedString(p + 1);
        break;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (--depth == 0) return p + 1;
        break;
      default:
        break;
    }
  }
}

}  // namespace

const char* SkipSpace(const char* p, const char* end) {
  while (p < end && IsSpace(*p)) ++p;
  return p;
}

const char* ReadString(const char* p, const char* end, bool* escaped, TextFault* fault) {
  *escaped = false;
  for (;;) {
    p = SkipPlain(p, end);
    if (p == end) return Fail(fault, RejectReason::kMalformed, end, "a string without its end");
    if (*p == '"') return p;
    if (*p == '\\') {
      *escaped = true;
      p = ReadEscape(p, end, fault);
      if (p == nullptr) return nullptr;
    } else if (Byte(*p) < 0x20) {
      return Fail(fault, RejectReason::kMalformed, p, "a control character in a string");
    } else {
      const int length = SequenceLength(p, end);
      if (length == 0) return Fail(fault, RejectReason::kInvalidUtf8, p, "a byte that is no UTF-8");
      p += length;
    }
  }
}

const char* ReadNumber(const char* p, const char* end, TextFault* fault) {
  const auto digits = [&](const char* what) {
    const char* behind = SkipDigits(p, end);
    if (behind == p) Fail(fault, RejectReason::kMalformed, p, what);
    return behind == p ? nullptr : behind;
  };
  if (p < end && *p == '-') ++p;
  if (p < end && *p == '0') {
    ++p;
    if (p < end && IsDigit(*p)) {
      return Fail(fault, RejectReason::kMalformed, p - 1, "a number with a leading zero");
    }
  } else {
    p = digits("a number without digits");
    if (p == nullptr) return nullptr;
  }
  if (p < end && *p == '.') {
    ++p;
    p = digits("a number without digits after its point");
    if (p == nullptr) return nullptr;
  }
  if (p < end && (*p == 'e' || *p == 'E')) {
    ++p;
    if (p < end && (*p == '+' || *p == '-')) ++p;
    p = digits("a number without digits in its exponent");
  }
  return p;
}

bool IsNumber(std::string_view text) {
  TextFault fault;
  const char* end = text.data() + text.size();
  return !text.empty() && ReadNumber(text.data(), end, &fault) == end;
}

void Unescape(std::string_view text, std::string* out) {
  const char* p = text.data();
  const char* end = p + text.size();
  while (p < end) {
    const auto* slash =
        static_cast<const char*>(std::memchr(p, '\\', static_cast<std::size_t>(end - p)));
    if (slash == nullptr) slash = end;
    out->append(p, slash);
    if (slash == end) return;
    p = slash + 2;
    if (slash[1] != 'u') {
      out->push_back(Unescaped(slash[1]));
      continue;
    }
    auto code = static_cast<unsigned>(ReadHex4(slash + 2, end));
    p = slash + 6;
    if (IsHighSurrogate(static_cast<int>(code))) {
      const auto low = static_cast<unsigned>(ReadHex4(slash + 8, end));
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      p = slash + 12;
    }
    AppendUtf8(code, out);
  }
}

const char* SkipCheckedString(const char* p) {
  for (;; ++p) {
    if (*p == '"') return p;
    if (*p == '\\') ++p;
  }
}

const char* SkipCheckedValue(const char* p, const char* end, JsonValue* value) {
  const auto set = [&](JsonKind kind, const char* behind) {
    *value = JsonValue{{p, static_cast<std::size_t>(behind - p)}, kind, false};
    return behind;
  };
  switch (*p) {
    case 'n':
      return set(JsonKind::kNull, p + 4);
    case 't':
      return set(JsonKind::kTrue, p + 4);
    case 'f':
      return set(JsonKind::kFalse, p + 5);
    case '{':
      return set(JsonKind::kObject, SkipCheckedNested(p));
    case '[':
      return set(JsonKind::kArray, SkipCheckedNested(p));
    case '"': {
      const char* close = SkipCheckedString(p + 1);
      const std::string_view text(p + 1, static_cast<std::size_t>(close - p - 1));
      *value = JsonValue{text, JsonKind::kString, text.find('\\') != std::string_view::npos};
      return close + 1;
    }
    default: {
      TextFault fault;
      const char* behind = ReadNumber(p, end, &fault);
      WEIR_CHECK(behind != nullptr);
      return set(JsonKind::kNumber, behind);
    }
  }
}

std::string PointerStep(std::string_view name) {
  std::string step;
  for (char c : name) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

}  // namespace weir::codec
