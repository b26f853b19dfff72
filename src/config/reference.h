#pragma once
// The reference of the configuration files in Markdown, made from the descriptors: docs/CONFIG.md.

#include <string>

namespace weir::config {

std::string ReferenceMarkdown();

}  // namespace weir::config
