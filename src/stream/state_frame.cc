#include "stream/state_frame.h"

#include <string>

#include <xxhash.h>

namespace weir::stream {

void WriteFrame(std::string_view payload, WireWriter& out) {
  out.Text(payload);
  out.Fixed64(XXH3_64bits(payload.data(), payload.size()));
}

std::optional<std::string_view> ReadFrame(WireReader& in) {
  const std::string_view payload = in.Text();
  const std::uint64_t sum = in.Fixed64();
  if (!in.ok() || sum != XXH3_64bits(payload.data(), payload.size())) return std::nullopt;
  return payload;
}

Error DamagedState(std::string_view what, std::string_view why) {
  return Corrupt("state of " + std::string(what) + ": " + std::string(why),
                 ErrorCode::kStateCorrupt);
}

}  // namespace weir::stream
