#include "stream/sessions_values.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/check.h"

namespace weir::stream {
namespace {

constexpr std::size_t kStep = 32;  // what rooms are rounded up to, so that few are outgrown

}  // namespace

// What a value outgrows is wasted until the block is made anew.
void KeptValues::MakeRoom(std::size_t i, std::size_t size, std::size_t count) {
  const std::size_t room = (std::max<std::size_t>(size, 1) + kStep - 1) / kStep * kStep;
  if (used_ + room > capacity_ || used_ == 0) {
    std::size_t needed = count * sizeof(Head) + room;
    for (std::size_t at = 0; at < count; ++at) {
      // Those to come are guessed to be as large.
      if (at != i) needed += used_ == 0 || heads()[at].room == 0 ? room : heads()[at].room;
    }
    WEIR_CHECK(needed <= std::numeric_limits<std::uint32_t>::max());
    KeptValues fresh;
    fresh.block_ = std::make_unique_for_overwrite<char[]>(needed);
    fresh.capacity_ = static_cast<std::uint32_t>(needed);
    fresh.used_ = static_cast<std::uint32_t>(count * sizeof(Head));
    for (std::size_t at = 0; at < count; ++at) {
      Head head;
      if (used_ != 0 && at != i) {
        head = heads()[at];
        if (head.size != kNull) {
          std::memcpy(fresh.block_.get() + fresh.used_, block_.get() + head.offset, head.size);
        }
        head.offset = std::exchange(fresh.used_, fresh.used_ + head.room);
      }
      std::construct_at(fresh.heads() + at, head);
    }
    *this = std::move(fresh);
  }
  heads()[i].offset = std::exchange(used_, used_ + static_cast<std::uint32_t>(room));
  heads()[i].room = static_cast<std::uint32_t>(room);
}

}  // namespace weir::stream
