#pragma once
// Result<T> and Status: how a call that can fail says so.
//
// An Error answers one question: what does the caller do now? That is its kind. The code names the
// entry of docs/ERRORS.md that a person reads; the message says what and where, the remedy what to
// do. Context is added while the error travels up, so the happy path carries nothing.
// Bad records are not errors: they are rows of the quarantine table (record/rejection.h).
// Third-party exceptions are caught in the folder that calls the third party.

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error_catalog.h"

namespace weir {

/// What the caller can do about an error.
enum class ErrorKind {
  kInvalidInput,   // the caller, config or user gave something that cannot work; do not retry
  kNotFound,       // what was named is not there
  kConflict,       // somebody else changed it first; look again
  kCommitUnknown,  // it may or may not have happened; look before doing anything, delete nothing
  kUnavailable,    // a dependency is away; retry later
  kCorrupt,        // stored bytes are not what they must be
  kUnsupported,    // valid, but not something this version handles
  kRefused,        // a guard said no; a deliberate command is needed
  kCancelled,      // a stop was asked for
  kInternal,       // a broken invariant of ours
};

std::string_view ToString(ErrorKind kind);

/// One failure. Cheap to move, rare to copy.
struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  ErrorCode code = ErrorCode::kNone;
  std::string message;  // what and where, one line, no trailing dot
  std::string remedy;   // what to do, one line; empty when the catalog entry says it all

  /// "context: message" with the code in front: the one line that a person sees.
  std::string ToString() const;
};

/// A value or an Error. Never both, never neither.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(T value)  // NOLINT(google-explicit-constructor): implicit by design
      : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT
  /// From what converts to T: a unique_ptr of a derived class, a string literal.
  template <typename U>
  requires(std::is_convertible_v<U&&, T> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
           !std::is_same_v<std::remove_cvref_t<U>, Error> &&
           !std::is_same_v<std::remove_cvref_t<U>, Result>)
      Result(U&& value)  // NOLINT: implicit by design
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  const T& value() const& { return *std::get_if<0>(&state_); }
  T& value() & { return *std::get_if<0>(&state_); }
  /// By value, so that `for (auto& x : *Call())` does not walk what is gone already.
  T value() && { return std::move(*std::get_if<0>(&state_)); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }
  const Error& error() const& { return *std::get_if<1>(&state_); }
  Error& error() & { return *std::get_if<1>(&state_); }
  Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, Error> state_;
};

/// Success or an Error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const& { return *error_; }
  Error& error() & { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

inline Status Ok() { return {}; }

Error InvalidInput(std::string message, ErrorCode code = ErrorCode::kNone);
Error NotFound(std::string message, ErrorCode code = ErrorCode::kNone);
Error Conflict(std::string message, ErrorCode code = ErrorCode::kNone);
Error CommitUnknown(std::string message, ErrorCode code = ErrorCode::kNone);
Error Unavailable(std::string message, ErrorCode code = ErrorCode::kNone);
Error Corrupt(std::string message, ErrorCode code = ErrorCode::kNone);
Error Unsupported(std::string message, ErrorCode code = ErrorCode::kNone);
Error Refused(std::string message, ErrorCode code = ErrorCode::kNone);
Error Cancelled(std::string message);
Error Internal(std::string message);

/// The same error with "context: " in front of its message.
Error WithContext(Error error, std::string_view context);

/// The same error with a remedy, replacing any it had.
Error WithRemedy(Error error, std::string remedy);

namespace internal {
inline Error TakeError(Status&& status) { return std::move(status).error(); }
template <typename T>
Error TakeError(Result<T>&& result) {
  return std::move(result).error();
}
}  // namespace internal

}  // namespace weir

#define WEIR_CONCAT_IMPL(a, b) a##b
#define WEIR_CONCAT(a, b) WEIR_CONCAT_IMPL(a, b)

/// Returns the error of a Status or Result expression from the enclosing function.
#define WEIR_TRY(expr)                                                \
  do {                                                                \
    if (auto weir_try_result = (expr); !weir_try_result)              \
      return ::weir::internal::TakeError(std::move(weir_try_result)); \
  } while (false)

/// Declares or assigns lhs from a Result expression, or returns its error.
#define WEIR_ASSIGN_OR_RETURN(lhs, expr) \
  WEIR_ASSIGN_OR_RETURN_IMPL(WEIR_CONCAT(weir_result_, __COUNTER__), lhs, expr)
#define WEIR_ASSIGN_OR_RETURN_IMPL(tmp, lhs, expr)              \
  auto tmp = (expr);                                            \
  if (!tmp) return ::weir::internal::TakeError(std::move(tmp)); \
  lhs = std::move(tmp).value()
