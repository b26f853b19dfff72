#include "stream/funnel.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "base/check.h"
#include "stream/session_stats_spans.h"

namespace weir::stream {
namespace {

constexpr std::uint8_t kFormat = 1;
constexpr std::uint8_t kBase = 0;
constexpr std::uint8_t kDelta = 1;

Error Damaged() {
  return Corrupt("the state of the funnel is damaged or of other steps", ErrorCode::kStateCorrupt);
}

// A session's time from its first step to a further one.
std::uint64_t SpanTo(const SessionFacts& session, std::size_t step) {
  return static_cast<std::uint64_t>(session.step_times[step]) -
         static_cast<std::uint64_t>(session.step_times[0]);
}

// One row of a window that is not final, to see whether anything changed.
struct OpenRow {
  std::int64_t window = 0;
  std::size_t step = 0;
  std::int64_t sessions = 0;
  std::int64_t first = 0;     // sessions of step 1
  std::int64_t previous = 0;  // sessions of the step before
  std::optional<std::uint64_t> median;
  bool operator==(const OpenRow&) const = default;
};

}  // namespace

class Funnel::Impl {
 public:
  explicit Impl(const FunnelRules& rules) : steps_(rules.steps), size_(rules.size) {
    WEIR_CHECK(size_ > 0 && !steps_.empty());
  }

  void AddClosed(std::span<const SessionFacts> closed) {
    for (const SessionFacts& session : closed) {
      WEIR_CHECK(session.step_times.size() <= steps_.size());
      const std::int64_t window = WindowOf(session.start, size_);
      Count(session, &windows_.try_emplace(window, steps_.size()).first->second);
      ++logged_;
      log_.Zigzag(window);
      log_.Varint(session.step_times.size());
      for (std::size_t k = 1; k < session.step_times.size(); ++k) log_.Varint(SpanTo(session, k));
    }
  }

  bool Cut(Micros watermark, std::span<const SessionFacts> open, Batch* final_rows,
           Batch* open_rows) {
    std::map<std::int64_t, OpenPart> parts = PartsOf(open);
    std::vector<OpenRow> rows;
    for (auto at = windows_.begin(); at != windows_.end();) {
      const std::int64_t index = at->first;
      const bool is_final = watermark > WindowEnd(index, size_) && !parts.contains(index);
      if (!is_final) {
        parts.try_emplace(index, steps_.size());  // so that all windows come in one order below
        ++at;
        continue;
      }
      std::vector<OpenRow> last = RowsOf(index, &at->second, OpenPart(steps_.size()));
      for (const OpenRow& row : last) Append(row, true, final_rows);
      at = windows_.erase(at);
    }
    for (const auto& [index, part] : parts) {
      const auto closed = windows_.find(index);
      const std::vector<OpenRow> more =
          RowsOf(index, closed == windows_.end() ? nullptr : &closed->second, part);
      rows.insert(rows.end(), more.begin(), more.end());
    }
    for (const OpenRow& row : rows) Append(row, false, open_rows);
    const bool differ = rows != last_rows_;
    last_rows_ = std::move(rows);
    return differ;
  }

  std::size_t bytes() const {
    std::size_t bytes =
        sizeof(*this) + log_.bytes().capacity() + last_rows_.capacity() * sizeof(OpenRow);
    for (const auto& [index, window] : windows_) {
      bytes += sizeof(std::int64_t) + sizeof(Window) +
               window.reached.capacity() * sizeof(std::int64_t) +
               window.spans.capacity() * sizeof(Spans);
      for (const Spans& spans : window.spans) bytes += spans.heap_bytes();
    }
    return bytes;
  }

  void WriteDelta(WireWriter& out);
  void WriteBase(WireWriter& out);
  Status Read(WireReader& in);

 private:
  // Closed sessions that start in a window.
  struct Window {
    explicit Window(std::size_t steps) : reached(steps, 0), spans(steps) {}
    std::int64_t sessions = 0;
    std::vector<std::int64_t> reached;  // by step: how many sessions
    std::vector<Spans> spans;           // by step, from the first step; nothing for that one
  };
  // Open sessions that start in a window.
  struct OpenPart {
    explicit OpenPart(std::size_t steps) : reached(steps, 0), spans(steps) {}
    std::vector<std::int64_t> reached;
    std::vector<std::vector<std::uint64_t>> spans;  // sorted
  };

  static void Count(const SessionFacts& session, Window* window) {
    ++window->sessions;
    for (std::size_t k = 0; k < session.step_times.size(); ++k) {
      ++window->reached[k];
      if (k != 0) window->spans[k].Add(SpanTo(session, k));
    }
  }

  std::map<std::int64_t, OpenPart> PartsOf(std::span<const SessionFacts> open) const {
    std::map<std::int64_t, OpenPart> parts;
    for (const SessionFacts& session : open) {
      OpenPart& part =
          parts.try_emplace(WindowOf(session.start, size_), steps_.size()).first->second;
      for (std::size_t k = 0; k < session.step_times.size(); ++k) {
        ++part.reached[k];
        if (k != 0) part.spans[k].push_back(SpanTo(session, k));
      }
    }
    for (auto& [index, part] : parts) {
      for (std::vector<std::uint64_t>& spans : part.spans) std::sort(spans.begin(), spans.end());
    }
    return parts;
  }

  // `closed` may be nullptr.
  std::vector<OpenRow> RowsOf(std::int64_t index, Window* closed, const OpenPart& part) const {
    std::vector<OpenRow> rows(steps_.size());
    Spans none;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      OpenRow& row = rows[k];
      row = {.window = index, .step = k, .sessions = part.reached[k], .median = std::nullopt};
      if (closed != nullptr) row.sessions += closed->reached[k];
      row.first = rows[0].sessions;
      row.previous = rows[k == 0 ? 0 : k - 1].sessions;
      if (row.sessions == 0) continue;
      row.median = 0;
      if (k != 0) row.median = (closed ? closed->spans[k] : none).Rank(part.spans[k], 1, 2);
    }
    return rows;
  }

  void Append(const OpenRow& row, bool is_final, Batch* out) const {
    const auto ratio = [](std::int64_t part, std::int64_t whole, Column* column) {
      if (whole == 0) return column->AppendNull();
      column->AppendDouble(static_cast<double>(part) / static_cast<double>(whole));
    };
    out->columns[0].AppendLong(WindowStart(row.window, size_));
    out->columns[1].AppendLong(WindowEnd(row.window, size_));
    out->columns[2].AppendInt(static_cast<std::int32_t>(row.step) + 1);
    out->columns[3].AppendString(steps_[row.step]);
    out->columns[4].AppendLong(row.sessions);
    ratio(row.sessions, row.first, &out->columns[5]);
    ratio(row.sessions, row.previous, &out->columns[6]);
    if (row.median) {
      out->columns[7].AppendDouble(SecondsOf(*row.median));
    } else {
      out->columns[7].AppendNull();
    }
    out->columns[8].AppendBoolean(is_final);
    out->records.push_back(static_cast<std::uint32_t>(out->records.size()));
  }

  void ReadWindow(WireReader& in);
  void ReadSession(WireReader& in);
  void ForgetLog() {
    log_ = WireWriter();
    logged_ = 0;
  }

  const std::vector<std::string> steps_;
  const Micros size_;
  std::map<std::int64_t, Window> windows_;
  std::vector<OpenRow> last_rows_;
  WireWriter log_;  // closed sessions since the last write or read, as a delta has them
  std::uint64_t logged_ = 0;
};

// --- state ------------------------------------------------------------
// Format, kind, number of steps and of entries. Delta, for each session: window, number of steps
// that it reached, spans from the first to each further one. Base, for each window: sessions, then
// for each step how many reached it and their spans.

void Funnel::Impl::WriteDelta(WireWriter& out) {
  out.Byte(kFormat);
  out.Byte(kDelta);
  out.Varint(steps_.size());
  out.Varint(logged_);
  out.Raw(log_.bytes());
  ForgetLog();
}

void Funnel::Impl::WriteBase(WireWriter& out) {
  out.Byte(kFormat);
  out.Byte(kBase);
  out.Varint(steps_.size());
  out.Varint(windows_.size());
  for (auto& [index, window] : windows_) {
    out.Zigzag(index);
    out.Varint(static_cast<std::uint64_t>(window.sessions));
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      out.Varint(static_cast<std::uint64_t>(window.reached[k]));
      window.spans[k].Write(out);
    }
  }
  ForgetLog();
}

Status Funnel::Impl::Read(WireReader& in) {
  const std::uint8_t format = in.Byte();
  const std::uint8_t kind = in.Byte();
  const std::uint64_t steps = in.Varint();
  const std::uint64_t entries = in.Varint();
  if (!in.ok() || format != kFormat || kind > kDelta || steps != steps_.size()) {
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

void Funnel::Impl::ReadWindow(WireReader& in) {
  constexpr std::uint64_t kMostSessions = std::uint64_t{1} << 56;
  const std::int64_t index = in.Zigzag();
  std::uint64_t before = in.Varint();
  if (before == 0 || before > kMostSessions) return in.Fail();
  Window window(steps_.size());
  window.sessions = static_cast<std::int64_t>(before);
  for (std::size_t k = 0; k < steps_.size() && in.ok(); ++k) {
    const std::uint64_t reached = in.Varint();
    if (reached > before) return in.Fail();
    window.reached[k] = static_cast<std::int64_t>(reached);
    if (k != 0) window.spans[k].Read(reached, in);
    before = reached;
  }
  if (in.ok() && !windows_.emplace(index, std::move(window)).second) in.Fail();
}

void Funnel::Impl::ReadSession(WireReader& in) {
  const std::int64_t index = in.Zigzag();
  const std::uint64_t reached = in.Varint();
  if (reached > steps_.size()) return in.Fail();
  std::vector<std::uint64_t> spans;
  for (std::size_t k = 1; k < reached; ++k) spans.push_back(in.Varint());
  if (!in.ok()) return;
  Window& window = windows_.try_emplace(index, steps_.size()).first->second;
  ++window.sessions;
  for (std::size_t k = 0; k < reached; ++k) {
    ++window.reached[k];
    if (k != 0) window.spans[k].Add(spans[k - 1]);
  }
}

// --- the port ------------------------------------------------------------

Funnel::Funnel(const FunnelRules& rules) : impl_(std::make_unique<Impl>(rules)) {}
Funnel::~Funnel() = default;
Funnel::Funnel(Funnel&&) noexcept = default;

void Funnel::AddClosed(std::span<const SessionFacts> closed) { impl_->AddClosed(closed); }
bool Funnel::Cut(Micros watermark, std::span<const SessionFacts> open, Batch* final_rows,
                 Batch* open_rows) {
  return impl_->Cut(watermark, open, final_rows, open_rows);
}
std::size_t Funnel::bytes() const { return impl_->bytes(); }
void Funnel::WriteDelta(WireWriter& out) { impl_->WriteDelta(out); }
void Funnel::WriteBase(WireWriter& out) { impl_->WriteBase(out); }
Status Funnel::Read(WireReader& in) { return impl_->Read(in); }

}  // namespace weir::stream
