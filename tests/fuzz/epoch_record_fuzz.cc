// Any bytes as a record of a writer's log. What is accepted must survive being written again.

#include "state/epoch_record.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto entry = weir::state::DecodeLogEntry(bytes);
  if (!entry) return 0;
  const auto encode = [](const auto& value) { return weir::state::Encode(value); };
  const std::string written = std::visit(encode, *entry);
  const auto again = weir::state::DecodeLogEntry(written);
  WEIR_CHECK(again.has_value());
  WEIR_CHECK(std::visit(encode, *again) == written);
  return 0;
}
