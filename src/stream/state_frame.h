#pragma once
// StateFrame: a piece of operator state with its length and checksum (XXH3, 64 bits), so that a bit
// that flipped in storage is told apart from state before anything is made of it. Operators write a
// header frame and then as many frames as they need.

#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/wire.h"

namespace weir::stream {

/// Frames are filled up to about this size.
inline constexpr std::size_t kStateFrameBytes = std::size_t{256} << 10;

void WriteFrame(std::string_view payload, WireWriter& out);

/// The payload of the next frame; a view into the reader's bytes. nullopt: torn or damaged.
std::optional<std::string_view> ReadFrame(WireReader& in);

/// kCorrupt WEIR0504: "state of <what>: <why>".
Error DamagedState(std::string_view what, std::string_view why);

}  // namespace weir::stream
