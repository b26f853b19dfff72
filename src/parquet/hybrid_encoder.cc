#include "parquet/hybrid_encoder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace weir::parquet {

namespace {

// Readers are used to packed runs of at most 63 groups of 8 values, whose header is one byte.
constexpr std::size_t kGroup = 8;
constexpr std::size_t kMaxGroups = 63;
// Shorter repetitions stay in the packed run: a header of their own would cost more.
constexpr std::size_t kShortestRun = 24;

void AppendVarint(std::uint64_t value, Buffer<std::uint8_t>& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::uint8_t>(value | 0x80));
  out.push_back(static_cast<std::uint8_t>(value));
}

// Packs 8 values of W bits into W bytes.
template <int W, typename T>
void PackGroup(const T* values, std::uint8_t* out) {
  if constexpr (W <= 8) {
    std::uint64_t packed = 0;
    for (int i = 0; i < 8; ++i) packed |= static_cast<std::uint64_t>(values[i]) << (i * W);
    std::memcpy(out, &packed, W);
  } else {
    std::uint64_t packed = 0;
    int bits = 0;
    for (int i = 0; i < 8; ++i) {
      packed |= static_cast<std::uint64_t>(values[i]) << bits;
      bits += W;
      if (bits >= 32) {
        std::memcpy(out, &packed, 4);
        out += 4;
        packed >>= 32;
        bits -= 32;
      }
    }
    std::memcpy(out, &packed, static_cast<std::size_t>(bits / 8));
  }
}

template <int W, typename T>
void PackGroups(const T* values, std::size_t groups, std::uint8_t* out) {
  for (std::size_t i = 0; i < groups; ++i) PackGroup<W>(values + i * kGroup, out + i * W);
}

template <typename T>
using Packer = void (*)(const T*, std::size_t, std::uint8_t*);

template <typename T, int... W>
constexpr std::array<Packer<T>, sizeof...(W)> MakePackers(std::integer_sequence<int, W...>) {
  return {&PackGroups<W + 1, T>...};
}

template <typename T>
Packer<T> PackerFor(int width) {
  static constexpr auto kPackers = MakePackers<T>(std::make_integer_sequence<int, 32>());
  return kPackers[static_cast<std::size_t>(width - 1)];
}

// Whole groups in runs of at most kMaxGroups; the last group may be short and is filled with zeros.
template <typename T>
void AppendPacked(const T* values, std::size_t n, int width, Buffer<std::uint8_t>& out) {
  const Packer<T> pack = PackerFor<T>(width);
  const auto group_bytes = static_cast<std::size_t>(width);
  while (n > 0) {
    const std::size_t groups = std::min((n + kGroup - 1) / kGroup, kMaxGroups);
    out.push_back(static_cast<std::uint8_t>(groups << 1 | 1));
    std::uint8_t* room = out.Extend(groups * group_bytes);
    const std::size_t whole = std::min(groups, n / kGroup);
    pack(values, whole, room);
    if (whole < groups) {
      T last[kGroup] = {};
      std::copy_n(values + whole * kGroup, n - whole * kGroup, last);
      pack(last, 1, room + whole * group_bytes);
    }
    const std::size_t taken = std::min(n, groups * kGroup);
    values += taken;
    n -= taken;
  }
}

// How often values[0] comes from there on.
template <typename T>
std::size_t RunLength(const T* values, std::size_t n) {
  std::size_t length = 1;
  while (length < n && values[length] == values[0]) ++length;
  return length;
}

template <typename T>
bool GroupIsConstant(const T* values) {
  T differ = 0;
  for (std::size_t i = 1; i < kGroup; ++i) differ |= static_cast<T>(values[i] ^ values[0]);
  return differ == 0;
}

template <typename T>
void Append(const T* values, std::size_t n, int width, Buffer<std::uint8_t>& out) {
  WEIR_DCHECK(width >= 1 && width <= 32);
  std::size_t packed_from = 0;  // values from here on wait for a packed run
  std::size_t at = 0;
  while (at + kShortestRun <= n) {
    if (!GroupIsConstant(values + at)) {
      at += kGroup;
      continue;
    }
    const std::size_t run = RunLength(values + at, n - at);
    if (run < kShortestRun) {
      at += kGroup;
      continue;
    }
    // `at` is whole groups behind packed_from, so the packed run before ends exactly here.
    AppendPacked(values + packed_from, at - packed_from, width, out);
    AppendRun(static_cast<std::uint32_t>(values[at]), run, width, out);
    at += run;
    packed_from = at;
  }
  AppendPacked(values + packed_from, n - packed_from, width, out);
}

}  // namespace

int BitWidth(std::uint32_t highest) {
  return std::max(1, static_cast<int>(std::bit_width(highest)));
}

void AppendHybrid(const std::uint32_t* values, std::size_t n, int width,
                  Buffer<std::uint8_t>& out) {
  Append(values, n, width, out);
}

void AppendHybrid(const std::uint8_t* values, std::size_t n, int width, Buffer<std::uint8_t>& out) {
  WEIR_DCHECK(width <= 8);
  Append(values, n, width, out);
}

void AppendHybridBits(const std::uint64_t* words, std::size_t first, std::size_t n,
                      Buffer<std::uint8_t>& out) {
  WEIR_DCHECK(first % 8 == 0);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(words) + first / 8;
  while (n > 0) {
    const std::size_t groups = std::min((n + kGroup - 1) / kGroup, kMaxGroups);
    out.push_back(static_cast<std::uint8_t>(groups << 1 | 1));
    out.Append(bytes, groups);  // a group of 8 one-bit values is a byte, and in the same order
    if (groups * kGroup > n) {
      out.back() = static_cast<std::uint8_t>(out.back() & ((1U << (n % kGroup)) - 1));
      return;
    }
    bytes += groups;
    n -= groups * kGroup;
  }
}

void AppendRun(std::uint32_t value, std::size_t n, int width, Buffer<std::uint8_t>& out) {
  if (n == 0) return;
  AppendVarint(std::uint64_t{n} << 1, out);
  out.Append(reinterpret_cast<const std::uint8_t*>(&value),
             static_cast<std::size_t>((width + 7) / 8));
}

}  // namespace weir::parquet
