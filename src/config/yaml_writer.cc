#include "config/yaml_writer.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/check.h"

namespace weir::config {
namespace {

// Words that YAML readers take for something else than text.
constexpr std::array kWords = {"true", "false", "null", "yes", "no", "on", "off", "~"};

bool IsPlainByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_./-()<>+@").find(c) != std::string_view::npos;
}

bool IsPlain(std::string_view text) {
  if (text.empty()) return false;
  const auto first = static_cast<unsigned char>(text[0]);
  if (std::isalpha(first) == 0 && text[0] != '/' && text[0] != '_' && text[0] != '.') return false;
  if (!std::all_of(text.begin(), text.end(), IsPlainByte)) return false;
  std::string lower;
  for (char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::find(kWords.begin(), kWords.end(), lower) == kWords.end();
}

}  // namespace

std::string YamlScalar(std::string_view text) {
  if (IsPlain(text)) return std::string(text);
  std::string quoted = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

void YamlWriter::Key(std::string_view key) {
  text_.append(2 * depth_, ' ');
  text_ += YamlScalar(key);
  text_ += ':';
}

void YamlWriter::Scalar(std::string_view key, std::string_view text) {
  Plain(key, YamlScalar(text));
}

void YamlWriter::Plain(std::string_view key, std::string_view text) {
  Key(key);
  text_ += ' ';
  text_ += text;
  text_ += '\n';
}

void YamlWriter::List(std::string_view key, const std::vector<std::string>& texts) {
  std::string line = "[";
  for (const std::string& text : texts) line += (line.size() > 1 ? ", " : "") + YamlScalar(text);
  Plain(key, line + "]");
}

void YamlWriter::Open(std::string_view key) {
  Key(key);
  text_ += '\n';
  ++depth_;
}

void YamlWriter::Close() {
  WEIR_CHECK(depth_ > 0);
  --depth_;
}

}  // namespace weir::config
