#include "iceberg/files.h"

#include <system_error>
#include <thread>

#include <fmt/format.h>

namespace weir::iceberg {
namespace {

// Of one table: the manifests of some thousand small commits.
constexpr std::size_t kMostRememberedBytes = std::size_t{8} << 20;

std::string_view WithoutTrailingSlash(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

// The comparable form of a location: a local path, or the text as it is.
std::string Plain(std::string_view location) {
  if (auto path = LocalPath(location)) return *std::move(path);
  return std::string(WithoutTrailingSlash(location));
}

bool HasDots(std::string_view path) {
  return path.find("/../") != std::string_view::npos || path.ends_with("/..") ||
         path.find("/./") != std::string_view::npos || path.ends_with("/.");
}

}  // namespace

std::optional<std::string> LocalPath(std::string_view location) {
  if (location.starts_with("file:")) {
    location.remove_prefix(5);
    if (location.starts_with("//localhost/")) location.remove_prefix(11);
    // "file:///a" has an empty host; more slashes are somebody's slip.
    while (location.starts_with("//")) location.remove_prefix(1);
  }
  if (!location.starts_with('/')) return std::nullopt;
  std::string path;
  for (char c : WithoutTrailingSlash(location)) {
    if (c != '/' || path.empty() || path.back() != '/') path += c;
  }
  return path;
}

std::string FileLocation(std::string_view path) {
  return "file://" + std::string(WithoutTrailingSlash(path));
}

std::optional<std::string> Below(std::string_view folder, std::string_view location) {
  const std::string base = Plain(folder);
  const std::string full = Plain(location);
  if (full.size() <= base.size() + 1 || !full.starts_with(base)) return std::nullopt;
  if (base == "/") return full.substr(1);
  if (full[base.size()] != '/') return std::nullopt;
  return full.substr(base.size() + 1);
}

Result<Warehouse> OpenWarehouse(const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(auto store, io::OpenFolder(path, io::FolderAccess::kShared));
  return Warehouse{.store = std::move(store), .location = FileLocation(path), .parallel = true};
}

Result<Files::Place> Files::Resolve(std::string_view location) {
  if (HasDots(location)) {
    return Corrupt(fmt::format("the location {} has dots in its path", location),
                   ErrorCode::kMetadataCorrupt);
  }
  if (auto key = warehouse_.store ? Below(warehouse_.location, location) : std::nullopt) {
    return Place{.store = warehouse_.store.get(), .key = *std::move(key)};
  }
  const auto path = LocalPath(location);
  if (!path || *path == "/") {
    return Unsupported(fmt::format("Weir cannot reach {}: only local folders", location),
                       ErrorCode::kTableUnsupported);
  }
  const std::size_t slash = path->rfind('/');
  const std::string folder = slash == 0 ? "/" : path->substr(0, slash);
  auto& store = elsewhere_[folder];
  if (!store) {
    WEIR_ASSIGN_OR_RETURN(store, io::OpenFolder(folder, io::FolderAccess::kShared));
  }
  return Place{.store = store.get(), .key = path->substr(slash + 1)};
}

Result<std::string> Files::Get(std::string_view location) {
  WEIR_ASSIGN_OR_RETURN(const Place place, Resolve(location));
  return place.store->Get(place.key);
}

Result<Files::Bytes> Files::GetImmutable(const std::string& location) {
  if (const auto found = remembered_.find(location); found != remembered_.end()) {
    recent_.splice(recent_.begin(), recent_, found->second);
    return found->second->second;
  }
  WEIR_ASSIGN_OR_RETURN(std::string bytes, Get(location));
  auto shared = std::make_shared<const std::string>(std::move(bytes));
  Remember(location, shared);
  return shared;
}

Status Files::PutOne(const Place& place, const NewFile& file) {
  WEIR_ASSIGN_OR_RETURN(const io::PutOutcome outcome,
                        place.store->PutIfAbsent(place.key, file.bytes));
  if (outcome == io::PutOutcome::kStored) return Ok();
  // A store may have answered our own first try with a failure and then tried again.
  WEIR_ASSIGN_OR_RETURN(const std::string there, place.store->Get(place.key));
  if (there == file.bytes) return Ok();
  return Conflict(fmt::format("{} exists already", file.location));
}

Status Files::PutNew(std::span<const NewFile> files) {
  std::vector<Place> places;
  for (const NewFile& file : files) {
    WEIR_ASSIGN_OR_RETURN(Place place, Resolve(file.location));
    places.push_back(std::move(place));
  }
  std::vector<Status> done(files.size());
  if (warehouse_.parallel) {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < files.size(); ++i) {
      const auto put = [&, i] { done[i] = PutOne(places[i], files[i]); };
      try {
        threads.emplace_back(put);
      } catch (const std::system_error&) {
        put();  // no thread to be had: one after the other
      }
    }
    if (!files.empty()) done[0] = PutOne(places[0], files[0]);
  } else {
    for (std::size_t i = 0; i < files.size(); ++i) WEIR_TRY(PutOne(places[i], files[i]));
  }
  for (Status& status : done) WEIR_TRY(std::move(status));
  for (const NewFile& file : files) {
    if (!file.read_again) continue;
    Remember(file.location, std::make_shared<const std::string>(file.bytes));
  }
  return Ok();
}

Status Files::Delete(const std::string& location) {
  Forget(location);
  WEIR_ASSIGN_OR_RETURN(const Place place, Resolve(location));
  return place.store->Delete(place.key);
}

void Files::Remember(const std::string& location, Bytes bytes) {
  if (bytes->size() > kMostRememberedBytes / 16 || remembered_.contains(location)) return;
  remembered_bytes_ += bytes->size();
  recent_.emplace_front(location, std::move(bytes));
  remembered_[location] = recent_.begin();
  while (remembered_bytes_ > kMostRememberedBytes) Forget(std::string(recent_.back().first));
}

void Files::Forget(const std::string& location) {
  const auto found = remembered_.find(location);
  if (found == remembered_.end()) return;
  remembered_bytes_ -= found->second->second->size();
  recent_.erase(found->second);
  remembered_.erase(found);
}

Result<std::vector<io::ObjectInfo>> Files::List(std::string_view folder) {
  WEIR_ASSIGN_OR_RETURN(const Place place, Resolve(folder));
  WEIR_ASSIGN_OR_RETURN(std::vector<io::ObjectInfo> found, place.store->List(place.key + "/"));
  const std::string base = std::string(WithoutTrailingSlash(folder)) + "/";
  for (io::ObjectInfo& object : found) {
    object.key = base + object.key.substr(place.key.size() + 1);
  }
  return found;
}

}  // namespace weir::iceberg
