#include "iceberg/gzip.h"

#include <zlib.h>

#include "base/check.h"

namespace weir::iceberg {

Result<std::string> Gunzip(std::string_view bytes) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  constexpr std::size_t kStep = std::size_t{1} << 18;
  z_stream stream{};
  WEIR_CHECK(inflateInit2(&stream, 15 + 16) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // only read
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int result = Z_OK;
  while (result == Z_OK && out.size() < kMostBytes) {
    const std::size_t filled = out.size();
    out.resize(filled + kStep);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
    stream.avail_out = static_cast<uInt>(kStep);
    result = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
    if (result == Z_STREAM_END && stream.avail_in > 0) result = inflateReset(&stream);
  }
  const bool whole = result == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  if (whole) return out;
  return Corrupt("the gzip data is damaged", ErrorCode::kMetadataCorrupt);
}

}  // namespace weir::iceberg
