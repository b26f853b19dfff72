#pragma once
// Statement: one prepared SQL statement. Bind, step through rows, read columns.
//
// Parameters are bound by position; binding resets the statement. Columns count from 0; what Text
// and Bytes return lives until the next Step, Bind or Reset. A statement must not outlive its
// connection and is used by that connection's thread. Errors are those of connection.h.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct sqlite3_stmt;

namespace weir::db {

/// Bytes to bind as a BLOB; plain strings are bound as TEXT.
struct Blob {
  std::string_view bytes;
};

class Statement {
 public:
  /// Takes ownership. Made by Connection::Prepare.
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;

  /// Binds all parameters: std::int64_t (or a smaller whole number), text, Blob, std::nullopt or a
  /// std::optional of those. The bytes are copied.
  template <typename... Values>
  Status Bind(const Values&... values) {
    Reset();
    int position = 0;
    Status status;
    ((status = status.ok() ? BindValue(++position, values) : std::move(status)), ...);
    return status;
  }

  /// As many texts as the statement has parameters.
  Status BindTexts(const std::vector<std::string>& values);

  /// True: a row is there. False: the end; the statement is reset.
  Result<bool> Step();

  /// Binds and steps to the end, for statements whose rows do not matter.
  template <typename... Values>
  Status Run(const Values&... values) {
    WEIR_TRY(Bind(values...));
    return StepToEnd();
  }

  /// Ends a read that is not stepped to its end; until then it pins the state that it reads.
  void Reset();

  int columns() const;
  bool IsNull(int column) const;
  std::int64_t Int64(int column) const;
  std::string_view Text(int column) const;
  std::string_view Bytes(int column) const;

 private:
  Status BindValue(int position, std::int64_t number);
  Status BindValue(int position, std::string_view text);
  Status BindValue(int position, Blob blob);
  Status BindValue(int position, std::nullopt_t);
  Status BindValue(int position, int number) {
    return BindValue(position, static_cast<std::int64_t>(number));
  }
  Status BindValue(int position, const std::string& text) {
    return BindValue(position, std::string_view(text));
  }
  Status BindValue(int position, const char* text) {
    return BindValue(position, std::string_view(text));
  }
  template <typename T>
  Status BindValue(int position, const std::optional<T>& value) {
    return value ? BindValue(position, *value) : BindValue(position, std::nullopt);
  }
  Status Check(int result) const;
  Status StepToEnd();

  sqlite3_stmt* statement_;
};

}  // namespace weir::db
