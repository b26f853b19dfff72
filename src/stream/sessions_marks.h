#pragma once
// SessionMarks: by home partition, how many sessions are open, whether they changed since somebody
// asked, and which keys the next delta must tell of. Not thread safe.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "record/offsets.h"
#include "stream/sessions_keys.h"

namespace weir::stream {

class SessionMarks {
 public:
  void Opened(std::int32_t home) { ++At(home).sessions; }
  void Removed(std::int32_t home) { --At(home).sessions; }
  std::size_t sessions(std::int32_t home) { return At(home).sessions; }

  /// A session of this key there is new or changed.
  void Changed(KeyEntry* entry, std::int32_t home) {
    Marks& marks = At(home);
    marks.touched = true;
    if (entry->dirty_home == home && entry->dirty_round == marks.round) return;
    entry->dirty_home = home;
    entry->dirty_round = marks.round;
    marks.dirty.push_back(entry->index);
  }
  /// A session of this key is no longer there.
  void Left(const KeyEntry& entry, std::int32_t home) {
    Marks& marks = At(home);
    marks.touched = true;
    // What no state tells of needs no mention that it is gone.
    if (entry.written) marks.left.emplace_back(entry.key);
  }

  std::set<Partition> TakeTouched();

  struct Delta {
    std::vector<KeyEntry*> changed;  // each once
    std::vector<std::string> gone;   // keys that have no session anywhere
  };
  Delta TakeDelta(std::int32_t home, SessionKeys* keys);
  void ForgetDelta(std::int32_t home);

  std::size_t bytes() const;

 private:
  struct Marks {
    std::size_t sessions = 0;
    bool touched = false;
    std::uint32_t round = 0;           // counts deltas
    std::vector<std::uint32_t> dirty;  // indexes of entries, which may be another key's by now
    std::vector<std::string> left;     // keys
  };
  Marks& At(std::int32_t home) {
    if (last_ == nullptr || last_home_ != home) {
      last_ = &homes_[home];
      last_home_ = home;
    }
    return *last_;
  }

  std::map<std::int32_t, Marks> homes_;
  Marks* last_ = nullptr;  // the one used last; nodes of a map stay where they are
  std::int32_t last_home_ = 0;
};

}  // namespace weir::stream
