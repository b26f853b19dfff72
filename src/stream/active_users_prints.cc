#include "stream/active_users_prints.h"

#include <utility>

#include "base/check.h"

namespace weir::stream {
namespace {

constexpr std::size_t kFirstSlots = 64;

}  // namespace

bool PrintSet::Insert(const Fingerprint& print) {
  WEIR_DCHECK(!print.is_none());
  if ((size_ + 1) * 3 > slots_.size() * 2) Grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = print.low & mask;
  for (; !slots_[at].is_none(); at = (at + 1) & mask) {
    if (slots_[at] == print) return false;
  }
  slots_[at] = print;
  ++size_;
  return true;
}

std::vector<Fingerprint> PrintSet::Prints() const {
  std::vector<Fingerprint> prints;
  prints.reserve(size_);
  for (const Fingerprint& print : slots_) {
    if (!print.is_none()) prints.push_back(print);
  }
  return prints;
}

void PrintSet::Grow() {
  std::vector<Fingerprint> old(slots_.empty() ? kFirstSlots : slots_.size() * 2);
  old.swap(slots_);
  size_ = 0;
  for (const Fingerprint& print : old) {
    if (!print.is_none()) Insert(print);
  }
}

std::int64_t LastMinutes::Set(const Fingerprint& print, std::int64_t minute) {
  if ((size_ + 1) * 3 > slots_.size() * 2) Grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = Home(print);
  for (; !slots_[at].print.is_none(); at = (at + 1) & mask) {
    if (slots_[at].print == print) return std::exchange(slots_[at].minute, minute);
  }
  slots_[at] = {print, minute};
  ++size_;
  return kNever;
}

bool LastMinutes::EraseIf(const Fingerprint& print, std::int64_t minute) {
  if (slots_.empty()) return false;
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = Home(print);
  for (; !(slots_[hole].print == print); hole = (hole + 1) & mask) {
    if (slots_[hole].print.is_none()) return false;
  }
  if (slots_[hole].minute != minute) return false;
  // Those behind move up, so that no probe breaks off early.
  for (std::size_t at = (hole + 1) & mask; !slots_[at].print.is_none(); at = (at + 1) & mask) {
    if (((at - Home(slots_[at].print)) & mask) < ((at - hole) & mask)) continue;
    slots_[hole] = slots_[at];
    hole = at;
  }
  slots_[hole] = {};
  --size_;
  return true;
}

void LastMinutes::Grow() {
  std::vector<Slot> old(slots_.empty() ? kFirstSlots : slots_.size() * 2);
  old.swap(slots_);
  size_ = 0;
  for (const Slot& slot : old) {
    if (!slot.print.is_none()) Set(slot.print, slot.minute);
  }
}

}  // namespace weir::stream
