#include "delta/maintenance.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "base/fail_point.h"
#include "base/log.h"
#include "delta/checkpoint.h"
#include "delta/log_name.h"
#include "delta/partition_value.h"
#include "delta/protocol_check.h"

namespace weir::delta {
namespace {

constexpr std::int64_t kDefaultInterval = 10;
constexpr Micros kDefaultLogRetention = 30 * kMicrosPerDay;
constexpr Micros kDefaultFileRetention = 7 * kMicrosPerDay;
constexpr Micros kBetweenCleanings = 600 * kMicrosPerSecond;
constexpr std::int64_t kHourMs = 3'600'000;
// A log that others let grow for years is brought down step by step.
constexpr std::size_t kMostAtOnce = 2000;

std::int64_t IntervalOf(const Metadata& metadata) {
  std::int64_t interval = kDefaultInterval;
  if (const auto text = metadata.Property("delta.checkpointInterval")) {
    std::from_chars(text->data(), text->data() + text->size(), interval);
  }
  return std::max<std::int64_t>(1, interval);
}

// nullopt: never.
std::optional<std::int64_t> AgeMs(const Metadata& metadata, const char* property, Micros fallback) {
  const auto text = metadata.Property(property);
  const auto age = text ? ParseInterval(*text) : std::optional<Micros>(fallback);
  return age ? std::optional<std::int64_t>(*age / kMicrosPerMilli) : std::nullopt;
}

std::optional<LogFile> LogFileOf(const io::ObjectInfo& object) {
  return ParseLogName(std::string_view(object.key).substr(object.key.rfind('/') + 1));
}

bool IsRelative(std::string_view path) {
  return !path.starts_with('/') && path.find(':') == std::string_view::npos;
}

}  // namespace

Status Maintenance::Run(TableState& state) {
  const Metadata& metadata = *state.metadata();
  if (!checkpoint_) {
    WEIR_ASSIGN_OR_RETURN(const LogListing listing, reader_.List());
    checkpoint_ = listing.checkpoints.empty() ? 0 : listing.checkpoints.rbegin()->first;
  }
  if (state.version() - *checkpoint_ < IntervalOf(metadata)) return Ok();
  RemoveFiles(state);
  WEIR_TRY(WriteNewCheckpoint(state));
  const bool is_due = !next_clean_ || clock_.Monotonic() >= *next_clean_;
  if (!is_due || metadata.Property("delta.enableExpiredLogCleanup").value_or("true") != "true") {
    return Ok();
  }
  const auto age = AgeMs(metadata, "delta.logRetentionDuration", kDefaultLogRetention);
  if (!age) return Ok();
  WEIR_ASSIGN_OR_RETURN(const bool is_clean, CleanLog(NowMs() - *age));
  // Often enough that a log is never much longer than it must be; and at the next checkpoint again
  // where one step was not enough, so that no rate of commits outgrows it.
  if (is_clean)
    next_clean_ = clock_.Monotonic() + std::min(kBetweenCleanings, *age * kMicrosPerMilli / 10);
  return Ok();
}

Status Maintenance::WriteNewCheckpoint(const TableState& state) {
  WEIR_ASSIGN_OR_RETURN(const CheckpointBytes checkpoint, WriteCheckpoint(state));
  // Somebody else's of the same version is as good.
  WEIR_TRY(store_.PutIfAbsent(reader_.KeyOf(CheckpointName(state.version())), checkpoint.bytes));
  checkpoint_ = state.version();
  const std::string hint = fmt::format(
      R"({{"version":{},"size":{},"sizeInBytes":{},"numOfAddFiles":{}}})", state.version(),
      checkpoint.actions, checkpoint.bytes.size(), state.files().size());
  return store_.Put(reader_.KeyOf(std::string(kLastCheckpoint)), hint);
}

// False: something is left for the next time.
Result<bool> Maintenance::CleanLog(std::int64_t cutoff_ms) {
  WEIR_ASSIGN_OR_RETURN(const LogListing listing, reader_.List());
  // The newest whole checkpoint that was there before the cutoff: from it on, all is kept.
  std::int64_t anchor = -1;
  std::set<std::string> whole;
  for (const auto& [version, keys] : listing.checkpoints) whole.insert(keys.begin(), keys.end());
  for (const io::ObjectInfo& object : listing.files) {
    if (!whole.contains(object.key) || object.modified_ms >= cutoff_ms) continue;
    anchor = std::max(anchor, LogFileOf(object)->version);
  }
  Reach(FailPoint::kExpireFilesBefore);
  std::vector<std::pair<std::int64_t, std::string>> due;
  for (const io::ObjectInfo& object : listing.files) {
    const auto file = LogFileOf(object);
    if (file && file->version < anchor) due.emplace_back(file->version, object.key);
  }
  // Oldest first, so that what is left is always the end of the log (table.cc relies on it).
  std::ranges::sort(due);
  const bool is_clean = due.size() <= kMostAtOnce;
  if (!is_clean) due.resize(kMostAtOnce);
  for (const auto& [version, key] : due) WEIR_TRY(store_.Delete(key));
  Reach(FailPoint::kExpireFilesAfter);
  WEIR_TRY(ThinCheckpoints(listing, anchor));
  return is_clean;
}

Status Maintenance::ThinCheckpoints(const LogListing& listing, std::int64_t anchor) {
  if (listing.checkpoints.size() < 3) return Ok();
  const std::int64_t first = std::max<std::int64_t>(anchor, 0);
  // Only where commits lead from the anchor to the newest version without a gap.
  const auto begin = std::ranges::lower_bound(listing.commits, first);
  const std::int64_t expected = listing.newest() - first + 1;
  if (listing.commits.end() - begin != expected || (anchor < 0 && *begin != 0)) return Ok();
  const std::int64_t newest = listing.checkpoints.rbegin()->first;
  const std::int64_t one_before = std::next(listing.checkpoints.rbegin())->first;
  std::set<std::int64_t> hours;
  for (const io::ObjectInfo& object : listing.files) {
    const auto file = LogFileOf(object);
    if (!file || file->kind != LogFileKind::kCheckpoint || file->version <= anchor ||
        file->version >= one_before || file->version == newest || file->parts != 1) {
      continue;
    }
    const bool is_first_of_hour = hours.insert(object.modified_ms / kHourMs).second;
    if (is_first_of_hour || object.modified_ms > NowMs() - kHourMs) continue;
    WEIR_TRY(store_.Delete(object.key));
  }
  return Ok();
}

void Maintenance::RemoveFiles(TableState& state) {
  const Metadata& metadata = *state.metadata();
  const auto age = AgeMs(metadata, "delta.deletedFileRetentionDuration", kDefaultFileRetention);
  if (!age) return;
  const bool is_ours = metadata.Property(kFilesProperty).value_or("") != "shared";
  for (const RemoveFile& file : state.TakeRemovedBefore(NowMs() - *age)) {
    const std::string path = DecodePath(file.path);
    if (!is_ours || !IsRelative(path)) continue;
    if (Status deleted = store_.Delete(folder_ + "/" + path); !deleted) {
      log::Debug("a removed file stays for now",
                 {{"file", path}, {"error", deleted.error().message}});
    }
  }
}

}  // namespace weir::delta
