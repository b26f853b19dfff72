#pragma once
// DueKeys: which keys to look at when the watermark has reached a time. A key stands in the list of
// the eight seconds of its earliest end, or in a list before that: sessions grow without telling,
// and a key that is met too early is put back. So closing costs what closes, not what is open. Not
// thread safe.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "stream/sessions_keys.h"

namespace weir::stream {

Micros EarliestEnd(const KeyEntry& entry);

class DueKeys {
 public:
  /// The key has a session with this end. No effect when it is listed before that.
  void Put(KeyEntry* entry, Micros end);
  /// Takes the keys that may have a session with end <= `last`.
  std::vector<KeyEntry*> TakeUntil(Micros last, SessionKeys* keys);
  /// Least end of all sessions; nullopt: there are none.
  std::optional<Micros> Earliest(SessionKeys* keys);
  std::size_t bytes() const;

 private:
  std::map<std::int64_t, std::vector<std::uint32_t>> lists_;  // by span; indexes of entries
  std::vector<std::uint32_t>* last_ = nullptr;                // the list used last
  std::int64_t last_span_ = 0;
};

}  // namespace weir::stream
