#pragma once
// The words of JSON: where a string or number ends, whether it is well formed, what a string with
// escapes means. Everything here looks only at [p, end) and never behind it.

#include <string>
#include <string_view>

#include "codec/json_value.h"
#include "record/rejection.h"

namespace weir::codec {

/// First byte that is no JSON white space.
const char* SkipSpace(const char* p, const char* end);

/// What is wrong with a piece of text and where.
struct TextFault {
  RejectReason reason = RejectReason::kMalformed;
  const char* at = nullptr;
  const char* what = nullptr;  // a literal: "a control character in a string"
};

/// Reads a string whose opening quote is behind: returns its closing quote, or nullptr and the
/// fault. Checks escapes, control characters, surrogate pairs and UTF-8.
const char* ReadString(const char* p, const char* end, bool* escaped, TextFault* fault);

/// Reads a number that starts at p: returns the byte behind it, or nullptr and the fault.
const char* ReadNumber(const char* p, const char* end, TextFault* fault);

/// Whether the whole text is a JSON number.
bool IsNumber(std::string_view text);

/// Appends what a checked string means.
void Unescape(std::string_view text, std::string* out);

/// The same without checks, for text that was read once: the closing quote.
const char* SkipCheckedString(const char* p);

/// The byte behind a checked value that starts at p.
const char* SkipCheckedValue(const char* p, const char* end, JsonValue* value);

/// RFC 6901: a step of a pointer, with ~ and / escaped.
std::string PointerStep(std::string_view name);

}  // namespace weir::codec
