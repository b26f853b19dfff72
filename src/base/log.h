#pragma once
// The log: one line an event on standard error, as text or JSON. Data goes to standard output,
// never here. Safe from any thread.
//
// Levels: error = the process stops or needs a person; warn = something is wrong and Weir copes;
// info = a person following along wants it (start, epoch once in a while, stop); debug = for us.

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace weir::log {

enum class Level { kDebug, kInfo, kWarn, kError };
enum class Format { kText, kJson };

/// A named value of a log line.
struct Field {
  std::string_view name;
  std::string value;
  bool quoted = true;  // false for numbers in JSON

  Field(std::string_view field_name, std::string text) : name(field_name), value(std::move(text)) {}
  Field(std::string_view field_name, const char* text) : name(field_name), value(text) {}
  Field(std::string_view field_name, std::string_view text) : name(field_name), value(text) {}
  Field(std::string_view field_name, std::int64_t number)
      : name(field_name), value(std::to_string(number)), quoted(false) {}
};

/// Set once at start, before threads exist.
void Configure(Level level, Format format);

/// Gives lines to a display that shares the terminal instead of standard error, one at a time, from
/// whichever thread writes them; an empty function brings standard error back.
void Divert(std::function<void(std::string_view line)> display);

void Write(Level level, std::string_view message, std::initializer_list<Field> fields = {});
inline void Debug(std::string_view m, std::initializer_list<Field> f = {}) {
  Write(Level::kDebug, m, f);
}
inline void Info(std::string_view m, std::initializer_list<Field> f = {}) {
  Write(Level::kInfo, m, f);
}
inline void Warn(std::string_view m, std::initializer_list<Field> f = {}) {
  Write(Level::kWarn, m, f);
}
inline void Error(std::string_view m, std::initializer_list<Field> f = {}) {
  Write(Level::kError, m, f);
}

/// Lets through the first `burst` lines an interval and counts the rest; the count comes with the
/// next line that gets through ("suppressed=123"). One object a place, used by one thread.
class Sampler {
 public:
  Sampler(int burst, std::int64_t interval_us) : burst_(burst), interval_us_(interval_us) {}
  /// now_us: monotonic. True: write the line, adding suppressed() if it is not zero.
  bool Admit(std::int64_t now_us);
  std::int64_t suppressed() const { return suppressed_before_; }

 private:
  int burst_;
  std::int64_t interval_us_;
  std::int64_t window_start_us_ = INT64_MIN / 2;
  int in_window_ = 0;
  std::int64_t skipped_ = 0;
  std::int64_t suppressed_before_ = 0;
};

}  // namespace weir::log
