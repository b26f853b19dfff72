// Any bytes as a manifest list and as a manifest of a table partitioned by day. A list that is
// accepted is written again and must read back the same size.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "iceberg/manifest_list.h"
#include "iceberg/manifest_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weir;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto list = iceberg::ReadManifestList(bytes, "list.avro")) {
    const auto again =
        iceberg::ReadManifestList(iceberg::WriteManifestList({}, *list), "again.avro");
    WEIR_CHECK(again.has_value() && again->size() == list->size());
  }
  const iceberg::PartitionType type = {
      {.field_id = 1000, .name = "day", .type = Type::Of(TypeKind::kDate)}};
  iceberg::ManifestFile file;
  file.path = "manifest.avro";
  file.length = static_cast<std::int64_t>(size);
  const auto manifest = iceberg::ReadManifestFile(bytes, file, type);
  return manifest && manifest->entries.size() > size ? 1 : 0;
}
