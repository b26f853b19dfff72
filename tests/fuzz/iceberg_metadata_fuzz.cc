// Any text as the metadata file of a table, by us or by anybody: what is accepted must be safe to
// ask all that a commit asks.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "iceberg/metadata.h"
#include "iceberg/partition_type.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto metadata = weir::iceberg::ParseMetadata(text, "v1.metadata.json");
  if (!metadata) return 0;
  WEIR_CHECK(*metadata != nullptr);
  const auto writable = weir::iceberg::CheckWritable(**metadata);
  const auto ancestors = (*metadata)->MainAncestors();
  for (int id = 0; id < 4; ++id) {
    if (const auto* spec = (*metadata)->FindSpec(id)) {
      const auto type = weir::iceberg::PartitionTypeOf(**metadata, *spec);
      WEIR_CHECK(!type || type->size() <= spec->fields.size());
    }
  }
  return ancestors.size() > size && writable.ok() ? 1 : 0;
}
