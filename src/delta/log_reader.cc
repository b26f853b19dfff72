#include "delta/log_reader.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/log.h"
#include "delta/action_json.h"
#include "delta/checkpoint.h"
#include "delta/log_name.h"

namespace weir::delta {
namespace {

// How often files may be cleaned up under our hands before it is no coincidence.
constexpr int kReadTries = 5;

Error Gap(std::int64_t version, const std::string& folder) {
  return Corrupt(
      fmt::format("{} has later versions, but {} is not there", folder, CommitName(version)),
      ErrorCode::kMetadataCorrupt);
}

}  // namespace

std::int64_t LogListing::newest() const {
  std::int64_t newest = v2_checkpoint.value_or(-1);
  if (!commits.empty()) newest = std::max(newest, commits.back());
  if (!checkpoints.empty()) newest = std::max(newest, checkpoints.rbegin()->first);
  return newest;
}

LogReader::LogReader(io::Store& store, const std::string& folder)
    : store_(store), folder_(folder + "/" + std::string(kLogFolder)) {}

Result<LogListing> LogReader::List() {
  WEIR_ASSIGN_OR_RETURN(const auto objects, store_.List(folder_ + "/"));
  LogListing out;
  std::map<std::pair<std::int64_t, int>, std::vector<std::string>> parts;
  for (const io::ObjectInfo& object : objects) {
    const auto file = ParseLogName(std::string_view(object.key).substr(folder_.size() + 1));
    if (!file) continue;
    out.files.push_back(object);
    if (file->kind == LogFileKind::kCommit) out.commits.push_back(file->version);
    if (file->kind == LogFileKind::kV2Checkpoint) out.v2_checkpoint = file->version;
    // An empty file is one that somebody is still writing, or died over.
    if (file->kind != LogFileKind::kCheckpoint || object.size == 0) continue;
    parts[{file->version, file->parts}].push_back(object.key);
  }
  std::ranges::sort(out.commits);
  for (auto& [key, keys] : parts) {
    if (keys.size() == static_cast<std::size_t>(key.second)) out.checkpoints[key.first] = keys;
  }
  return out;
}

Result<std::optional<LogCommit>> LogReader::ReadCommit(std::int64_t version) {
  const std::string key = KeyOf(CommitName(version));
  auto text = store_.Get(key);
  if (!text && text.error().kind == ErrorKind::kNotFound) return std::optional<LogCommit>();
  if (!text) return std::move(text).error();
  WEIR_ASSIGN_OR_RETURN(LogCommit commit, ParseCommit(*text, key));
  return std::optional<LogCommit>(std::move(commit));
}

Result<TableState> LogReader::Read(std::optional<std::int64_t> at) {
  Error last = Internal("the log was never read");
  for (int i = 0; i < kReadTries; ++i) {
    WEIR_ASSIGN_OR_RETURN(const LogListing listing, List());
    if (listing.empty()) {
      return NotFound(fmt::format("there is no Delta log in {}/{}", store_.Describe(), folder_),
                      ErrorCode::kTableMissing);
    }
    auto state = Replay(listing, at.value_or(listing.newest()));
    // What the listing named was cleaned up meanwhile: a newer listing names what took its place.
    if (state || state.error().kind != ErrorKind::kNotFound || at) return state;
    last = std::move(state).error();
  }
  last.kind = ErrorKind::kCorrupt;
  last.code = ErrorCode::kMetadataCorrupt;
  return last;
}

Result<TableState> LogReader::Replay(const LogListing& listing, std::int64_t at) {
  std::optional<Error> first;
  for (auto i = listing.checkpoints.upper_bound(at); i != listing.checkpoints.begin();) {
    --i;
    auto state = ReadFrom(listing, i->first, at);
    if (state || state.error().kind != ErrorKind::kCorrupt) return state;
    log::Warn("a checkpoint is passed over",
              {{"log", folder_}, {"version", i->first}, {"because", state.error().message}});
    if (!first) first = std::move(state).error();
  }
  const bool from_the_start = !listing.commits.empty() && listing.commits.front() == 0;
  if (from_the_start) return ReadFrom(listing, -1, at);
  if (first) return *std::move(first);
  if (listing.v2_checkpoint && *listing.v2_checkpoint <= at) {
    return Unsupported(
        fmt::format("{} has checkpoints of the v2Checkpoint feature only, which Weir "
                    "does not read",
                    folder_),
        ErrorCode::kTableUnsupported);
  }
  if (at < listing.newest()) {
    return NotFound(fmt::format("version {} of {} is not there any more", at, folder_));
  }
  return Gap(0, folder_);
}

Result<TableState> LogReader::ReadFrom(const LogListing& listing, std::int64_t checkpoint,
                                       std::int64_t at) {
  TableState state;
  if (checkpoint >= 0) {
    for (const std::string& key : listing.checkpoints.at(checkpoint)) {
      WEIR_TRY(ReadCheckpoint(store_, key, checkpoint, state));
    }
    if (!state.metadata()) {
      return Corrupt(fmt::format("checkpoint {} has no metadata", checkpoint),
                     ErrorCode::kMetadataCorrupt);
    }
  }
  for (std::int64_t version = checkpoint + 1; version <= at; ++version) {
    WEIR_ASSIGN_OR_RETURN(auto commit, ReadCommit(version));
    if (!commit) {
      const bool was_listed = std::ranges::binary_search(listing.commits, version);
      return was_listed ? NotFound(KeyOf(CommitName(version)) + " is gone") : Gap(version, folder_);
    }
    WEIR_TRY(state.Apply(version, *std::move(commit)));
  }
  if (!state.metadata()) {
    return Corrupt(fmt::format("{} begins without metadata", folder_), ErrorCode::kMetadataCorrupt);
  }
  return state;
}

}  // namespace weir::delta
