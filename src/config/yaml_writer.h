#pragma once
// YamlWriter: writes nested mappings and lists as YAML, quoting what needs it, so that reading the
// text gives the same values. Not a general emitter: scalars are texts, keys are plain or quoted.

#include <string>
#include <string_view>
#include <vector>

namespace weir::config {

/// A scalar as YAML: plain where that is safe, else in double quotes.
std::string YamlScalar(std::string_view text);

class YamlWriter {
 public:
  void Scalar(std::string_view key, std::string_view text);
  /// Written as it is: numbers, booleans, quantities.
  void Plain(std::string_view key, std::string_view text);
  void List(std::string_view key, const std::vector<std::string>& texts);
  void Open(std::string_view key);
  void Close();
  std::string Take() { return std::move(text_); }

 private:
  void Key(std::string_view key);
  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace weir::config
