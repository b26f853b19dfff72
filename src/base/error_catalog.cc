#include "base/error_catalog.h"

#include <algorithm>
#include <array>

namespace weir {
namespace {

constexpr auto kCatalog = std::to_array<ErrorCatalogEntry>({
#define WEIR_ERROR(number, name, exit_code, meaning, cause, remedy) \
  {ErrorCode::name, exit_code, meaning, cause, remedy},
#include "base/error_catalog.inc"
#undef WEIR_ERROR
});

}  // namespace

std::span<const ErrorCatalogEntry> ErrorCatalog() { return kCatalog; }

const ErrorCatalogEntry* FindError(ErrorCode code) {
  const auto* found = std::ranges::find(kCatalog, code, &ErrorCatalogEntry::code);
  return found == kCatalog.end() ? nullptr : found;
}

std::string ToString(ErrorCode code) {
  if (code == ErrorCode::kNone) return {};
  std::string digits = std::to_string(static_cast<unsigned>(code));
  return "WEIR" + std::string(4 - std::min<std::size_t>(digits.size(), 4), '0') + digits;
}

}  // namespace weir
