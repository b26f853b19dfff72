#pragma once
// OpenSessions: the open sessions of all keys, and what rows do to them. Knows nothing of tables:
// rows of batches go in, sessions that end come out. Not thread safe.

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stream/event_row.h"
#include "stream/sessions_due.h"
#include "stream/sessions_input.h"
#include "stream/sessions_keys.h"
#include "stream/sessions_marks.h"
#include "stream/sessions_session.h"

namespace weir::stream {

class OpenSessions {
 public:
  OpenSessions(const Schema& rows, const std::string& event_type_field, const SessionRules& rules,
               const std::vector<std::string>& steps);

  void Add(const Batch& batch, std::span<const EventRow> rows);

  struct Ref {
    KeyEntry* entry;
    const Session* session;
  };
  struct Ended {
    std::int32_t home;
    Micros end;
    KeyEntry* entry;
    const Session* session;
  };
  /// Takes the sessions with end + gap < watermark: visit(some of them), home by home, in
  /// (end, key) order in each.
  template <typename Visit>
  void Close(Micros watermark, const Visit& visit) {
    constexpr std::size_t kBlock = 32;
    const std::vector<KeyEntry*> due = Due(watermark);
    const std::span<const Ended> all(ended_);
    for (std::size_t begin = 0; begin < all.size(); begin += kBlock) {
      const auto block = all.subspan(begin, std::min(kBlock, all.size() - begin));
      PrefetchBehind(begin + block.size(), block.size());
      visit(block);
      for (const Ended& ended : block) RemoveIfOnly(ended);
    }
    Remove(due);
  }

  /// Those of a home partition, key by key in no order. Good until the next change.
  const std::vector<Ref>& OpenOf(std::int32_t home);
  template <typename Visit>
  void Each(const Visit& visit) {
    keys_.Each([&](const KeyEntry& entry) { entry.Each(visit); });
  }

  /// Replaces the sessions that a key has in a home partition, when state is read. Changes no
  /// marks.
  void Replace(std::string_view key, std::int32_t home, std::vector<Session> sessions);
  /// Forgets all sessions of a home partition.
  void Clear(std::int32_t home);

  const SessionShape& shape() const { return shape_; }
  SharedTexts& texts() { return texts_; }
  SessionKeys& keys() { return keys_; }
  SessionMarks& marks() { return marks_; }
  const SessionInput& input() const { return input_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const;
  std::optional<Micros> earliest_end() { return due_.Earliest(&keys_); }
  std::int64_t keys_in_several_partitions() const { return keys_in_several_; }

 private:
  void AddRow(const EventRow& row, std::string_view key, std::uint64_t hash);
  void Place(KeyEntry* entry, const EventRow& row);
  void Start(KeyEntry* entry, const EventRow& row);
  void Fill(Session* session, const EventRow& row);
  void Extend(KeyEntry* entry, Session* session, const EventRow& row);
  void Join(KeyEntry* entry, std::size_t at);
  void Insert(KeyEntry* entry, std::unique_ptr<Session> session);
  std::unique_ptr<Session> Spare();
  void Keep(std::unique_ptr<Session> session);
  void Enter(KeyEntry* entry, const Session& session);
  template <typename Pick>
  bool Drop(KeyEntry* entry, const Pick& pick);
  std::vector<KeyEntry*> Due(Micros watermark);
  // The ended from this one on, whose order is not that of memory: what the next n point to, and
  // the n behind them.
  [[gnu::always_inline]] void PrefetchBehind(std::size_t begin, std::size_t n) const {
    for (std::size_t i = begin; i < std::min(begin + n, ended_.size()); ++i) {
      PrefetchValues(*ended_[i].session, 4);
      keys_.PrefetchSlot(ended_[i].entry->hash);
      if (i + n < ended_.size()) SessionKeys::PrefetchLines(*ended_[i + n].entry);
    }
  }
  void RemoveIfOnly(const Ended& ended);
  void Remove(const std::vector<KeyEntry*>& due);
  void ForgetRefs();
  void Count(Session* session, const EventRow& row);
  void Remember(Session* session, std::size_t first, std::size_t count, std::uint32_t row);
  bool Reaches(Micros earlier, Micros later) const;

  const Micros gap_;
  const Micros cell_;  // of `split`; 0: none
  SharedTexts texts_;
  SessionInput input_;
  SessionShape shape_;
  std::uint32_t step_types_ = 0;  // ids 1 to this one are the types of the funnel's steps
  SessionKeys keys_;
  DueKeys due_;
  SessionMarks marks_;
  std::size_t size_ = 0;
  std::size_t session_bytes_ = 0;                // outside of their entries
  std::vector<std::unique_ptr<Session>> spare_;  // of no key, for their memory
  std::size_t spare_bytes_ = 0;
  std::int64_t keys_in_several_ = 0;
  std::vector<Ended> ended_;                          // while closing, with an end of at most ...
  Micros last_end_ = 0;                               // ... this
  std::map<std::int32_t, std::vector<Ref>> by_home_;  // made when asked for, dropped on change
  bool by_home_is_good_ = false;
};

}  // namespace weir::stream
