#pragma once
// DedupeState: the bytes in which held keys are kept.
//
// A header frame: version 1, mode (0 exact, 1 compact), identity of the key (64 bits), number of
// keys (varint). Then frames of up to 8,192 keys each: their number (varint), and for each key the
// fingerprint (16 bytes, of which the upper two do not count; compact 8) and its time, zigzag, less
// that of the key before it in the frame. Base and delta look alike: reading one adds its keys, and
// of two times of a key the later counts, so nothing depends on order. Errors: kCorrupt WEIR0504.

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/wire.h"
#include "stream/fingerprint.h"

namespace weir::stream {

struct HeldKey {
  Fingerprint print;
  Micros time = 0;
};

/// State is read back only where both are equal.
struct DedupeStateKind {
  std::uint64_t key_id = 0;
  bool compact = false;
};

inline constexpr std::size_t kKeysPerFrame = 8'192;

void WriteHeldKeys(DedupeStateKind kind, std::span<const HeldKey> keys, WireWriter& out);

/// The keys of one frame, or the error that ended the reading.
class HeldKeyReader {
 public:
  HeldKeyReader(DedupeStateKind kind, WireReader& in) : kind_(kind), in_(in) {}
  Status Open();
  /// Keys still to come.
  std::uint64_t left() const { return left_; }
  /// Valid until the next call; not empty.
  Result<std::span<const HeldKey>> Next();

 private:
  DedupeStateKind kind_;
  WireReader& in_;
  std::uint64_t left_ = 0;
  std::vector<HeldKey> keys_;
};

}  // namespace weir::stream
