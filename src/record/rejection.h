#pragma once
// A bad record is data: why it was refused, in terms that a person can act on.
// Built for bad records only, so good ones never pay for the strings.

#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

/// Reasons, from decode (bytes) over contract (values) to event time. The text form is the `reason`
/// column of the quarantine table and never changes its spelling.
enum class RejectReason : std::uint8_t {
  // decode
  kEmpty,         // a value of zero bytes or only white space
  kMalformed,     // not JSON
  kTrailingData,  // something after the JSON value
  kNotAnObject,   // JSON, but no object
  kTooDeep,       // nested beyond the limit
  kTooLarge,      // longer than the limit
  kInvalidUtf8,   // bytes that are no UTF-8, or a lone surrogate escape
  kDuplicateKey,  // one key twice in one object
  kWrongType,     // e.g. text in an int
  kOutOfRange,    // a number that its type cannot hold
  kScaleLoss,     // a decimal with more digits than its scale
  kBadTimestamp,  // no timestamp that the contract accepts
  kNoZone,        // a timestamp without zone
  kImplausibleTime,
  kBadUuid,
  kUnknownField,   // with `unknown_fields: reject`
  kUnknownSchema,  // the registry has no such schema, or one that cannot be used
  // contract
  kMissing,     // a required field is absent or null
  kBlank,       // a not_blank field holds only white space
  kNotAllowed,  // outside the list of allowed values
  kBelowMin,
  kAboveMax,
  kPatternMismatch,
  kMissingForType,  // a field that this event type needs
  // event time
  kEventFromFuture,  // further ahead of its ingestion than max_future
};

std::string_view ToString(RejectReason reason);

/// The row of one refused record, without its bytes and coordinates.
struct Rejection {
  std::uint32_t record = 0;  // index in the LogBatch it came from
  RejectReason reason = RejectReason::kMalformed;
  std::string pointer;   // RFC 6901, "" for the whole record
  std::string expected;  // "int", "one of page_view, search, ..."
  std::string actual;    // what was there, printable and cut
  std::string
      message;  // the readable sentence, e.g. "quantity must be an int, not the text \"several\""
};

}  // namespace weir
