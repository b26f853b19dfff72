#include "record/rejection.h"

#include "base/check.h"

namespace weir {

std::string_view ToString(RejectReason reason) {
  switch (reason) {
    case RejectReason::kEmpty:
      return "empty";
    case RejectReason::kMalformed:
      return "malformed";
    case RejectReason::kTrailingData:
      return "trailing_data";
    case RejectReason::kNotAnObject:
      return "not_an_object";
    case RejectReason::kTooDeep:
      return "too_deep";
    case RejectReason::kTooLarge:
      return "too_large";
    case RejectReason::kInvalidUtf8:
      return "invalid_utf8";
    case RejectReason::kDuplicateKey:
      return "duplicate_key";
    case RejectReason::kWrongType:
      return "wrong_type";
    case RejectReason::kOutOfRange:
      return "out_of_range";
    case RejectReason::kScaleLoss:
      return "scale_loss";
    case RejectReason::kBadTimestamp:
      return "bad_timestamp";
    case RejectReason::kNoZone:
      return "no_zone";
    case RejectReason::kImplausibleTime:
      return "implausible_time";
    case RejectReason::kBadUuid:
      return "bad_uuid";
    case RejectReason::kUnknownField:
      return "unknown_field";
    case RejectReason::kUnknownSchema:
      return "unknown_schema";
    case RejectReason::kMissing:
      return "missing";
    case RejectReason::kBlank:
      return "blank";
    case RejectReason::kNotAllowed:
      return "not_allowed";
    case RejectReason::kBelowMin:
      return "below_min";
    case RejectReason::kAboveMax:
      return "above_max";
    case RejectReason::kPatternMismatch:
      return "pattern_mismatch";
    case RejectReason::kMissingForType:
      return "missing_for_type";
    case RejectReason::kEventFromFuture:
      return "event_from_future";
  }
  WEIR_CHECK(false);
  return {};
}

}  // namespace weir
