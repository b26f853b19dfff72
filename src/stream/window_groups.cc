#include "stream/window_groups.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "stream/row_key.h"

namespace weir::stream {

namespace {

constexpr std::uint32_t kNoSlot = UINT32_MAX;

}  // namespace

WindowGroups::WindowGroups(WindowShape& shape) : shape_(&shape) {
  for (const WindowShape::Value& value : shape.values) {
    values_.push_back(MakeAccumulators(value.kind, value.input, value.output, &shape.overflows));
  }
}

void WindowGroups::Grow() {
  const std::size_t groups = groups_.size();
  if (changed_.size() >= groups) return;
  changed_.resize(groups);
  for (const auto& value : values_) value->Grow(groups);
}

std::uint32_t WindowGroups::SlotOf(const Batch& batch, std::uint32_t row) {
  key_.clear();
  for (const std::size_t column : shape_->by) AppendKeyPart(batch.columns[column], row, &key_);
  return groups_.SlotOf(key_);
}

void WindowGroups::FindByCode(const Column& column) {
  if (dictionary_ != column.dictionary()) {
    dictionary_ = column.dictionary();
    slot_of_code_.clear();
  }
  slot_of_code_.resize(static_cast<std::size_t>(dictionary_->size()), kNoSlot);
  const std::int32_t* codes = column.fixed<std::int32_t>();
  const bool nulls = column.null_count() != 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::uint32_t row = rows_[i];
    std::uint32_t slot = slot_of_code_[static_cast<std::size_t>(codes[row])];
    const bool null = nulls && column.IsNull(row);
    if (slot == kNoSlot || null) {
      key_.clear();
      AppendKeyPart(column, row, &key_);
      slot = groups_.SlotOf(key_);
      if (!null) slot_of_code_[static_cast<std::size_t>(codes[row])] = slot;
    }
    slots_[i] = slot;
  }
}

void WindowGroups::FindSlots(const Batch& batch) {
  slots_.resize(rows_.size());
  if (shape_->by.empty()) {
    std::ranges::fill(slots_, groups_.SlotOf({}));
  } else if (const Column& first = batch.columns[shape_->by[0]];
             shape_->by.size() == 1 && first.dictionary() && first.dictionary()->size() > 0) {
    FindByCode(first);
  } else {
    for (std::size_t i = 0; i < rows_.size(); ++i) slots_[i] = SlotOf(batch, rows_[i]);
  }
  Grow();
}

void WindowGroups::WorkIn(const Batch& batch) {
  FindSlots(batch);
  for (const std::uint32_t slot : slots_) {
    if (changed_[slot] != 0) continue;
    changed_[slot] = 1;
    changes_.push_back(slot);
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    values_[i]->Add(batch.columns[shape_->values[i].column], rows_, slots_);
  }
  rows_.clear();
}

void WindowGroups::Close(Micros start, Micros end, Batch* out) const {
  std::vector<std::uint32_t> order = Slots(false);
  std::ranges::sort(order, {}, [&](std::uint32_t slot) { return groups_.KeyOf(slot); });
  const std::size_t by = shape_->by.size();
  for (const std::uint32_t slot : order) {
    std::string_view key = groups_.KeyOf(slot);
    for (std::size_t i = 0; i < by; ++i) {
      WEIR_CHECK(TakeKeyPart(&key, &out->columns[i]));
    }
    out->columns[by].AppendLong(start);
    out->columns[by + 1].AppendLong(end);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i]->Append(slot, &out->columns[by + 2 + i]);
    }
    out->records.push_back(static_cast<std::uint32_t>(out->records.size()));
  }
}

std::size_t WindowGroups::bytes() const {
  std::size_t bytes = sizeof *this + groups_.bytes() + changed_.capacity() +
                      sizeof(std::uint32_t) * (changes_.capacity() + slot_of_code_.capacity() +
                                               rows_.capacity() + slots_.capacity());
  for (const auto& value : values_) bytes += value->bytes();
  return bytes;
}

std::vector<std::uint32_t> WindowGroups::Slots(bool changed_only) const {
  if (changed_only) return changes_;
  std::vector<std::uint32_t> slots(groups_.size());
  std::iota(slots.begin(), slots.end(), 0U);
  return slots;
}

void WindowGroups::Clean() {
  for (const std::uint32_t slot : changes_) changed_[slot] = 0;
  changes_.clear();
}

void WindowGroups::WriteGroup(std::uint32_t slot, WireWriter& out) const {
  out.Text(groups_.KeyOf(slot));
  for (const auto& value : values_) value->Write(slot, out);
}

bool WindowGroups::IsKey(std::string_view key) const {
  for (const Type& type : shape_->by_types) {
    Column column(type);
    if (!TakeKeyPart(&key, &column)) return false;
  }
  return key.empty();
}

void WindowGroups::ReadGroup(WireReader& in) {
  const std::string_view key = in.Text();
  if (!in.ok() || !IsKey(key)) return in.Fail();
  const std::uint32_t slot = groups_.SlotOf(key);
  Grow();
  for (const auto& value : values_) value->Read(slot, in);
}

}  // namespace weir::stream
