#include <map>
#include <mutex>

#include "base/clock.h"
#include "io/object_key.h"
#include "io/store.h"

namespace weir::io {
namespace {

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(const Clock& clock) : clock_(clock) {}

  Result<PutOutcome> PutIfAbsent(std::string_view key, std::string_view bytes) override {
    WEIR_TRY(CheckKey(key));
    const std::lock_guard lock(mutex_);
    const bool stored = objects_.try_emplace(std::string(key), NewObject(bytes)).second;
    return stored ? PutOutcome::kStored : PutOutcome::kExists;
  }

  Status Put(std::string_view key, std::string_view bytes) override {
    WEIR_TRY(CheckKey(key));
    const std::lock_guard lock(mutex_);
    objects_.insert_or_assign(std::string(key), NewObject(bytes));
    return Ok();
  }

  Result<std::string> Get(std::string_view key) override {
    WEIR_TRY(CheckKey(key));
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(key);
    if (found == objects_.end()) return Missing(key);
    return found->second.bytes;
  }

  Result<ObjectInfo> Head(std::string_view key) override {
    WEIR_TRY(CheckKey(key));
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(key);
    if (found == objects_.end()) return Missing(key);
    return InfoOf(*found);
  }

  Result<std::vector<ObjectInfo>> List(std::string_view prefix) override {
    WEIR_TRY(CheckPrefix(prefix));
    const std::lock_guard lock(mutex_);
    std::vector<ObjectInfo> found;
    for (auto at = objects_.lower_bound(prefix);
         at != objects_.end() && at->first.starts_with(prefix); ++at) {
      found.push_back(InfoOf(*at));
    }
    return found;
  }

  Status Delete(std::string_view key) override {
    WEIR_TRY(CheckKey(key));
    const std::lock_guard lock(mutex_);
    objects_.erase(std::string(key));
    return Ok();
  }

  Result<std::unique_ptr<OutputStream>> Create(std::string_view key) override;

  std::string Describe() const override { return "memory"; }

 private:
  struct Object {
    std::string bytes;
    std::int64_t modified_ms;
  };
  using Objects = std::map<std::string, Object, std::less<>>;

  Object NewObject(std::string_view bytes) const {
    return {.bytes = std::string(bytes), .modified_ms = clock_.Now() / kMicrosPerMilli};
  }
  static ObjectInfo InfoOf(const Objects::value_type& object) {
    return {.key = object.first,
            .size = static_cast<std::int64_t>(object.second.bytes.size()),
            .modified_ms = object.second.modified_ms};
  }
  static Error Missing(std::string_view key) {
    return NotFound("memory: no object " + std::string(key));
  }

  const Clock& clock_;
  std::mutex mutex_;
  Objects objects_;  // guarded by mutex_
};

class MemoryStream final : public OutputStream {
 public:
  MemoryStream(Store& store, std::string_view key) : store_(store), key_(key) {}

  Status Append(std::string_view bytes) override {
    bytes_ += bytes;
    return Ok();
  }
  std::int64_t size() const override { return static_cast<std::int64_t>(bytes_.size()); }
  Status Finish() override {
    WEIR_ASSIGN_OR_RETURN(const PutOutcome outcome, store_.PutIfAbsent(key_, bytes_));
    if (outcome == PutOutcome::kStored) return Ok();
    return Conflict("memory: somebody else made " + key_);
  }

 private:
  Store& store_;
  std::string key_;
  std::string bytes_;
};

Result<std::unique_ptr<OutputStream>> MemoryStore::Create(std::string_view key) {
  WEIR_TRY(CheckKey(key));
  return std::make_unique<MemoryStream>(*this, key);
}

}  // namespace

std::unique_ptr<Store> NewMemoryStore(const Clock& clock) {
  return std::make_unique<MemoryStore>(clock);
}

}  // namespace weir::io
