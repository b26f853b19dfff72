#include "stream/sessions_open.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/check.h"

namespace weir::stream {
namespace {

// Rows whose keys are looked up together.
constexpr std::size_t kBlock = 32;

Micros CellOf(SessionSplit split) {
  switch (split) {
    case SessionSplit::kNone:
      return 0;
    case SessionSplit::kHour:
      return kMicrosPerDay / 24;
    case SessionSplit::kDay:
      return kMicrosPerDay;
  }
  return 0;
}

std::int64_t FloorDivide(Micros time, Micros size) {
  const std::int64_t quotient = time / size;
  return time % size < 0 ? quotient - 1 : quotient;
}

RowPlace PlaceOf(const EventRow& row) {
  return {row.event_time, row.offset.value(), row.partition.value()};
}

}  // namespace

OpenSessions::OpenSessions(const Schema& rows, const std::string& event_type_field,
                           const SessionRules& rules, const std::vector<std::string>& steps)
    : gap_(rules.gap), cell_(CellOf(rules.split)), input_(rows, event_type_field, rules) {
  WEIR_CHECK(gap_ >= 0);
  shape_.firsts = input_.firsts();
  shape_.lasts = input_.lasts();
  // The first texts of all, so they have the same ids in each process; held for ever.
  for (const std::string& step : steps) {
    shape_.steps.push_back(texts_.Hold(step));
    step_types_ = std::max(step_types_, shape_.steps.back());
  }
  if (!rules.value_event.empty()) input_.SetValueType(texts_.Hold(rules.value_event));
}

void OpenSessions::Add(const Batch& batch, std::span<const EventRow> rows) {
  if (rows.empty()) return;
  ForgetRefs();
  input_.Open(batch, &texts_);
  // A key costs a miss for its slot, some for its entry, and one for what the entry points to.
  // Asked for in rounds, those of a block overlap.
  std::array<std::string_view, kBlock> keys;
  std::array<std::uint64_t, kBlock> hashes;
  std::array<const KeyEntry*, kBlock> entries;
  for (std::size_t done = 0; done < rows.size(); done += kBlock) {
    const auto block = rows.subspan(done, std::min(kBlock, rows.size() - done));
    for (std::size_t i = 0; i < block.size(); ++i) {
      keys[i] = input_.Key(block[i].row);
      hashes[i] = TextHash(keys[i]);
      keys_.PrefetchSlot(hashes[i]);
    }
    for (std::size_t i = 0; i < block.size(); ++i) entries[i] = keys_.PrefetchEntry(hashes[i]);
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (entries[i] == nullptr) continue;
      PrefetchValues(entries[i]->latest, 2);
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
      // The bytes of a key that is no text are good until the next one.
      AddRow(block[i], input_.key_is_text() ? keys[i] : input_.Key(block[i].row), hashes[i]);
    }
  }
}

void OpenSessions::AddRow(const EventRow& row, std::string_view key, std::uint64_t hash) {
  KeyEntry* entry = keys_.Find(key, hash);
  const std::int32_t partition = row.partition.value();
  if (entry == nullptr) {
    entry = keys_.Add(key, hash);
    entry->partition = partition;
    return Start(entry, row);
  }
  if (partition != entry->partition && !entry->several) {
    entry->several = true;
    ++keys_in_several_;
  }
  Place(entry, row);
}

// Whether two times may stand in one session when nothing is between them.
bool OpenSessions::Reaches(Micros earlier, Micros later) const {
  const auto apart = static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier);
  if (later > earlier && apart > static_cast<std::uint64_t>(gap_)) return false;
  return cell_ == 0 || FloorDivide(earlier, cell_) == FloorDivide(later, cell_);
}

// A row meets at most two sessions of its key: the last that starts at or before it, and the next.
void OpenSessions::Place(KeyEntry* entry, const EventRow& row) {
  const Micros time = row.event_time;
  if (time >= entry->latest.start()) {
    if (Reaches(entry->latest.end(), time)) return Extend(entry, &entry->latest, row);
    return Start(entry, row);
  }
  // Sessions by number: those in `earlier`, then `latest`.
  const std::size_t others = entry->earlier.size();
  std::size_t next = 0;
  Session* before = nullptr;
  Session* after = &entry->latest;
  if (others != 0) {
    const auto& list = entry->earlier;
    const auto found = std::upper_bound(
        list.begin(), list.end(), time,
        [](Micros at, const std::unique_ptr<Session>& session) { return at < session->start(); });
    next = static_cast<std::size_t>(found - list.begin());
    if (next != 0) before = list[next - 1].get();
    if (next != others) after = list[next].get();
  }
  const bool extends_before = before != nullptr && Reaches(before->end(), time);
  const bool extends_after = Reaches(time, after->start());
  if (extends_before) {
    Extend(entry, before, row);
    if (extends_after) Join(entry, next - 1);
  } else if (extends_after) {
    Extend(entry, after, row);
  } else {
    Start(entry, row);
  }
}

void OpenSessions::Start(KeyEntry* entry, const EventRow& row) {
  if (entry->latest.events == 0) {  // a new entry
    Fill(&entry->latest, row);
    Enter(entry, entry->latest);
  } else {
    std::unique_ptr<Session> session = Spare();
    Fill(session.get(), row);
    Insert(entry, std::move(session));
  }
  marks_.Changed(entry, row.partition.value());
}

// Makes it a session of one row.
void OpenSessions::Fill(Session* session, const EventRow& row) {
  session->first = session->last = PlaceOf(row);
  session->home = row.partition.value();
  session->lowest_offset = row.offset.value();
  // Those that rows change come first in the block.
  Remember(session, shape_.firsts, shape_.lasts, row.row);
  Remember(session, 0, shape_.firsts, row.row);
  Count(session, row);
}

void OpenSessions::Enter(KeyEntry* entry, const Session& session) {
  ++size_;
  session_bytes_ += session.heap_bytes();
  marks_.Opened(session.home);
  due_.Put(entry, session.end());
}

void OpenSessions::Extend(KeyEntry* entry, Session* session, const EventRow& row) {
  session_bytes_ -= session->heap_bytes();
  const RowPlace place = PlaceOf(row);
  if (place.Before(session->first)) {
    session->first = place;
    Remember(session, 0, shape_.firsts, row.row);
  }
  if (session->last.Before(place)) {
    session->last = place;
    Remember(session, shape_.firsts, shape_.lasts, row.row);
  }
  if (place.partition != session->home) session->several = true;
  if (session->IsLowest(place.partition, place.offset)) {
    if (place.partition != session->home) {
      marks_.Left(*entry, session->home);
      marks_.Removed(session->home);
      marks_.Opened(place.partition);
      session->home = place.partition;
    }
    session->lowest_offset = place.offset;
  }
  Count(session, row);
  session_bytes_ += session->heap_bytes();
  marks_.Changed(entry, session->home);
}

void OpenSessions::Count(Session* session, const EventRow& row) {
  ++session->events;
  const SharedTexts::Id type = input_.EventType(row.row, &texts_);
  if (type == 0) return;
  session->Count(type, 1, &texts_);
  if (type == input_.value_type()) {
    const auto value = input_.Worth(row.row);
    if (value) session->AddValue(*value);
    if (!value) session->value_lost = true;
  }
  if (type <= step_types_) {
    session->steps.Add({row.event_time, row.offset.value(), row.partition.value(), type},
                       shape_.steps);
  }
}

// Sets values [first, first + count) of the session from the row.
void OpenSessions::Remember(Session* session, std::size_t first, std::size_t count,
                            std::uint32_t row) {
  for (std::size_t i = first; i < first + count; ++i) {
    session->values.Set(i, input_.Value(i, row), shape_.values());
  }
}

// Merges the session with number at + 1 into the one with number `at`, which is an earlier one.
void OpenSessions::Join(KeyEntry* entry, std::size_t at) {
  auto& list = entry->earlier;
  Session left = std::move(*list[at]);
  const bool with_latest = at + 1 == list.size();
  Session right = std::move(with_latest ? entry->latest : *list[at + 1]);
  session_bytes_ -= left.heap_bytes() + right.heap_bytes();
  for (const Session* part : {&left, &right}) {
    marks_.Removed(part->home);
    marks_.Left(*entry, part->home);
  }
  left.Merge(std::move(right), shape_, &texts_);
  session_bytes_ += left.heap_bytes();
  marks_.Opened(left.home);
  --size_;
  marks_.Changed(entry, left.home);
  if (with_latest) {
    entry->latest = std::move(left);
    list.pop_back();
  } else {
    *list[at] = std::move(left);
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

void OpenSessions::Insert(KeyEntry* entry, std::unique_ptr<Session> session) {
  Enter(entry, *session);
  auto& list = entry->earlier;
  if (session->start() >= entry->latest.start()) {
    std::swap(*session, entry->latest);
    list.push_back(std::move(session));
    return;
  }
  const auto next = std::upper_bound(
      list.begin(), list.end(), session->start(),
      [](Micros at, const std::unique_ptr<Session>& other) { return at < other->start(); });
  list.insert(next, std::move(session));
}

std::unique_ptr<Session> OpenSessions::Spare() {
  if (spare_.empty()) return std::make_unique<Session>();
  std::unique_ptr<Session> session = std::move(spare_.back());
  spare_.pop_back();
  spare_bytes_ -= sizeof(Session) + session->heap_bytes();
  return session;
}

void OpenSessions::Keep(std::unique_ptr<Session> session) {
  session->Reset(shape_);
  spare_bytes_ += sizeof(Session) + session->heap_bytes();
  spare_.push_back(std::move(session));
}

// Drops the sessions that are picked; true when the entry has none left.
template <typename Pick>
bool OpenSessions::Drop(KeyEntry* entry, const Pick& pick) {
  const auto drop = [&](Session* session) {
    --size_;
    session_bytes_ -= session->heap_bytes();
    marks_.Removed(session->home);
    session->Release(&texts_);
  };
  auto& list = entry->earlier;
  std::size_t kept = 0;
  for (auto& session : list) {
    if (pick(*session)) {
      drop(session.get());
      Keep(std::move(session));
    } else {
      list[kept++].swap(session);
    }
  }
  list.resize(kept);
  if (!pick(entry->latest)) return false;
  drop(&entry->latest);
  if (list.empty()) {
    entry->latest.Reset(shape_);
    return true;
  }
  std::swap(entry->latest, *list.back());
  Keep(std::move(list.back()));
  list.pop_back();
  return false;
}

// Finds the sessions that end, and gives the keys that may have one.
std::vector<KeyEntry*> OpenSessions::Due(Micros watermark) {
  ended_.clear();
  // end + gap < watermark, where no sum can overflow.
  if (watermark <= std::numeric_limits<Micros>::min() + gap_ + 1) return {};
  last_end_ = watermark - gap_ - 1;
  std::vector<KeyEntry*> due = due_.TakeUntil(last_end_, &keys_);
  for (KeyEntry* entry : due) {
    entry->Each([&](const Session& session) {
      if (session.end() > last_end_) return;
      ended_.push_back({session.home, session.end(), entry, &session});
    });
  }
  std::sort(ended_.begin(), ended_.end(), [](const Ended& a, const Ended& b) {
    if (a.home != b.home) return a.home < b.home;
    return a.end != b.end ? a.end < b.end : a.entry->key < b.entry->key;
  });
  return due;
}

// Takes the key away where that was its only session, while it is in the cache.
void OpenSessions::RemoveIfOnly(const Ended& ended) {
  marks_.Left(*ended.entry, ended.home);
  if (!ended.entry->earlier.empty()) return;
  Drop(ended.entry, [](const Session&) { return true; });
  keys_.Remove(ended.entry);
}

void OpenSessions::Remove(const std::vector<KeyEntry*>& due) {
  for (KeyEntry* entry : due) {
    if (!entry->live) continue;
    if (Drop(entry, [&](const Session& session) { return session.end() <= last_end_; })) {
      keys_.Remove(entry);
    } else {
      due_.Put(entry, EarliestEnd(*entry));
    }
  }
  if (!ended_.empty()) ForgetRefs();
  ended_.clear();
}

void OpenSessions::ForgetRefs() {
  by_home_is_good_ = false;
  for (auto& [home, refs] : by_home_) refs.clear();
}

const std::vector<OpenSessions::Ref>& OpenSessions::OpenOf(std::int32_t home) {
  if (!by_home_is_good_) {
    keys_.Each([&](KeyEntry& entry) {
      entry.Each([&](const Session& session) {
        by_home_[session.home].push_back({&entry, &session});
      });
    });
    by_home_is_good_ = true;
  }
  return by_home_[home];
}

void OpenSessions::Replace(std::string_view key, std::int32_t home, std::vector<Session> sessions) {
  ForgetRefs();
  const std::uint64_t hash = TextHash(key);
  KeyEntry* entry = keys_.Find(key, hash);
  if (entry != nullptr) {
    if (Drop(entry, [&](const Session& session) { return session.home == home; })) {
      keys_.Remove(entry);
      entry = nullptr;
    }
  }
  for (Session& session : sessions) {
    if (entry == nullptr) {
      entry = keys_.Add(key, hash);
      entry->partition = home;
    }
    entry->written = true;
    if (session.several || home != entry->partition) entry->several = true;
    if (entry->latest.events == 0) {  // a new entry
      entry->latest = std::move(session);
      Enter(entry, entry->latest);
    } else {
      Insert(entry, std::make_unique<Session>(std::move(session)));
    }
  }
}

void OpenSessions::Clear(std::int32_t home) {
  if (marks_.sessions(home) == 0) return;
  std::vector<std::string> keys;
  for (const Ref& ref : OpenOf(home)) keys.push_back(ref.entry->key);
  for (const std::string& key : keys) Replace(key, home, {});
}

std::size_t OpenSessions::bytes() const {
  std::size_t refs = 0;
  for (const auto& [home, list] : by_home_) refs += list.capacity() * sizeof(Ref);
  constexpr std::size_t kFurtherSession = sizeof(Session) + 3 * sizeof(void*);
  return texts_.bytes() + input_.bytes() + keys_.bytes() + due_.bytes() + marks_.bytes() +
         session_bytes_ + spare_bytes_ + (size_ - keys_.size()) * kFurtherSession + refs;
}

}  // namespace weir::stream
