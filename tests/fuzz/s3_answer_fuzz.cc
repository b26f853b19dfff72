// Any bytes as what an object store answers: listings, faults, uploads, deletions.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "io/s3_answers.h"
#include "io/xml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto page = weir::io::ReadListPage(text)) {
    for (const auto& object : page->objects) WEIR_CHECK(!object.key.empty() && object.size >= 0);
  }
  static_cast<void>(weir::io::ReadFault(text));
  static_cast<void>(weir::io::FaultInside(text));
  static_cast<void>(weir::io::ReadUploads(text));
  static_cast<void>(weir::io::FirstDeleteFault(text));
  if (const auto id = weir::io::ReadUploadId(text)) WEIR_CHECK(!id->empty());
  static_cast<void>(weir::io::ReadIsoTime(text));
  // Text that is escaped comes back as it was.
  if (text.find('\0') == std::string_view::npos) {
    const auto root = weir::io::ParseXml("<a>" + weir::io::EscapeXml(text) + "</a>");
    WEIR_CHECK(root.has_value() && root->text == text);
  }
  return 0;
}
