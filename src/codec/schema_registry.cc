#include "codec/schema_registry.h"

namespace weir::codec {

std::optional<Framed> Unframe(std::string_view value) {
  constexpr std::size_t kHeader = 5;
  if (value.size() < kHeader || value[0] != '\0') return std::nullopt;
  Framed framed;
  for (std::size_t i = 1; i < kHeader; ++i) {
    framed.schema_id = framed.schema_id << 8 | static_cast<unsigned char>(value[i]);
  }
  framed.payload = value.substr(kHeader);
  return framed;
}

}  // namespace weir::codec
