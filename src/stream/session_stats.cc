#include "stream/session_stats.h"

#include <map>
#include <utility>

#include "base/check.h"
#include "stream/session_stats_spans.h"

namespace weir::stream {
namespace {

constexpr std::uint8_t kFormat = 1;
constexpr std::uint8_t kBase = 0;
constexpr std::uint8_t kDelta = 1;

Error Damaged() {
  return Corrupt("the state of the session statistics is damaged", ErrorCode::kStateCorrupt);
}

std::uint64_t Duration(const SessionFacts& session) {
  return static_cast<std::uint64_t>(session.end) - static_cast<std::uint64_t>(session.start);
}

}  // namespace

class SessionStats::Impl {
 public:
  Impl(const SessionStatsRules& rules, Micros gap) : size_(rules.size), gap_(gap) {
    WEIR_CHECK(size_ > 0 && gap_ >= 0);
  }

  void AddClosed(std::span<const SessionFacts> closed) {
    for (const SessionFacts& session : closed) {
      const std::int64_t window = WindowOf(session.end, size_);
      const bool bounce = session.events == 1;
      Count(window, Duration(session), bounce);
      ++logged_;
      log_.Zigzag(window);
      log_.Varint(Duration(session));
      log_.Byte(bounce ? 1 : 0);
    }
  }

  void Close(Micros watermark, Batch* out) {
    while (!windows_.empty() && IsComplete(windows_.begin()->first, watermark)) {
      const auto node = windows_.extract(windows_.begin());
      Append(node.key(), node.mapped(), out);
    }
  }

  std::size_t bytes() const {
    std::size_t bytes = sizeof(*this) + log_.bytes().capacity();
    for (const auto& [index, window] : windows_) {
      bytes += sizeof(std::int64_t) + sizeof(Window) + window.durations.heap_bytes();
    }
    return bytes;
  }

  // Format, kind and a number of entries. Delta: window, duration and whether it was a bounce, of
  // each session. Base: window, bounces, sessions and their durations, of each window.
  void WriteDelta(WireWriter& out) {
    out.Byte(kFormat);
    out.Byte(kDelta);
    out.Varint(logged_);
    out.Raw(log_.bytes());
    ForgetLog();
  }

  void WriteBase(WireWriter& out) {
    out.Byte(kFormat);
    out.Byte(kBase);
    out.Varint(windows_.size());
    for (auto& [index, window] : windows_) {
      out.Zigzag(index);
      out.Varint(static_cast<std::uint64_t>(window.bounces));
      out.Varint(window.durations.size());
      window.durations.Write(out);
    }
    ForgetLog();
  }

  Status Read(WireReader& in) {
    const std::uint8_t format = in.Byte();
    const std::uint8_t kind = in.Byte();
    const std::uint64_t entries = in.Varint();
    if (!in.ok() || format != kFormat || kind > kDelta) {
      in.Fail();
      return Damaged();
    }
    if (kind == kBase) windows_.clear();
    for (std::uint64_t i = 0; i < entries && in.ok(); ++i) {
      kind == kBase ? ReadWindow(in) : ReadSession(in);
    }
    ForgetLog();
    return in.ok() ? Ok() : Status(Damaged());
  }

 private:
  struct Window {
    std::int64_t bounces = 0;
    Spans durations;
  };

  void Count(std::int64_t index, std::uint64_t duration, bool bounce) {
    Window& window = windows_[index];
    window.durations.Add(duration);
    if (bounce) ++window.bounces;
  }

  bool IsComplete(std::int64_t index, Micros watermark) const {
    return Int128{watermark} >= Int128{WindowEnd(index, size_)} + gap_;
  }

  void Append(std::int64_t index, Window& window, Batch* out) const {
    out->columns[0].AppendLong(WindowStart(index, size_));
    out->columns[1].AppendLong(WindowEnd(index, size_));
    out->columns[2].AppendLong(static_cast<std::int64_t>(window.durations.size()));
    out->columns[3].AppendDouble(SecondsOf(window.durations.Rank(1, 2)));
    out->columns[4].AppendDouble(SecondsOf(window.durations.Rank(9, 10)));
    out->columns[5].AppendLong(window.bounces);
    out->records.push_back(static_cast<std::uint32_t>(out->records.size()));
  }

  void ReadWindow(WireReader& in) {
    const std::int64_t index = in.Zigzag();
    const std::uint64_t bounces = in.Varint();
    const std::uint64_t sessions = in.Varint();
    if (sessions == 0 || bounces > sessions || sessions > in.remaining()) return in.Fail();
    Window window;
    window.bounces = static_cast<std::int64_t>(bounces);
    window.durations.Read(sessions, in);
    if (in.ok() && !windows_.emplace(index, std::move(window)).second) in.Fail();
  }

  void ReadSession(WireReader& in) {
    const std::int64_t index = in.Zigzag();
    const std::uint64_t duration = in.Varint();
    const std::uint8_t bounce = in.Byte();
    if (bounce > 1) in.Fail();
    if (in.ok()) Count(index, duration, bounce == 1);
  }

  void ForgetLog() {
    log_ = WireWriter();
    logged_ = 0;
  }

  const Micros size_;
  const Micros gap_;
  std::map<std::int64_t, Window> windows_;
  WireWriter log_;  // sessions since the last write or read, as a delta has them
  std::uint64_t logged_ = 0;
};

SessionStats::SessionStats(const SessionStatsRules& rules, Micros gap)
    : impl_(std::make_unique<Impl>(rules, gap)) {}
SessionStats::~SessionStats() = default;
SessionStats::SessionStats(SessionStats&&) noexcept = default;

void SessionStats::AddClosed(std::span<const SessionFacts> closed) { impl_->AddClosed(closed); }
void SessionStats::Close(Micros watermark, Batch* out) { impl_->Close(watermark, out); }
std::size_t SessionStats::bytes() const { return impl_->bytes(); }
void SessionStats::WriteDelta(WireWriter& out) { impl_->WriteDelta(out); }
void SessionStats::WriteBase(WireWriter& out) { impl_->WriteBase(out); }
Status SessionStats::Read(WireReader& in) { return impl_->Read(in); }

}  // namespace weir::stream
