#pragma once
// What is checked on the text of a YAML file before or beside the YAML library, which lets some of
// it pass: encoding, tabs, quotes that are never closed. Pure functions; errors are WEIR0101.

#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.h"

namespace weir::config {

/// UTF-8 without control characters, no longer than kMaxFileBytes, no tab in an indentation.
bool CheckYamlText(std::string_view text, const std::string& file, Diagnostics& diagnostics);

/// Finds bytes by line and column.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);
  /// The text from a place on; empty beyond the end. Both count from 1.
  std::string_view From(int line, int column) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

/// Whether a scalar that starts here opens a quote that is never closed. The text begins where the
/// scalar begins, anchors included.
bool HasOpenQuote(std::string_view text);

/// The YAML library's message in our words; unknown ones pass.
struct SyntaxMessage {
  std::string message;
  std::string help;
};
SyntaxMessage ExplainSyntax(const std::string& message, std::string_view text_at_mark,
                            std::string_view text_before_mark);

}  // namespace weir::config
