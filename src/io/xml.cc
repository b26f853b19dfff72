#include "io/xml.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace weir::io {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

Error BadXml(std::string_view why) { return Corrupt("malformed XML: " + std::string(why)); }

void AppendUtf8(std::uint32_t code, std::string& out) {
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

// "#65" or "#x41". Control characters are taken too: keys may hold them.
std::optional<std::uint32_t> CharacterOf(std::string_view reference) {
  reference.remove_prefix(1);
  int base = 10;
  if (reference.starts_with('x') || reference.starts_with('X')) {
    reference.remove_prefix(1);
    base = 16;
  }
  std::uint32_t code = 0;
  const char* end = reference.data() + reference.size();
  const auto [at, error] = std::from_chars(reference.data(), end, code, base);
  const bool is_character = code != 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  if (error != std::errc() || at != end || !is_character) return std::nullopt;
  return code;
}

Status AppendText(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const std::size_t ampersand = std::min(text.find('&'), text.size());
    out.append(text.substr(0, ampersand));
    text.remove_prefix(ampersand);
    if (text.empty()) break;
    const std::size_t end = text.find(';');
    if (end == std::string_view::npos || end < 2) return BadXml("an '&' without its ';'");
    const std::string_view name = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    if (name.front() == '#') {
      const auto code = CharacterOf(name);
      if (!code) return BadXml("a reference to no character");
      AppendUtf8(*code, out);
    } else if (name == "lt") {
      out += '<';
    } else if (name == "gt") {
      out += '>';
    } else if (name == "amp") {
      out += '&';
    } else if (name == "quot") {
      out += '"';
    } else if (name == "apos") {
      out += '\'';
    } else {
      return BadXml("an unknown entity");
    }
  }
  return Ok();
}

std::string_view LocalName(std::string_view tag) {
  const std::string_view name = tag.substr(0, std::min(tag.find_first_of(" \t\r\n/"), tag.size()));
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

class Parser {
 public:
  Parser(std::string_view text, const XmlLimits& limits) : rest_(text), limits_(limits) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  Result<XmlElement> Parse() {
    XmlElement document;
    open_.push_back(&document);
    while (!rest_.empty()) WEIR_TRY(Next());
    if (open_.size() != 1) return BadXml("it ends inside an element");
    if (document.children.size() != 1) return BadXml("it has no single root element");
    if (document.text.find_first_not_of(kBlanks) != std::string::npos) {
      return BadXml("text outside of the root element");
    }
    return std::move(document.children.front());
  }

 private:
  Status Next() {
    if (rest_.front() != '<') {
      const std::size_t end = std::min(rest_.find('<'), rest_.size());
      WEIR_TRY(AppendText(rest_.substr(0, end), open_.back()->text));
      rest_.remove_prefix(end);
      return Ok();
    }
    if (rest_.starts_with("<!--")) return Skip("-->");
    if (rest_.starts_with("<?")) return Skip("?>");
    if (rest_.starts_with("<![CDATA[")) return TakeCharacterData();
    if (rest_.starts_with("<!")) return BadXml("a document type");
    return TakeTag();
  }

  Status Skip(std::string_view end) {
    const std::size_t at = rest_.find(end, 2);
    if (at == std::string_view::npos) return BadXml("a comment or instruction without an end");
    rest_.remove_prefix(at + end.size());
    return Ok();
  }

  Status TakeCharacterData() {
    rest_.remove_prefix(9);
    const std::size_t end = rest_.find("]]>");
    if (end == std::string_view::npos) return BadXml("character data without an end");
    open_.back()->text.append(rest_.substr(0, end));
    rest_.remove_prefix(end + 3);
    return Ok();
  }

  // A '>' inside a quoted attribute does not end the tag.
  std::size_t EndOfTag() const {
    char quote = 0;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '>') {
        return i;
      }
    }
    return std::string_view::npos;
  }

  Status TakeTag() {
    const std::size_t end = EndOfTag();
    if (end == std::string_view::npos) return BadXml("a tag without an end");
    std::string_view tag = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    if (tag.starts_with('/')) return Close(LocalName(tag.substr(1)));
    const bool closed = tag.ends_with('/');
    const std::string_view name = LocalName(tag);
    if (name.empty()) return BadXml("a tag without a name");
    if (++elements_ > limits_.elements) return BadXml("too many elements");
    if (open_.size() > limits_.depth) return BadXml("nested too deeply");
    XmlElement& element = open_.back()->children.emplace_back();
    element.name = name;
    if (!closed) open_.push_back(&element);
    return Ok();
  }

  Status Close(std::string_view name) {
    if (open_.size() == 1 || open_.back()->name != name) return BadXml("a tag closes another one");
    open_.pop_back();
    return Ok();
  }

  std::string_view rest_;
  XmlLimits limits_;
  // The elements that are open; only the last one gets children, so the pointers stay good.
  std::vector<XmlElement*> open_;
  std::size_t elements_ = 0;
};

}  // namespace

const XmlElement* XmlElement::Find(std::string_view child) const {
  const auto found = std::ranges::find(children, child, &XmlElement::name);
  return found == children.end() ? nullptr : &*found;
}

std::string_view XmlElement::TextOf(std::string_view child) const {
  const XmlElement* found = Find(child);
  return found == nullptr ? std::string_view() : std::string_view(found->text);
}

Result<XmlElement> ParseXml(std::string_view text, const XmlLimits& limits) {
  return Parser(text, limits).Parse();
}

std::string EscapeXml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "&#" + std::to_string(byte) + ";";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace weir::io
