#include "stream/sessions_wire.h"

#include <algorithm>
#include <limits>

#include "stream/sessions_value.h"

namespace weir::stream {
namespace {

// How a text is written: 0 null, 1 new, else its number + 2.
constexpr std::uint64_t kNull = 0;
constexpr std::uint64_t kNew = 1;
constexpr std::uint64_t kFirstNumber = 2;

constexpr std::uint8_t kSeveral = 1;
constexpr std::uint8_t kValueLost = 2;
constexpr std::uint8_t kHasValue = 4;
constexpr std::uint8_t kHasSteps = 8;
constexpr std::uint8_t kAllFlags = 15;

// No session has as many; sums of such counts do not overflow.
constexpr std::uint64_t kMostEvents = std::uint64_t{1} << 56;

std::int32_t ReadPartition(WireReader* in) {
  const std::uint64_t partition = in->Varint();
  if (partition > std::numeric_limits<std::int32_t>::max()) in->Fail();
  return in->ok() ? static_cast<std::int32_t>(partition) : 0;
}

}  // namespace

SessionWriter::SessionWriter(const SessionShape& shape, const SharedTexts& texts, WireWriter* out)
    : shape_(shape), texts_(texts), out_(out) {}

void SessionWriter::WriteType(SharedTexts::Id id) {
  if (id >= numbers_.size()) numbers_.resize(texts_.id_limit(), 0);
  if (numbers_[id] != 0) return out_->Varint(numbers_[id] - 1 + kFirstNumber);
  out_->Varint(kNew);
  out_->Text(texts_.At(id));
  numbers_[id] = ++written_;
}

void SessionWriter::WriteValue(std::optional<std::string_view> value) {
  if (!value) return out_->Varint(kNull);
  const SharedTexts::Id id = values_.Hold(*value);
  if (id < value_numbers_.size()) return out_->Varint(value_numbers_[id] - 1 + kFirstNumber);
  out_->Varint(kNew);
  out_->Text(*value);
  value_numbers_.resize(id + 1, ++written_);
}

void SessionWriter::Write(const Session& session) {
  const bool has_steps = !session.steps.rows().empty();
  out_->Byte(static_cast<std::uint8_t>(
      (session.several ? kSeveral : 0) | (session.value_lost ? kValueLost : 0) |
      (session.value != 0 ? kHasValue : 0) | (has_steps ? kHasSteps : 0)));
  out_->Zigzag(session.start());
  out_->Varint(static_cast<std::uint64_t>(session.end()) -
               static_cast<std::uint64_t>(session.start()));
  for (const RowPlace& place : {session.first, session.last}) {
    out_->Varint(static_cast<std::uint64_t>(place.partition));
    out_->Zigzag(place.offset);
  }
  out_->Zigzag(session.lowest_offset);
  out_->Varint(static_cast<std::uint64_t>(session.events));
  if (session.value != 0) {
    out_->Fixed64(static_cast<std::uint64_t>(session.value));
    out_->Fixed64(static_cast<std::uint64_t>(session.value >> 64));
  }
  out_->Varint(session.counts.size());
  for (const TypeCount& count : session.counts) {
    WriteType(count.type());
    out_->Varint(count.count());
  }
  for (std::size_t i = 0; i < shape_.values(); ++i) WriteValue(session.values.At(i));
  if (!has_steps) return;
  out_->Varint(session.steps.rows().size());
  for (const StepRow& row : session.steps.rows()) {
    out_->Varint(row.type);
    out_->Varint(static_cast<std::uint64_t>(row.time) -
                 static_cast<std::uint64_t>(session.start()));
    out_->Varint(static_cast<std::uint64_t>(row.partition));
    out_->Zigzag(row.offset);
  }
}

SessionReader::SessionReader(const SessionShape& shape, const std::vector<Type>& types,
                             SharedTexts* texts, WireReader* in)
    : shape_(shape), texts_(texts), in_(in) {
  for (const Type& type : types) scratch_.emplace_back(type);
}

SessionReader::~SessionReader() {
  for (const Numbered& numbered : numbered_) texts_->Release(numbered.type);
}

SessionReader::Numbered* SessionReader::ReadText() {
  const std::uint64_t how = in_->Varint();
  if (how == kNull || !in_->ok()) return nullptr;
  if (how == kNew) {
    const std::string_view text = in_->Text();
    if (!in_->ok()) return nullptr;
    return &numbered_.emplace_back(Numbered{text, 0});
  }
  if (how - kFirstNumber >= numbered_.size()) {
    in_->Fail();
    return nullptr;
  }
  return &numbered_[how - kFirstNumber];
}

SharedTexts::Id SessionReader::ReadType() {
  Numbered* text = ReadText();
  if (text == nullptr) return 0;
  if (text->type == 0) text->type = texts_->Hold(text->text);
  return text->type;
}

RowPlace SessionReader::ReadPlace(Micros time) {
  const std::int32_t partition = ReadPartition(in_);
  return {time, in_->Zigzag(), partition};
}

Session SessionReader::Read(std::int32_t home) {
  Session session;
  session.home = home;
  const std::uint8_t flags = in_->Byte();
  if (flags > kAllFlags) in_->Fail();
  session.several = (flags & kSeveral) != 0;
  session.value_lost = (flags & kValueLost) != 0;
  const Micros start = in_->Zigzag();
  const auto end = static_cast<Micros>(static_cast<std::uint64_t>(start) + in_->Varint());
  session.first = ReadPlace(start);
  session.last = ReadPlace(end);
  session.lowest_offset = in_->Zigzag();
  const std::uint64_t events = in_->Varint();
  if (end < start || events == 0 || events > kMostEvents) in_->Fail();
  session.events = static_cast<std::int64_t>(events);
  if ((flags & kHasValue) != 0) {
    const std::uint64_t low = in_->Fixed64();
    session.value = static_cast<Int128>((static_cast<UInt128>(in_->Fixed64()) << 64) | low);
  }
  ReadCounts(&session);
  ReadValues(&session);
  if ((flags & kHasSteps) != 0) ReadSteps(&session);
  if (!in_->ok()) session.Release(texts_);
  return session;
}

void SessionReader::ReadCounts(Session* session) {
  const std::uint64_t types = in_->Varint();
  if (types > in_->remaining()) in_->Fail();
  const auto known = [&](SharedTexts::Id type) {
    return std::ranges::any_of(session->counts,
                               [&](const TypeCount& count) { return count.type() == type; });
  };
  for (std::uint64_t i = 0; i < types && in_->ok(); ++i) {
    const SharedTexts::Id type = ReadType();
    const std::uint64_t count = in_->Varint();
    if (type == 0 || known(type) || count > kMostEvents) {
      in_->Fail();
    }
    if (!in_->ok()) return;
    session->counts.push_back(TypeCount(type, count));
    texts_->HoldAgain(type);
  }
}

void SessionReader::ReadValues(Session* session) {
  for (std::size_t i = 0; i < shape_.values() && in_->ok(); ++i) {
    const Numbered* text = ReadText();
    if (text == nullptr) continue;
    if (!AppendValue(text->text, &scratch_[i])) return in_->Fail();
    scratch_[i].Clear();
    session->values.Set(i, text->text, shape_.values());
  }
}

void SessionReader::ReadSteps(Session* session) {
  const std::uint64_t rows = in_->Varint();
  std::vector<StepRow> list;
  for (std::uint64_t i = 0; i < rows && in_->ok(); ++i) {
    StepRow row;
    const std::uint64_t type = in_->Varint();
    row.time = static_cast<Micros>(static_cast<std::uint64_t>(session->start()) + in_->Varint());
    row.partition = ReadPartition(in_);
    row.offset = in_->Zigzag();
    if (std::find(shape_.steps.begin(), shape_.steps.end(), type) == shape_.steps.end()) {
      in_->Fail();
    }
    row.type = static_cast<std::uint32_t>(type);
    if (in_->ok()) list.push_back(row);
  }
  if (!in_->ok()) return;
  session->steps = StepRows(list, shape_.steps);
}

}  // namespace weir::stream
