#pragma once
// Xml: the small part of XML that object stores answer in, as a tree.
//
// Elements and text. Attributes, comments and processing instructions are skipped, a prefix of a
// name ("s3:Key") is left out, and a document type is refused, so that no entity can be declared.
// Depth and the number of elements are bounded. Pure; single-threaded.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::io {

struct XmlElement {
  std::string name;
  std::string text;  // of the element itself, without its children's
  std::vector<XmlElement> children;

  /// The first child of that name, or nullptr.
  const XmlElement* Find(std::string_view child) const;
  /// Its text; empty when it is not there.
  std::string_view TextOf(std::string_view child) const;
};

struct XmlLimits {
  std::size_t depth = 16;
  std::size_t elements = 100'000;
};

/// The root element. Errors: kCorrupt.
Result<XmlElement> ParseXml(std::string_view text, const XmlLimits& limits = {});

/// Text that may stand between tags.
std::string EscapeXml(std::string_view text);

}  // namespace weir::io
