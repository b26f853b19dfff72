#include "delta/progress.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace weir::delta {
namespace {

constexpr std::int64_t kEpochs = std::int64_t{1} << 32;
constexpr std::string_view kOffsetTag = "weir.next_offset.";

std::optional<std::int64_t> Number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The version that a RESTORE went back to; nullopt when it was given as a time.
std::optional<std::int64_t> RestoredVersion(const CommitInfo& info) {
  const auto found = info.parameters.find("version");
  if (found == info.parameters.end()) return std::nullopt;
  std::string_view text = found->second;
  if (text.size() > 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  return Number(text);
}

}  // namespace

Result<std::int64_t> TransactionVersionOf(Position position) {
  if (position.since < 0 || position.since >= kEpochs / 2 || position.epoch < 0 ||
      position.epoch >= kEpochs) {
    return Internal("position " + ToString(position) + " does not fit into a txn version");
  }
  return position.since * kEpochs + position.epoch;
}

Position PositionOf(std::int64_t transaction_version) {
  return {.since = transaction_version / kEpochs, .epoch = transaction_version % kEpochs};
}

std::string OffsetTag(const std::string& partition) { return std::string(kOffsetTag) + partition; }

bool ProgressTracker::IsOwn(const LogCommit& commit) const {
  return !pipeline_.empty() &&
         std::ranges::any_of(commit.transactions, [&](const Transaction& transaction) {
           return transaction.app_id.starts_with(pipeline_ + "/");
         });
}

bool ProgressTracker::HasOwn(const std::map<std::string, Transaction>& transactions) const {
  const auto first = transactions.lower_bound(pipeline_ + "/");
  return !pipeline_.empty() && first != transactions.end() &&
         first->first.starts_with(pipeline_ + "/");
}

void ProgressTracker::Observe(std::int64_t version, const LogCommit& commit) {
  if (pipeline_.empty()) return;
  if (IsOwn(commit)) {
    own_version_ = version;
    is_exact_ = true;
    rolled_back_ = false;
    if (!commit.info) return;
    for (const auto& [tag, text] : commit.info->tags) {
      if (!tag.starts_with(kOffsetTag)) continue;
      if (const auto offset = Number(text)) {
        offsets_[tag.substr(kOffsetTag.size())] = Offset(*offset);
      }
    }
    return;
  }
  if (!own_version_ || !commit.info || commit.info->operation != "RESTORE") return;
  const auto target = RestoredVersion(*commit.info);
  if (!target || *target < *own_version_) rolled_back_ = true;
}

void ProgressTracker::StartBehind(std::int64_t version) {
  own_version_ = version;
  is_exact_ = false;
}

std::optional<connect::Progress> ProgressTracker::ProgressOf(
    const std::map<std::string, Transaction>& transactions) const {
  if (!HasOwn(transactions)) return std::nullopt;
  connect::Progress progress;
  const std::string prefix = pipeline_ + "/";
  for (auto i = transactions.lower_bound(prefix);
       i != transactions.end() && i->first.starts_with(prefix); ++i) {
    std::string partition = i->first.substr(prefix.size());
    const auto offset = offsets_.find(partition);
    progress.partitions[std::move(partition)] = {
        .position = PositionOf(i->second.version),
        .next_offset = offset == offsets_.end() ? Offset(0) : offset->second};
  }
  progress.snapshot_id = own_version_.value_or(0);
  progress.sequence = progress.snapshot_id;
  return progress;
}

connect::Lineage ProgressTracker::lineage() const {
  if (rolled_back_) return connect::Lineage::kRolledBack;
  return is_exact_ || !own_version_ ? connect::Lineage::kIntact : connect::Lineage::kExpired;
}

}  // namespace weir::delta
