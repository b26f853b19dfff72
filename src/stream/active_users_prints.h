#pragma once
// PrintSet and LastMinutes: flat tables of fingerprints, and of the last minute of each. No
// allocation a key. Not thread safe.

#include <cstdint>
#include <vector>

#include "stream/fingerprint.h"

namespace weir::stream {

class PrintSet {
 public:
  /// Whether it is new.
  bool Insert(const Fingerprint& print);
  void Prefetch(const Fingerprint& print) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[print.low & (slots_.size() - 1)]);
  }
  std::size_t size() const { return size_; }
  std::vector<Fingerprint> Prints() const;
  std::size_t bytes() const { return slots_.capacity() * sizeof(Fingerprint); }

 private:
  void Grow();
  std::vector<Fingerprint> slots_;  // open addressing, a power of two; none = empty
  std::size_t size_ = 0;
};

class LastMinutes {
 public:
  static constexpr std::int64_t kNever = INT64_MIN;
  /// The minute before, or kNever.
  std::int64_t Set(const Fingerprint& print, std::int64_t minute);
  /// Forgets the print if this is its last minute; whether it was.
  bool EraseIf(const Fingerprint& print, std::int64_t minute);
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    Fingerprint print;
    std::int64_t minute = kNever;
  };
  std::size_t Home(const Fingerprint& print) const { return print.low & (slots_.size() - 1); }
  void Grow();
  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace weir::stream
