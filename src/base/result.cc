#include "base/result.h"

namespace weir {

std::string_view ToString(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidInput:
      return "invalid input";
    case ErrorKind::kNotFound:
      return "not found";
    case ErrorKind::kConflict:
      return "conflict";
    case ErrorKind::kCommitUnknown:
      return "commit unknown";
    case ErrorKind::kUnavailable:
      return "unavailable";
    case ErrorKind::kCorrupt:
      return "corrupt";
    case ErrorKind::kUnsupported:
      return "unsupported";
    case ErrorKind::kRefused:
      return "refused";
    case ErrorKind::kCancelled:
      return "cancelled";
    case ErrorKind::kInternal:
      return "internal error";
  }
  return "unknown";
}

std::string Error::ToString() const {
  std::string line;
  if (code != ErrorCode::kNone) line = "[" + weir::ToString(code) + "] ";
  line += message;
  if (!remedy.empty()) line += "; " + remedy;
  return line;
}

namespace {
Error Make(ErrorKind kind, std::string message, ErrorCode code) {
  return Error{.kind = kind, .code = code, .message = std::move(message), .remedy = {}};
}
}  // namespace

Error InvalidInput(std::string message, ErrorCode code) {
  return Make(ErrorKind::kInvalidInput, std::move(message), code);
}
Error NotFound(std::string message, ErrorCode code) {
  return Make(ErrorKind::kNotFound, std::move(message), code);
}
Error Conflict(std::string message, ErrorCode code) {
  return Make(ErrorKind::kConflict, std::move(message), code);
}
Error CommitUnknown(std::string message, ErrorCode code) {
  return Make(ErrorKind::kCommitUnknown, std::move(message), code);
}
Error Unavailable(std::string message, ErrorCode code) {
  return Make(ErrorKind::kUnavailable, std::move(message), code);
}
Error Corrupt(std::string message, ErrorCode code) {
  return Make(ErrorKind::kCorrupt, std::move(message), code);
}
Error Unsupported(std::string message, ErrorCode code) {
  return Make(ErrorKind::kUnsupported, std::move(message), code);
}
Error Refused(std::string message, ErrorCode code) {
  return Make(ErrorKind::kRefused, std::move(message), code);
}
Error Cancelled(std::string message) {
  return Make(ErrorKind::kCancelled, std::move(message), ErrorCode::kNone);
}
Error Internal(std::string message) {
  return Make(ErrorKind::kInternal, std::move(message), ErrorCode::kInternalError);
}

Error WithContext(Error error, std::string_view context) {
  error.message = std::string(context) + ": " + error.message;
  return error;
}

Error WithRemedy(Error error, std::string remedy) {
  error.remedy = std::move(remedy);
  return error;
}

}  // namespace weir
