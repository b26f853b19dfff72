#include "iceberg/files.h"

#include <deque>

#include <fmt/format.h>

namespace weir::iceberg {
namespace {

// Of one table: the manifests of some thousand small commits.
constexpr std::size_t kMostRememberedBytes = std::size_t{8} << 20;

std::string_view WithoutTrailingSlash(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

bool HasDots(std::string_view path) {
  return path.find("/../") != std::string_view::npos || path.ends_with("/..") ||
         path.find("/./") != std::string_view::npos || path.ends_with("/.");
}

}  // namespace

Result<Warehouse> OpenWarehouse(const std::string& location, const io::StoreOptions& stores) {
  WEIR_ASSIGN_OR_RETURN(auto store, io::OpenLocation(location, stores, io::FolderAccess::kShared));
  return Warehouse{.store = std::move(store),
                   .location = io::WrittenLocation(location),
                   .parallel = true,
                   .stores = stores};
}

Result<Files::Place> Files::Resolve(std::string_view location) {
  if (HasDots(location)) {
    return Corrupt(fmt::format("the location {} has dots in its path", location),
                   ErrorCode::kMetadataCorrupt);
  }
  if (auto key = warehouse_.store ? Below(warehouse_.location, location) : std::nullopt) {
    return Place{.store = warehouse_.store.get(), .key = *std::move(key)};
  }
  // Of a bucket the whole, of a file system the file's own folder.
  const std::string plain = io::PlainLocation(location);
  const std::size_t bucket_end = plain.find('/', io::IsS3Location(plain) ? 5 : plain.size());
  const std::size_t slash = io::IsS3Location(plain) ? bucket_end : plain.rfind('/');
  if (slash == std::string::npos || slash + 1 == plain.size()) {
    return Unsupported(fmt::format("Weir cannot reach {}: it names no file", location),
                       ErrorCode::kTableUnsupported);
  }
  const std::string root = slash == 0 ? "/" : plain.substr(0, slash);
  const io::StoreOptions& general = warehouse_.stores;
  const auto granted = general.granted ? general.granted->Find(plain) : std::nullopt;
  auto& store = elsewhere_[{root, granted ? granted->place : ""}];
  if (!store) {
    const io::StoreOptions here{.s3 = io::S3OptionsAt(plain, general)};
    WEIR_ASSIGN_OR_RETURN(store, io::OpenLocation(root, here, io::FolderAccess::kShared));
  }
  return Place{.store = store.get(), .key = plain.substr(slash + 1)};
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

Status Files::PutNew(std::span<const NewFile> files) {
  std::deque<Place> places;
  std::map<io::Store*, std::vector<io::NewObject>> objects;
  for (const NewFile& file : files) {
    WEIR_ASSIGN_OR_RETURN(Place place, Resolve(file.location));
    places.push_back(std::move(place));
    objects[places.back().store].push_back({.key = places.back().key, .bytes = file.bytes});
  }
  for (const auto& [store, of_store] : objects) {
    if (warehouse_.parallel) {
      WEIR_TRY(store->PutNew(of_store));
    } else {
      for (const io::NewObject& object : of_store) WEIR_TRY(store->PutNew({&object, 1}));
    }
  }
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

Status Files::DeleteAll(const std::set<std::string>& locations) {
  std::map<io::Store*, std::vector<std::string>> keys;
  for (const std::string& location : locations) {
    Forget(location);
    WEIR_ASSIGN_OR_RETURN(Place place, Resolve(location));
    keys[place.store].push_back(std::move(place.key));
  }
  for (const auto& [store, of_store] : keys) WEIR_TRY(store->DeleteAll(of_store));
  return Ok();
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
