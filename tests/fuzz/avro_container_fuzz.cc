// Any bytes as an Avro container: opened, and every record stepped over. A file that opens must be
// read to its end or refused, without more memory or work than its size allows.

#include <cstdint>
#include <string_view>

#include "avro/container.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto reader = weir::avro::ContainerReader::Open(bytes);
  if (!reader) return 0;
  const weir::avro::Node& root = reader->schema().root();
  const auto status = reader->ForEach([&root](weir::avro::Decoder& decoder) {
    decoder.Skip(root);
    return weir::Status();
  });
  static_cast<void>(status.ok());
  return 0;
}
