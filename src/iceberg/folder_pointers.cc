#include "iceberg/folder_pointers.h"

#include <set>

#include <fmt/format.h>

#include "base/check.h"
#include "base/log.h"
#include "connect/table_folder.h"

namespace weir::iceberg {
namespace {

constexpr std::string_view kMetadataFolder = "/metadata/";

Error AsCatalogError(Error error) {
  if (error.code == ErrorCode::kNone) error.code = ErrorCode::kCatalogUnavailable;
  return error;
}

}  // namespace

Result<FolderPointers::Newest> FolderPointers::FindNewest(const std::string& folder_key) {
  // A listing, never the hint: it sees every finished put, and what it returns is durable.
  auto found = warehouse_.store->List(folder_key + "v");
  if (!found) return AsCatalogError(std::move(found).error());
  Newest newest;
  for (io::ObjectInfo& object : *found) {
    if (object.key.find('/', folder_key.size()) != std::string::npos) continue;
    const std::int64_t version = VersionOfMetadata(object.key);
    if (version > newest.version) newest = {version, std::move(object)};
  }
  return newest;
}

Result<CurrentMetadata> FolderPointers::Current(const connect::TableName& name) {
  WEIR_ASSIGN_OR_RETURN(const Newest newest,
                        FindNewest(connect::TableFolder(name) + std::string(kMetadataFolder)));
  if (newest.version == 0) {
    return NotFound(fmt::format("table {} is not in {}", ToString(name), Describe()),
                    ErrorCode::kTableMissing);
  }
  return CurrentMetadata{.location = warehouse_.location + "/" + newest.object.key,
                         .size = newest.object.size};
}

std::string FolderPointers::NextLocation(std::string_view folder, const Attempt& attempt) const {
  return fmt::format("{}/v{}.metadata.json", folder, attempt.version);
}

Result<SwapOutcome> FolderPointers::Swap(std::span<const PointerSwap> swaps) {
  WEIR_CHECK(swaps.size() == 1);
  const PointerSwap& swap = swaps.front();
  const auto key = Below(warehouse_.location, swap.next);
  if (!key) {
    return Unsupported(fmt::format("{} is outside of the warehouse {}", swap.next, Describe()),
                       ErrorCode::kTableUnsupported);
  }
  const auto put = warehouse_.store->PutIfAbsent(*key, swap.text);
  if (!put && put.error().kind == ErrorKind::kCommitUnknown) {
    return connect::CommitOutcome::kUnknown;
  }
  if (!put) return AsCatalogError(put.error());
  if (*put == io::PutOutcome::kExists) {
    const auto there = warehouse_.store->Get(*key);
    if (!there && there.error().kind != ErrorKind::kNotFound) {
      return connect::CommitOutcome::kUnknown;
    }
    if (!there || *there != swap.text) return connect::CommitOutcome::kConflict;
  }
  WEIR_ASSIGN_OR_RETURN(const auto confirmed, Confirm(swap, *key));
  return SwapOutcome(confirmed);
}

// A slow writer may have put a version that others made, passed and cleaned up long ago: the slot
// was free again, but the table is elsewhere. As with claims, only a look after the put decides.
Result<connect::CommitOutcome> FolderPointers::Confirm(const PointerSwap& swap,
                                                       const std::string& key) {
  const std::string folder = key.substr(0, key.rfind('/') + 1);
  const auto newest = FindNewest(folder);
  if (!newest) return connect::CommitOutcome::kUnknown;
  const std::int64_t version = VersionOfMetadata(key);
  if (newest->version > version) {
    const auto text = warehouse_.store->Get(newest->object.key);
    if (!text) return connect::CommitOutcome::kUnknown;
    if (text->find(std::to_string(swap.snapshot_id)) == std::string::npos) {
      const Status deleted = warehouse_.store->Delete(key);
      if (!deleted) log::Warn("a stale metadata file stays", {{"file", key}});
      return connect::CommitOutcome::kConflict;
    }
    return connect::CommitOutcome::kCommitted;
  }
  // Best effort: readers that need the hint look further from an old one.
  const Status hinted =
      warehouse_.store->Put(folder + "version-hint.text", std::to_string(version));
  if (!hinted) log::Debug("version hint not written", {{"error", hinted.error().message}});
  return connect::CommitOutcome::kCommitted;
}

Status FolderPointers::Insert(const connect::TableName& name, const std::string& location,
                              std::string_view text) {
  const std::string folder = connect::TableFolder(name) + std::string(kMetadataFolder);
  WEIR_ASSIGN_OR_RETURN(const Newest newest, FindNewest(folder));
  const auto exists = [&] {
    return Conflict(fmt::format("table {} exists already", ToString(name)));
  };
  if (newest.version != 0) return exists();
  const auto key = Below(warehouse_.location, location);
  WEIR_CHECK(key.has_value());
  WEIR_ASSIGN_OR_RETURN(const io::PutOutcome put, warehouse_.store->PutIfAbsent(*key, text));
  if (put == io::PutOutcome::kExists) return exists();
  return warehouse_.store->Put(folder + "version-hint.text", "1");
}

Result<std::vector<connect::TableName>> FolderPointers::List() {
  auto found = warehouse_.store->List("");
  if (!found) return AsCatalogError(std::move(found).error());
  std::set<connect::TableName> names;
  for (const io::ObjectInfo& object : *found) {
    const std::size_t metadata = object.key.rfind(kMetadataFolder);
    if (metadata == std::string::npos || VersionOfMetadata(object.key) < 1) continue;
    auto name = connect::TableInFolder(std::string_view(object.key).substr(0, metadata));
    if (name) names.insert(*std::move(name));
  }
  return std::vector<connect::TableName>(names.begin(), names.end());
}

Status FolderPointers::Check() { return io::ProbePutIfAbsent(*warehouse_.store); }

std::string FolderPointers::Describe() const { return warehouse_.store->Describe(); }

}  // namespace weir::iceberg
