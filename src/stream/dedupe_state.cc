#include "stream/dedupe_state.h"

#include <algorithm>

#include "stream/state_frame.h"

namespace weir::stream {

namespace {

constexpr std::uint8_t kVersion = 1;

// Differences without sign: times may be as far apart as they like.
std::int64_t Less(Micros time, Micros before) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(time) -
                                   static_cast<std::uint64_t>(before));
}
Micros Plus(Micros before, std::int64_t difference) {
  return static_cast<Micros>(static_cast<std::uint64_t>(before) +
                             static_cast<std::uint64_t>(difference));
}

Error Damaged(std::string_view why) { return DamagedState("dedupe", why); }

}  // namespace

void WriteHeldKeys(DedupeStateKind kind, std::span<const HeldKey> keys, WireWriter& out) {
  WireWriter header;
  header.Byte(kVersion);
  header.Byte(kind.compact ? 1 : 0);
  header.Fixed64(kind.key_id);
  header.Varint(keys.size());
  WriteFrame(header.bytes(), out);
  for (std::size_t begin = 0; begin < keys.size(); begin += kKeysPerFrame) {
    const auto part = keys.subspan(begin, std::min(kKeysPerFrame, keys.size() - begin));
    WireWriter frame;
    frame.Varint(part.size());
    Micros before = 0;
    for (const HeldKey& key : part) {
      frame.Fixed64(key.print.low);
      if (!kind.compact) frame.Fixed64(key.print.high);
      frame.Zigzag(Less(key.time, before));
      before = key.time;
    }
    WriteFrame(frame.bytes(), out);
  }
}

Status HeldKeyReader::Open() {
  const auto frame = ReadFrame(in_);
  if (!frame) return Damaged("its header is damaged");
  WireReader header(*frame);
  const std::uint8_t version = header.Byte();
  const std::uint8_t mode = header.Byte();
  const std::uint64_t key_id = header.Fixed64();
  left_ = header.Varint();
  if (!header.ok() || !header.at_end()) return Damaged("its header is damaged");
  if (version != kVersion) return Damaged("it has version " + std::to_string(version));
  if (mode != (kind_.compact ? 1 : 0)) return Damaged("exact and compact state do not mix");
  if (key_id != kind_.key_id) return Damaged("it was made with another key");
  return Ok();
}

Result<std::span<const HeldKey>> HeldKeyReader::Next() {
  const auto frame = ReadFrame(in_);
  if (!frame) return Damaged("a frame is torn or damaged");
  WireReader keys(*frame);
  const std::uint64_t n = keys.Varint();
  if (n == 0 || n > left_ || n > kKeysPerFrame)
    return Damaged("a frame has a wrong number of keys");
  keys_.clear();
  Micros before = 0;
  for (std::uint64_t i = 0; i < n && keys.ok(); ++i) {
    HeldKey key;
    key.print.low = keys.Fixed64();
    if (!kind_.compact) key.print.high = keys.Fixed64();
    key.time = Plus(before, keys.Zigzag());
    before = key.time;
    if ((key.print.low << 8) == 0) keys.Fail();
    keys_.push_back(key);
  }
  if (!keys.ok() || !keys.at_end()) return Damaged("a frame holds something else than keys");
  left_ -= n;
  return std::span<const HeldKey>(keys_);
}

}  // namespace weir::stream
