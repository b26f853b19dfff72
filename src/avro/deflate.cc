#include "avro/deflate.h"

#include <algorithm>

#include <zlib.h>

#include "base/check.h"

namespace weir::avro {
namespace {

constexpr int kRawWindow = -15;
// Manifests are small and written in each commit: a quarter of the default's time for a tenth more
// bytes.
constexpr int kLevel = 1;

Bytef* Input(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not write there
}

}  // namespace

void Deflate(std::string_view bytes, std::string& out) {
  z_stream stream{};
  WEIR_CHECK(deflateInit2(&stream, kLevel, Z_DEFLATED, kRawWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  const std::size_t start = out.size();
  const std::size_t bound = deflateBound(&stream, static_cast<uLong>(bytes.size()));
  out.resize(start + bound);
  stream.next_in = Input(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data() + start);
  stream.avail_out = static_cast<uInt>(bound);
  WEIR_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(start + bound - stream.avail_out);
  deflateEnd(&stream);
}

Status Inflate(std::string_view compressed, std::size_t max_bytes, std::string& out) {
  z_stream stream{};
  WEIR_CHECK(inflateInit2(&stream, kRawWindow) == Z_OK);
  stream.next_in = Input(compressed);
  stream.avail_in = static_cast<uInt>(compressed.size());
  int result = Z_OK;
  out.clear();
  std::size_t step = std::max<std::size_t>(4 * compressed.size(), 4096);
  while (result == Z_OK && out.size() < max_bytes) {
    const std::size_t filled = out.size();
    out.resize(std::min(filled + step, max_bytes));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
    stream.avail_out = static_cast<uInt>(out.size() - filled);
    result = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
    step = std::min<std::size_t>(2 * step, std::size_t{16} << 20);
  }
  inflateEnd(&stream);
  // Bytes behind the stream's end are let pass: PyIceberg leaves three of zlib's checksum there.
  if (result == Z_STREAM_END) return Ok();
  return Corrupt("a compressed block is damaged or too large");
}

}  // namespace weir::avro
