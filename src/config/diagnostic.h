#pragma once
// Diagnostics: everything that is wrong with a configuration, reported in one go.
//
// A Diagnostic names the place (file, line, column, key path), what is wrong, what is allowed there
// and what was probably meant. Diagnostics collects them with the texts they point into, and
// renders them for people (with the line and a caret) and for programs (JSON). Secrets: spans of a
// text that hold one are hidden in every rendering. Not thread safe.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::config {

enum class Severity { kError, kWarning };

/// Where something stands. line and column count from 1, columns in bytes; line 0: the whole file.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  int width = 1;         // bytes under the caret
  std::string key_path;  // "tables.retail.events.create"; empty: the whole file
};

struct Diagnostic {
  Severity severity = Severity::kError;
  ErrorCode code = ErrorCode::kBadValue;
  Place place;
  std::string message;               // what is wrong, names in backticks, no trailing dot
  std::vector<std::string> allowed;  // keys or values that this place takes
  std::string suggestion;            // the one that was probably meant
  std::string help;                  // what to do
};

class Diagnostics {
 public:
  /// Makes the lines of a file known, for the snippets.
  void AddSource(const std::string& file, std::string_view text);
  /// Hides what stands from one place up to, not including, another one; end_line 0: to the end.
  void HideSpan(const std::string& file, int line, int column, int end_line, int end_column);

  /// Beyond kMaxReported they are only counted.
  void Add(Diagnostic diagnostic);
  void Error(ErrorCode code, Place place, std::string message, std::string help = {});
  void Warning(ErrorCode code, Place place, std::string message, std::string help = {});

  bool ok() const { return errors_ == 0; }
  /// Whether further ones are only counted, so that nobody needs to look for suggestions.
  bool full() const { return reported_.size() >= kMaxReported; }
  std::size_t errors() const { return errors_; }
  std::size_t warnings() const { return warnings_; }
  /// By file (in the order they were read), line and column; columns in characters.
  std::vector<Diagnostic> Sorted() const;

  /// Like a compiler's: message, place, line with caret, what is allowed.
  std::string ToText(bool color = false) const;
  /// {"errors": n, "warnings": n, "diagnostics": [...]}, one line.
  std::string ToJson() const;
  /// "2 errors, 1 warning in 2 files"; empty when there is nothing to say.
  std::string Summary() const;
  /// Ok, or the first error as one line for callers that pass an Error on.
  Status ToStatus() const;

  static constexpr std::size_t kMaxReported = 100;

 private:
  struct Span {
    int line, column, end_line, end_column;
  };
  struct Source {
    int order = 0;
    std::vector<std::string> lines;
    std::vector<Span> hidden;
  };
  struct Snippet {
    std::string line;
    std::string caret;
  };

  /// In the order of Sorted(), with columns in bytes as they were reported.
  std::vector<const Diagnostic*> Ordered() const;
  /// The column in characters, as people and editors count.
  int ColumnOf(const Place& place) const;
  std::string Render(const Diagnostic& diagnostic, bool color) const;
  Snippet SnippetOf(const Diagnostic& diagnostic) const;

  std::map<std::string, Source> sources_;
  std::vector<Diagnostic> reported_;
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
};

}  // namespace weir::config
