#pragma once
// Raw deflate (RFC 1951, no zlib header), as Avro's codec of that name wants it.

#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::avro {

/// Appends the compressed bytes to `out`.
void Deflate(std::string_view bytes, std::string& out);

/// Replaces `out` by the original bytes of the stream that `compressed` begins with. kCorrupt when
/// it is not whole, or grows beyond max_bytes.
Status Inflate(std::string_view compressed, std::size_t max_bytes, std::string& out);

}  // namespace weir::avro
