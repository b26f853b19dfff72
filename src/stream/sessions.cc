#include "stream/sessions.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "stream/sessions_open.h"
#include "stream/sessions_rows.h"
#include "stream/sessions_value.h"
#include "stream/sessions_wire.h"

namespace weir::stream {
namespace {

constexpr std::uint8_t kFormat = 1;
constexpr std::uint8_t kBase = 0;
constexpr std::uint8_t kDelta = 1;

Error Damaged(Partition partition) {
  return Corrupt("the open sessions of partition " + std::to_string(partition.value()) +
                     " are damaged or of another pipeline",
                 ErrorCode::kStateCorrupt);
}

// Types of what a session keeps of its first row, then of its last.
std::vector<Type> ValueTypes(const Schema& rows, const SessionRules& rules) {
  std::vector<Type> types;
  const auto add = [&](const std::string& name) {
    types.push_back(rows.fields[*rows.IndexOf(name)].type);
  };
  if (!rules.page.empty()) add(rules.page);
  for (const std::string& name : rules.first) add(name);
  if (!rules.page.empty()) add(rules.page);
  for (const std::string& name : rules.last) add(name);
  return types;
}

}  // namespace

class Sessions::Impl {
 public:
  Impl(const Schema& rows, const std::string& event_type_field, const SessionRules& rules,
       const std::vector<std::string>& steps, const Schema& columns)
      : open_(rows, event_type_field, rules, steps),
        rows_(columns, rules, !event_type_field.empty(), open_.input().price_scale()),
        key_type_(columns.fields.at(0).type),
        value_types_(ValueTypes(rows, rules)) {}

  OpenSessions& open() { return open_; }

  void Close(Micros watermark, Batch* closed, std::vector<SessionFacts>* facts) {
    if (closed->rows() == 0) rows_.Begin(closed);
    open_.Close(watermark, [&](std::span<const OpenSessions::Ended> block) {
      given_.clear();
      for (const OpenSessions::Ended& ended : block) {
        given_.push_back({ended.entry->key, ended.session});
        facts->push_back(FactsOf(*ended.session));
      }
      rows_.Append(given_, open_.texts(), false, closed);
    });
  }

  void AppendOpen(Partition partition, Batch* open) {
    std::vector<OpenSessions::Ref> refs = open_.OpenOf(partition.value());
    std::sort(refs.begin(), refs.end(), [](const OpenSessions::Ref& a, const OpenSessions::Ref& b) {
      if (a.session->start() != b.session->start()) {
        return a.session->start() < b.session->start();
      }
      return a.entry->key < b.entry->key;
    });
    if (open->rows() == 0) rows_.Begin(open);
    given_.clear();
    for (const auto& [entry, session] : refs) given_.push_back({entry->key, session});
    rows_.Append(given_, open_.texts(), true, open);
  }

  void WriteBase(Partition partition, WireWriter& out);
  void WriteDelta(Partition partition, WireWriter& out);
  Status Read(Partition partition, WireReader& in);

 private:
  static void WriteKey(const std::string& key, const std::vector<const Session*>& sessions,
                       SessionWriter& writer, WireWriter& out) {
    out.Text(key);
    out.Varint(sessions.size());
    for (const Session* session : sessions) writer.Write(*session);
  }
  void WriteHeader(std::uint8_t kind, WireWriter& out) const {
    out.Byte(kFormat);
    out.Byte(kind);
    out.Varint(open_.shape().values());
    out.Varint(open_.shape().steps.size());
  }
  bool ReadKey(Partition partition, SessionReader& reader, WireReader& in);

  mutable OpenSessions open_;
  SessionRows rows_;
  std::vector<SessionRows::Row> given_;  // while rows are made
  Type key_type_;
  std::vector<Type> value_types_;
};

// --- state ------------------------------------------------------------
// format, kind, number of values, number of steps, number of keys; then for each key its bytes, the
// number of its sessions with this home, and these.

void Sessions::Impl::WriteBase(Partition partition, WireWriter& out) {
  WriteHeader(kBase, out);
  const std::vector<OpenSessions::Ref>& refs = open_.OpenOf(partition.value());
  std::size_t keys = 0;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (i == 0 || refs[i].entry != refs[i - 1].entry) ++keys;
  }
  out.Varint(keys);
  SessionWriter writer(open_.shape(), open_.texts(), &out);
  std::vector<const Session*> sessions;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    sessions.push_back(refs[i].session);
    if (i + 1 < refs.size() && refs[i + 1].entry == refs[i].entry) continue;
    WriteKey(refs[i].entry->key, sessions, writer, out);
    refs[i].entry->written = true;
    sessions.clear();
  }
  open_.marks().ForgetDelta(partition.value());
}

void Sessions::Impl::WriteDelta(Partition partition, WireWriter& out) {
  WriteHeader(kDelta, out);
  const SessionMarks::Delta delta = open_.marks().TakeDelta(partition.value(), &open_.keys());
  out.Varint(delta.gone.size() + delta.changed.size());
  SessionWriter writer(open_.shape(), open_.texts(), &out);
  std::vector<const Session*> sessions;
  for (const std::string& key : delta.gone) WriteKey(key, sessions, writer, out);
  for (KeyEntry* entry : delta.changed) {
    entry->Each([&](const Session& session) {
      if (session.home == partition.value()) sessions.push_back(&session);
    });
    WriteKey(entry->key, sessions, writer, out);
    entry->written = true;
    sessions.clear();
  }
}

Status Sessions::Impl::Read(Partition partition, WireReader& in) {
  const std::uint8_t format = in.Byte();
  const std::uint8_t kind = in.Byte();
  const bool same_shape = in.Varint() == open_.shape().values();
  if (format != kFormat || kind > kDelta || !same_shape ||
      in.Varint() != open_.shape().steps.size()) {
    in.Fail();
    return Damaged(partition);
  }
  const std::uint64_t keys = in.Varint();
  if (!in.ok()) return Damaged(partition);
  if (kind == kBase) open_.Clear(partition.value());
  SessionReader reader(open_.shape(), value_types_, &open_.texts(), &in);
  for (std::uint64_t i = 0; i < keys; ++i) {
    if (!ReadKey(partition, reader, in)) return Damaged(partition);
  }
  open_.marks().ForgetDelta(partition.value());
  return Ok();
}

bool Sessions::Impl::ReadKey(Partition partition, SessionReader& reader, WireReader& in) {
  const std::string_view key = in.Text();
  const std::uint64_t count = in.Varint();
  Column scratch(key_type_);
  if (!in.ok() || !AppendValue(key, &scratch)) {
    in.Fail();
    return false;
  }
  std::vector<Session> sessions;
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    sessions.push_back(reader.Read(partition.value()));
  }
  if (!in.ok()) {
    for (Session& session : sessions) session.Release(&open_.texts());
    return false;
  }
  open_.Replace(key, partition.value(), std::move(sessions));
  return true;
}

// --- the port ------------------------------------------------------------

Sessions::Sessions(const Schema& rows, const std::string& event_type_field,
                   const SessionRules& rules, const std::vector<std::string>& steps,
                   const Schema& columns)
    : impl_(std::make_unique<Impl>(rows, event_type_field, rules, steps, columns)) {}
Sessions::~Sessions() = default;
Sessions::Sessions(Sessions&&) noexcept = default;

void Sessions::Add(const Batch& batch, std::span<const EventRow> rows) {
  impl_->open().Add(batch, rows);
}
void Sessions::Close(Micros watermark, Batch* closed, std::vector<SessionFacts>* facts) {
  impl_->Close(watermark, closed, facts);
}
std::set<Partition> Sessions::TakeTouched() { return impl_->open().marks().TakeTouched(); }
void Sessions::AppendOpen(Partition partition, Batch* open) const {
  impl_->AppendOpen(partition, open);
}
std::vector<SessionFacts> Sessions::OpenFacts() const {
  std::vector<SessionFacts> facts;
  facts.reserve(impl_->open().size());
  impl_->open().Each([&](const Session& session) { facts.push_back(FactsOf(session)); });
  return facts;
}
std::size_t Sessions::open_sessions() const { return impl_->open().size(); }
std::size_t Sessions::bytes() const { return sizeof(Impl) + impl_->open().bytes(); }
std::optional<Micros> Sessions::earliest_end() const { return impl_->open().earliest_end(); }
std::int64_t Sessions::keys_in_several_partitions() const {
  return impl_->open().keys_in_several_partitions();
}
void Sessions::WriteDelta(Partition partition, WireWriter& out) {
  impl_->WriteDelta(partition, out);
}
void Sessions::WriteBase(Partition partition, WireWriter& out) { impl_->WriteBase(partition, out); }
Status Sessions::Read(Partition partition, WireReader& in) { return impl_->Read(partition, in); }

}  // namespace weir::stream
