#include "avro/encoder.h"

#include <bit>

namespace weir::avro {
namespace {

template <typename T>
void AppendLittleEndian(std::string& out, T bits) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(bits >> (8 * i));
}

}  // namespace

void Encoder::Float(float value) {
  AppendLittleEndian(bytes_, std::bit_cast<std::uint32_t>(value));
}

void Encoder::Double(double value) {
  AppendLittleEndian(bytes_, std::bit_cast<std::uint64_t>(value));
}

}  // namespace weir::avro
