#pragma once
// Flaw: one way in which a planted bad event is bad, and the tools to spoil a good text with. Each
// flaw breaks exactly one rule, so that there is one right answer to why the event is refused.

#include <string>
#include <string_view>

#include "record/rejection.h"

namespace weir::generate {

struct Flaw {
  std::string_view name;  // stable: it stands in answer keys
  RejectReason reason;    // what the quarantine table must say
};

/// Edits of a flat JSON object as our shapes write it: no white space outside strings, no nesting.
/// A member that is not there is put last.
void SetMember(std::string& object, std::string_view name, std::string_view json_value);
void RemoveMember(std::string& object, std::string_view name);

/// The spoils that need no knowledge of the shape's fields.
std::string Truncated(std::string_view object);     // kMalformed
std::string WithoutQuote(std::string_view object);  // kMalformed: an unclosed string
std::string WithTrailingData(std::string_view object);
std::string InArray(std::string_view object);
std::string WithRepeatedFirstMember(std::string_view object);

}  // namespace weir::generate
