#include "stream/windows.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <xxhash.h>

#include "base/check.h"
#include "stream/state_frame.h"
#include "stream/window_groups.h"

namespace weir::stream {

namespace {

constexpr std::uint8_t kVersion = 1;

Error Damaged(std::string_view why) { return DamagedState("windows", why); }

WindowShape ShapeOf(const Schema& rows, const WindowRules& rules, const Schema& columns) {
  WindowShape shape;
  const auto find = [&](const std::string& name) {
    const auto index = rows.IndexOf(name);
    WEIR_CHECK(index.has_value());
    return *index;
  };
  for (const std::string& name : rules.by) {
    shape.by.push_back(find(name));
    shape.by_types.push_back(rows.fields[shape.by.back()].type);
  }
  WEIR_CHECK(columns.fields.size() == rules.by.size() + 2 + rules.aggregates.size());
  for (std::size_t i = 0; i < rules.aggregates.size(); ++i) {
    const Aggregate& aggregate = rules.aggregates[i];
    const bool of_rows = aggregate.kind == AggregateKind::kCount;
    const std::size_t column = of_rows ? 0 : find(aggregate.column);
    shape.values.push_back({aggregate.kind, column, rows.fields[column].type,
                            columns.fields[rules.by.size() + 2 + i].type});
  }
  return shape;
}

// State that was made by other rules is foreign.
std::uint64_t IdOf(const Schema& rows, const WindowRules& rules) {
  WireWriter text;
  const auto add = [&](const std::string& name) {
    text.Text(name);
    const auto index = rows.IndexOf(name);
    text.Text(index ? ToString(rows.fields[*index].type) : "");
  };
  text.Zigzag(rules.size);
  text.Zigzag(rules.offset);
  text.Varint(rules.by.size());
  for (const std::string& name : rules.by) add(name);
  for (const Aggregate& aggregate : rules.aggregates) {
    text.Byte(static_cast<std::uint8_t>(aggregate.kind));
    add(aggregate.column);
  }
  return XXH3_64bits(text.bytes().data(), text.size());
}

}  // namespace

class Windows::Impl {
 public:
  Impl(const Schema& rows, const WindowRules& rules, const Schema& columns)
      : size_(rules.size),
        offset_(rules.offset),
        id_(IdOf(rows, rules)),
        shape_(ShapeOf(rows, rules, columns)) {
    WEIR_CHECK(size_ > 0);
  }

  void Add(const Batch& batch, std::span<const EventRow> rows, std::vector<EventRow>* late) {
    // Rows come almost in order: most are in the window of the row before.
    Micros start = 0;
    Micros end = 0;
    WindowGroups* window = nullptr;
    for (const EventRow& row : rows) {
      if (row.event_time < start || row.event_time >= end) {
        start = StartOf(row.event_time);
        end = start + size_;
        window = nullptr;
      }
      if (late != nullptr && end <= row.watermark) {
        late->push_back(row);
        continue;
      }
      if (window == nullptr) window = &WindowAt(start);
      window->Gather(row.row);
    }
    for (auto& [at, groups] : windows_) {
      if (groups.gathered()) groups.WorkIn(batch);
    }
  }

  void Close(Micros watermark, Batch* out) {
    while (!windows_.empty() && windows_.begin()->first + size_ <= watermark) {
      const auto& [start, groups] = *windows_.begin();
      groups.Close(start, start + size_, out);
      windows_.erase(windows_.begin());
    }
  }

  std::optional<Micros> earliest_end() const {
    if (windows_.empty()) return std::nullopt;
    return windows_.begin()->first + size_;
  }
  std::size_t open_windows() const { return windows_.size(); }
  std::size_t open_groups() const {
    std::size_t groups = 0;
    for (const auto& [start, window] : windows_) groups += window.size();
    return groups;
  }
  std::size_t bytes() const {
    std::size_t bytes = sizeof *this;
    for (const auto& [start, window] : windows_) bytes += window.bytes();
    return bytes;
  }
  std::int64_t overflows() const { return shape_.overflows; }

  // A header frame: version 1, identity of the rules (64 bits), number of groups. Then frames:
  // start of a window (zigzag), number of groups (varint), and each with its key (text) and the
  // states of its aggregates in their order.
  void Write(bool changed_only, WireWriter& out) {
    std::map<Micros, std::vector<std::uint32_t>> slots;
    std::size_t total = 0;
    for (const auto& [start, window] : windows_) {
      total += (slots[start] = window.Slots(changed_only)).size();
    }
    WireWriter header;
    header.Byte(kVersion);
    header.Fixed64(id_);
    header.Varint(total);
    WriteFrame(header.bytes(), out);
    for (auto& [start, window] : windows_) {
      WriteWindow(start, window, slots[start], out);
      window.Clean();
    }
  }

  Status Read(WireReader& in) {
    const auto frame = ReadFrame(in);
    if (!frame) return Damaged("its header is damaged");
    WireReader header(*frame);
    const std::uint8_t version = header.Byte();
    const std::uint64_t id = header.Fixed64();
    std::uint64_t left = header.Varint();
    if (!header.ok() || !header.at_end()) return Damaged("its header is damaged");
    if (version != kVersion) return Damaged("it has version " + std::to_string(version));
    if (id != id_) return Damaged("it was made with other windows");
    while (left > 0) {
      WEIR_ASSIGN_OR_RETURN(const std::uint64_t read, ReadWindow(in, left));
      left -= read;
    }
    for (auto& [start, window] : windows_) window.Clean();
    return Ok();
  }

 private:
  Micros StartOf(Micros time) const {
    Micros into = (time - offset_) % size_;
    if (into < 0) into += size_;
    return time - into;
  }

  WindowGroups& WindowAt(Micros start) { return windows_.try_emplace(start, shape_).first->second; }

  static void WriteWindow(Micros start, const WindowGroups& window,
                          const std::vector<std::uint32_t>& slots, WireWriter& out) {
    WireWriter groups;
    std::uint64_t n = 0;
    const auto flush = [&] {
      WireWriter frame;
      frame.Zigzag(start);
      frame.Varint(n);
      frame.Raw(groups.bytes());
      WriteFrame(frame.bytes(), out);
      groups = WireWriter();
      n = 0;
    };
    for (const std::uint32_t slot : slots) {
      window.WriteGroup(slot, groups);
      ++n;
      if (groups.size() >= kStateFrameBytes) flush();
    }
    if (n > 0) flush();
  }

  Result<std::uint64_t> ReadWindow(WireReader& in, std::uint64_t left) {
    const auto frame = ReadFrame(in);
    if (!frame) return Damaged("a frame is torn or damaged");
    WireReader groups(*frame);
    const Micros start = groups.Zigzag();
    const std::uint64_t n = groups.Varint();
    if (!groups.ok() || n == 0 || n > left) return Damaged("a frame has a wrong number of groups");
    // Bounded, so that the sums below stay within the numbers.
    constexpr Micros kLimit = Micros{1} << 61;
    if (start < -kLimit || start > kLimit || StartOf(start) != start) {
      return Damaged("a frame belongs to no window");
    }
    WindowGroups& window = WindowAt(start);
    for (std::uint64_t i = 0; i < n && groups.ok(); ++i) window.ReadGroup(groups);
    if (!groups.ok() || !groups.at_end()) {
      return Damaged("a frame holds something else than groups");
    }
    return n;
  }

  Micros size_;
  Micros offset_;
  std::uint64_t id_;
  WindowShape shape_;
  std::map<Micros, WindowGroups> windows_;  // by start; each has groups
};

Windows::Windows(const Schema& rows, const WindowRules& rules, const Schema& columns)
    : impl_(std::make_unique<Impl>(rows, rules, columns)) {}
Windows::~Windows() = default;
Windows::Windows(Windows&&) noexcept = default;

void Windows::Add(const Batch& batch, std::span<const EventRow> rows) {
  impl_->Add(batch, rows, nullptr);
}
void Windows::AddOnTime(const Batch& batch, std::span<const EventRow> rows,
                        std::vector<EventRow>* late) {
  impl_->Add(batch, rows, late);
}
void Windows::Close(Micros watermark, Batch* out) { impl_->Close(watermark, out); }
std::optional<Micros> Windows::earliest_end() const { return impl_->earliest_end(); }
std::size_t Windows::open_groups() const { return impl_->open_groups(); }
std::size_t Windows::open_windows() const { return impl_->open_windows(); }
std::size_t Windows::bytes() const { return impl_->bytes(); }
std::int64_t Windows::overflows() const { return impl_->overflows(); }
void Windows::WriteDelta(WireWriter& out) { impl_->Write(true, out); }
void Windows::WriteBase(WireWriter& out) { impl_->Write(false, out); }
Status Windows::Read(WireReader& in) { return impl_->Read(in); }

}  // namespace weir::stream
