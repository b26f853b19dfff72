#include "stream/sessions_marks.h"

#include <algorithm>
#include <utility>

#include "stream/sessions_texts.h"

namespace weir::stream {

std::set<Partition> SessionMarks::TakeTouched() {
  std::set<Partition> touched;
  for (auto& [home, marks] : homes_) {
    if (std::exchange(marks.touched, false)) touched.insert(Partition(home));
  }
  return touched;
}

SessionMarks::Delta SessionMarks::TakeDelta(std::int32_t home, SessionKeys* keys) {
  Marks& marks = At(home);
  Delta delta;
  delta.gone = std::move(marks.left);
  std::sort(delta.gone.begin(), delta.gone.end());
  delta.gone.erase(std::unique(delta.gone.begin(), delta.gone.end()), delta.gone.end());
  // A key that left and has sessions, here or elsewhere, is told of with those that are here.
  std::erase_if(delta.gone, [&](const std::string& key) {
    const KeyEntry* entry = keys->Find(key, TextHash(key));
    if (entry != nullptr) marks.dirty.push_back(entry->index);
    return entry != nullptr;
  });
  std::sort(marks.dirty.begin(), marks.dirty.end());
  marks.dirty.erase(std::unique(marks.dirty.begin(), marks.dirty.end()), marks.dirty.end());
  for (const std::uint32_t index : marks.dirty) {
    if (KeyEntry& entry = keys->At(index); entry.live) delta.changed.push_back(&entry);
  }
  ForgetDelta(home);
  return delta;
}

void SessionMarks::ForgetDelta(std::int32_t home) {
  Marks& marks = At(home);
  ++marks.round;
  marks.dirty.clear();
  marks.left.clear();
}

std::size_t SessionMarks::bytes() const {
  std::size_t bytes = 0;
  for (const auto& [home, marks] : homes_) {
    bytes += sizeof(Marks) + marks.dirty.capacity() * sizeof(std::uint32_t) +
             marks.left.capacity() * sizeof(std::string);
    for (const std::string& key : marks.left) {
      if (key.capacity() >= sizeof(std::string) / 2) bytes += key.capacity() + 1;
    }
  }
  return bytes;
}

}  // namespace weir::stream
