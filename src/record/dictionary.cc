#include "record/dictionary.h"

#include <bit>
#include <limits>
#include <random>

#include "base/check.h"
#include "record/type.h"

namespace weir {

namespace {

constexpr std::size_t kFirstSlots = 64;
constexpr std::size_t kLargeSlots = 2048;  // 32 KiB

constexpr std::uint64_t kFewValues = 4096;             // enough to know ids by
constexpr std::uint64_t kManyValues = 32768;           // enough to know other columns by
constexpr std::size_t kMaxDictionaryBytes = 2U << 20;  // beyond it, files hold the column plain

std::uint64_t Load64(const char* p) {
  std::uint64_t value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

std::uint64_t Load32(const char* p) {
  std::uint32_t value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

std::uint64_t Fold(std::uint64_t a, std::uint64_t b) {
  const UInt128 product = static_cast<UInt128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Seeded, so that nobody who writes to a topic can aim strings at one slot. The seed never shows:
// codes follow first sight.
std::uint64_t MakeSeed() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

constexpr std::uint64_t kOdd1 = 0x9e3779b97f4a7c15;
constexpr std::uint64_t kOdd2 = 0xc2b2ae3d27d4eb4f;

// 16 bytes at p.
std::uint64_t Mix16(const char* p, std::uint64_t state) {
  return Fold(Load64(p) ^ state, Load64(p + 8) ^ kOdd1);
}

// Multiply-and-fold. Each class of lengths is read by a fixed number of loads that overlap, so that
// lengths that vary within a class cost no mispredicted branch.
[[gnu::always_inline]] inline std::uint32_t HashOf(std::string_view text, std::uint64_t seed) {
  const char* p = text.data();
  const std::size_t n = text.size();
  std::uint64_t state = seed ^ (n * kOdd2);
  if (n > 16) {
    if (n > 32) {
      for (std::size_t i = 0; i + 64 < n; i += 32) {
        state = Mix16(p + i, state) ^ Mix16(p + i + 16, ~state);
      }
      const char* last = p + n - 64;
      // Up to 64 bytes the two halves overlap; beyond, the loop has read what is before the
      // last 64.
      const char* first = n <= 64 ? p : last;
      state = Mix16(first, state) ^ Mix16(first + 16, ~state);
    }
    state = Mix16(n > 32 ? p + n - 32 : p, state) ^ Mix16(p + n - 16, ~state);
    return static_cast<std::uint32_t>(state ^ (state >> 32));
  }
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  if (n >= 8) {
    a = Load64(p);
    b = Load64(p + n - 8);
  } else if (n >= 4) {
    a = Load32(p);
    b = Load32(p + n - 4);
  } else if (n > 0) {
    a = (static_cast<std::uint64_t>(static_cast<unsigned char>(p[0])) << 16) |
        (static_cast<std::uint64_t>(static_cast<unsigned char>(p[n / 2])) << 8) |
        static_cast<unsigned char>(p[n - 1]);
  }
  return static_cast<std::uint32_t>(Fold(a ^ state, b ^ kOdd1));
}

std::uint64_t Differ16(const char* a, const char* b) {
  return (Load64(a) ^ Load64(b)) | (Load64(a + 8) ^ Load64(b + 8));
}

// Equality of n bytes each, without a call for the usual short ones.
[[gnu::always_inline]] inline bool SameBytes(const char* a, const char* b, std::size_t n) {
  if (n > 64) return std::memcmp(a, b, n) == 0;
  if (n > 16) {
    std::uint64_t differ = Differ16(a, b) | Differ16(a + n - 16, b + n - 16);
    if (n > 32) differ |= Differ16(a + 16, b + 16) | Differ16(a + n - 32, b + n - 32);
    return differ == 0;
  }
  if (n >= 8) return ((Load64(a) ^ Load64(b)) | (Load64(a + n - 8) ^ Load64(b + n - 8))) == 0;
  if (n >= 4) return ((Load32(a) ^ Load32(b)) | (Load32(a + n - 4) ^ Load32(b + n - 4))) == 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace

Dictionary::Dictionary() {
  static const std::uint64_t kSeed = MakeSeed();
  seed_ = kSeed;
  offsets_.push_back(0);
  slots_.Fill(kFirstSlots, Slot{});
}

std::int32_t Dictionary::Intern(std::string_view text) { return Probe(text, HashOf(text, seed_)); }

inline bool Dictionary::Holds(const Slot& slot, std::string_view text, std::uint32_t hash) const {
  return slot.hash == hash && slot.size == text.size() && slot.code >= 0 &&
         SameBytes(bytes_.data() + slot.offset, text.data(), text.size());
}

void Dictionary::InternBlock(const std::string_view* texts, std::uint64_t valid, std::size_t n,
                             std::int32_t* codes) {
  WEIR_DCHECK(n <= 64);
  std::uint32_t hashes[64];
  // A small dictionary is in the cache anyway. In a large one each value costs two misses, the slot
  // and the bytes; asked for early, those of all values overlap.
  const bool large = slots_.size() > kLargeSlots;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < n; ++i) {
    codes[i] = 0;
    if (((valid >> i) & 1U) == 0) continue;
    hashes[i] = HashOf(texts[i], seed_);
    if (large) __builtin_prefetch(&slots_[hashes[i] & mask]);
  }
  for (std::uint64_t rest = large ? valid : 0; rest != 0; rest &= rest - 1) {
    const Slot& slot = slots_[hashes[std::countr_zero(rest)] & mask];
    __builtin_prefetch(bytes_.data() + slot.offset);
  }
  for (std::uint64_t rest = valid; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(rest));
    const Slot& slot = slots_[hashes[i] & (slots_.size() - 1)];
    codes[i] = Holds(slot, texts[i], hashes[i]) ? slot.code : Probe(texts[i], hashes[i]);
  }
}

std::int32_t Dictionary::Probe(std::string_view text, std::uint32_t hash) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.code < 0) return Add(text, hash, &slot);
    if (Holds(slot, text, hash)) return slot.code;
  }
}

std::int32_t Dictionary::Add(std::string_view text, std::uint32_t hash, Slot* slot) {
  WEIR_CHECK(text.size() <= std::numeric_limits<std::int32_t>::max() - bytes_.size());
  const std::int32_t code = size();
  *slot = Slot{hash, code, static_cast<std::uint32_t>(bytes_.size()),
               static_cast<std::uint32_t>(text.size())};
  bytes_.Append(text.data(), text.size());
  offsets_.push_back(static_cast<std::int32_t>(bytes_.size()));
  if (static_cast<std::size_t>(code) * 2 >= slots_.size()) Rehash(slots_.size() * 2);
  return code;
}

std::size_t Dictionary::memory_bytes() const {
  return offsets_.capacity_bytes() + bytes_.capacity_bytes() + slots_.capacity_bytes();
}

void Dictionary::Reserve(std::size_t entries) {
  std::size_t slots = slots_.size();
  while (slots < entries * 2) slots *= 2;
  if (slots != slots_.size()) Rehash(slots);
}

void Dictionary::Rehash(std::size_t slots) {
  Buffer<Slot> grown;
  grown.Fill(slots, Slot{});
  const std::size_t mask = grown.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.code < 0) continue;
    std::size_t at = slot.hash & mask;
    while (grown[at].code >= 0) at = (at + 1) & mask;
    grown[at] = slot;
  }
  slots_ = std::move(grown);
}

// A dictionary of repeated values starts with many new ones, so the fewer the values seen the
// clearer the case must be.
bool PaysOff(const Dictionary& dictionary, std::uint64_t values) {
  if (dictionary.bytes().size() > kMaxDictionaryBytes) return false;
  const auto distinct = static_cast<std::uint64_t>(dictionary.size());
  if (values >= kManyValues && distinct * 2 > values) return false;
  return values < kFewValues || distinct * 16 <= values * 15;
}

}  // namespace weir
