// Any text as a configuration file. A refusal names a reason, and both renderings of it work.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "config/diagnostic.h"
#include "config/yaml_node.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  weir::config::Diagnostics diagnostics;
  const auto root = weir::config::ReadYaml(text, "fuzz.yaml", diagnostics);
  WEIR_CHECK(root.has_value() || !diagnostics.ok());
  return 0;
}
