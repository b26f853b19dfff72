#include "stream/active_users.h"

#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "stream/active_users_prints.h"
#include "stream/fingerprint.h"

namespace weir::stream {
namespace {

constexpr Micros kMinute = 60 * kMicrosPerSecond;
constexpr std::int64_t kShort = 5;  // minutes
constexpr std::int64_t kLong = 30;
constexpr std::size_t kAhead = 8;  // rows whose slots are asked for early
constexpr std::uint8_t kFormat = 1;
constexpr std::uint8_t kBase = 0;
constexpr std::uint8_t kDelta = 1;
constexpr std::size_t kPrintBytes = 16;

std::int64_t MinuteOf(Micros time) {
  const std::int64_t minute = time / kMinute;
  return time % kMinute < 0 ? minute - 1 : minute;
}

Error Damaged() {
  return Corrupt("the state of the active users is damaged or of another column",
                 ErrorCode::kStateCorrupt);
}

void WritePrints(std::int64_t minute, const std::vector<Fingerprint>& prints, WireWriter& out) {
  out.Zigzag(minute);
  out.Varint(prints.size());
  for (const Fingerprint& print : prints) {
    out.Fixed64(print.low);
    out.Fixed64(print.high);
  }
}

}  // namespace

// Minute m of the output counts the users of the minutes before it. A minute of events is `coming`
// until the watermark has passed it, then `recent` for half an hour. Of each recent user the last
// minute is known, so that a window is a sum over minutes and no user is counted twice.
class ActiveUsers::Impl {
 public:
  Impl(const Schema& rows, const ActiveUserRules& rules) : printer_(rows, {rules.user}) {}

  void Add(const Batch& batch, std::span<const EventRow> rows) {
    prints_.resize(rows.size());
    printer_.Compute(batch, rows, prints_);
    Coming* coming = nullptr;
    std::int64_t minute = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t at = MinuteOf(rows[i].event_time);
      if (coming == nullptr || at != minute) {
        if (at < given_out_ || prints_[i].is_none()) continue;
        coming = &coming_[at];
        minute = at;
      }
      if (i + kAhead < rows.size()) coming->users.Prefetch(prints_[i + kAhead]);
      if (prints_[i].is_none()) continue;
      if (coming->users.Insert(prints_[i])) coming->fresh.push_back(prints_[i]);
    }
  }

  void Close(Micros watermark, Batch* out) {
    if (watermark == kNoWatermark) return;
    const std::int64_t reached = MinuteOf(watermark);
    for (;;) {
      // Nobody was there in the half hour before: on to the next minute with events.
      if (recent_.empty() && coming_.empty()) return;
      const std::int64_t minute = recent_.empty() ? coming_.begin()->first + 1 : given_out_ + 1;
      if (minute > reached) return;
      Advance(minute);
      if (last_.size() != 0) Append(minute, out);
      given_out_ = minute;
    }
  }

  std::size_t bytes() const {
    std::size_t bytes = sizeof(*this) + last_.bytes() + prints_.capacity() * sizeof(Fingerprint);
    for (const auto& [minute, coming] : coming_) {
      bytes +=
          sizeof(coming) + coming.users.bytes() + coming.fresh.capacity() * sizeof(Fingerprint);
    }
    for (const auto& [minute, recent] : recent_) {
      bytes += sizeof(recent) + recent.users.capacity() * sizeof(Fingerprint);
    }
    for (const auto& [minute, fresh] : passed_) bytes += fresh.capacity() * sizeof(Fingerprint);
    return bytes;
  }

  void WriteDelta(WireWriter& out);
  void WriteBase(WireWriter& out);
  Status Read(WireReader& in);

 private:
  struct Coming {
    PrintSet users;
    std::vector<Fingerprint> fresh;  // since the last write or read
  };
  struct Recent {
    std::vector<Fingerprint> users;
    std::int64_t last_here = 0;  // how many have not been seen in a later minute
  };

  // The window of half an hour moves to end at `minute`.
  void Advance(std::int64_t minute) {
    if (auto node = coming_.extract(minute - 1); !node.empty()) {
      Recent recent{node.mapped().users.Prints(), 0};
      recent.last_here = static_cast<std::int64_t>(recent.users.size());
      for (const Fingerprint& user : recent.users) {
        const std::int64_t before = last_.Set(user, minute - 1);
        if (before != LastMinutes::kNever) --recent_.at(before).last_here;
      }
      if (!node.mapped().fresh.empty()) passed_[minute - 1] = std::move(node.mapped().fresh);
      recent_.emplace(minute - 1, std::move(recent));
    }
    while (!recent_.empty() && recent_.begin()->first < minute - kLong) {
      const auto node = recent_.extract(recent_.begin());
      for (const Fingerprint& user : node.mapped().users) last_.EraseIf(user, node.key());
    }
  }

  void Append(std::int64_t minute, Batch* out) const {
    std::int64_t users = 0;
    for (auto at = recent_.lower_bound(minute - kShort); at != recent_.end(); ++at) {
      users += at->second.last_here;
    }
    out->columns[0].AppendLong(minute * kMinute);
    out->columns[1].AppendLong(users);
    out->columns[2].AppendLong(static_cast<std::int64_t>(last_.size()));
    out->records.push_back(static_cast<std::uint32_t>(out->records.size()));
  }

  void WriteHeader(std::uint8_t kind, std::size_t minutes, WireWriter& out) const {
    out.Byte(kFormat);
    out.Byte(kind);
    out.Fixed64(printer_.key_id());
    out.Varint(minutes);
  }
  void ReadMinute(WireReader& in);
  void ForgetFresh() {
    passed_.clear();
    for (auto& [minute, coming] : coming_) coming.fresh = {};
  }

  Fingerprinter printer_;
  std::vector<Fingerprint> prints_;
  std::map<std::int64_t, Coming> coming_;
  std::map<std::int64_t, Recent> recent_;
  LastMinutes last_;                                         // of the users of recent_
  std::map<std::int64_t, std::vector<Fingerprint>> passed_;  // what was fresh when it passed
  std::int64_t given_out_ = std::numeric_limits<std::int64_t>::min();  // the latest minute
};

// --- state ------------------------------------------------------------
// Format, kind, what the users are, number of minutes; then for each minute of events its number
// and users. Minutes that are recent come back as coming ones: closing makes them recent again.

void ActiveUsers::Impl::WriteDelta(WireWriter& out) {
  std::size_t minutes = passed_.size();
  for (const auto& [minute, coming] : coming_) minutes += coming.fresh.empty() ? 0 : 1;
  WriteHeader(kDelta, minutes, out);
  for (const auto& [minute, fresh] : passed_) WritePrints(minute, fresh, out);
  for (const auto& [minute, coming] : coming_) {
    if (!coming.fresh.empty()) WritePrints(minute, coming.fresh, out);
  }
  ForgetFresh();
}

void ActiveUsers::Impl::WriteBase(WireWriter& out) {
  WriteHeader(kBase, recent_.size() + coming_.size(), out);
  for (const auto& [minute, recent] : recent_) WritePrints(minute, recent.users, out);
  for (const auto& [minute, coming] : coming_) WritePrints(minute, coming.users.Prints(), out);
  ForgetFresh();
}

Status ActiveUsers::Impl::Read(WireReader& in) {
  const std::uint8_t format = in.Byte();
  const std::uint8_t kind = in.Byte();
  const std::uint64_t key_id = in.Fixed64();
  const std::uint64_t minutes = in.Varint();
  if (!in.ok() || format != kFormat || kind > kDelta || key_id != printer_.key_id()) {
    in.Fail();
    return Damaged();
  }
  if (kind == kBase) {
    coming_.clear();
    recent_.clear();
    passed_.clear();
    last_ = {};
    given_out_ = std::numeric_limits<std::int64_t>::min();
  }
  for (std::uint64_t i = 0; i < minutes && in.ok(); ++i) ReadMinute(in);
  ForgetFresh();
  return in.ok() ? Ok() : Status(Damaged());
}

void ActiveUsers::Impl::ReadMinute(WireReader& in) {
  const std::int64_t minute = in.Zigzag();
  const std::uint64_t users = in.Varint();
  const std::int64_t least = MinuteOf(std::numeric_limits<Micros>::min());
  const std::int64_t most = MinuteOf(std::numeric_limits<Micros>::max());
  if (!in.ok() || minute < least || minute > most || users > in.remaining() / kPrintBytes) {
    return in.Fail();
  }
  Coming& coming = coming_[minute];
  for (std::uint64_t i = 0; i < users; ++i) {
    Fingerprint print;
    print.low = in.Fixed64();
    print.high = in.Fixed64();
    if (print.is_none()) return in.Fail();
    coming.users.Insert(print);
  }
}

// --- the port ------------------------------------------------------------

ActiveUsers::ActiveUsers(const Schema& rows, const ActiveUserRules& rules)
    : impl_(std::make_unique<Impl>(rows, rules)) {}
ActiveUsers::~ActiveUsers() = default;
ActiveUsers::ActiveUsers(ActiveUsers&&) noexcept = default;

void ActiveUsers::Add(const Batch& batch, std::span<const EventRow> rows) {
  impl_->Add(batch, rows);
}
void ActiveUsers::Close(Micros watermark, Batch* out) { impl_->Close(watermark, out); }
std::size_t ActiveUsers::bytes() const { return impl_->bytes(); }
void ActiveUsers::WriteDelta(WireWriter& out) { impl_->WriteDelta(out); }
void ActiveUsers::WriteBase(WireWriter& out) { impl_->WriteBase(out); }
Status ActiveUsers::Read(WireReader& in) { return impl_->Read(in); }

}  // namespace weir::stream
