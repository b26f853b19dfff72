#include "io/store.h"

#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "base/random.h"
#include "io/folder_store.h"

namespace weir::io {
namespace {

Error Unsafe(const Store& store, std::string_view what) {
  return Refused(store.Describe() + ": " + std::string(what), ErrorCode::kStoreUnsafe);
}

// Two puts of one name, at the same time where the store is across a network. A local file system
// decides such a race in the kernel, and a simulation wants one order of calls.
Status ProbeRace(Store& store, const std::string& key) {
  Result<PutOutcome> other = PutOutcome::kExists;
  const auto put_other = [&] { other = store.PutIfAbsent(key, "second"); };
  std::thread racer;
  if (store.remote()) racer = std::thread(put_other);
  const Result<PutOutcome> one = store.PutIfAbsent(key, "first");
  if (racer.joinable()) {
    racer.join();
  } else {
    put_other();
  }
  WEIR_TRY(one);
  WEIR_TRY(other);
  const int winners = (*one == PutOutcome::kStored ? 1 : 0) + (*other == PutOutcome::kStored);
  if (winners == 0) return Unsafe(store, "a put of a fresh name was refused");
  if (winners == 2) return Unsafe(store, "one name was accepted twice");
  return Ok();
}

Status PutOne(Store& store, const NewObject& object) {
  WEIR_ASSIGN_OR_RETURN(const PutOutcome outcome, store.PutIfAbsent(object.key, object.bytes));
  if (outcome == PutOutcome::kStored) return Ok();
  // A store may have answered our own first try with a failure and then tried again.
  WEIR_ASSIGN_OR_RETURN(const std::string there, store.Get(object.key));
  if (there == object.bytes) return Ok();
  return Conflict(fmt::format("{}: {} exists already", store.Describe(), object.key));
}

}  // namespace

Result<std::unique_ptr<Store>> OpenFolder(const std::string& path, FolderAccess access) {
  auto store = std::make_unique<FolderStore>(path, access);
  WEIR_TRY(store->Prepare());
  return store;
}

Status Store::PutNew(std::span<const NewObject> objects) {
  std::vector<Status> done(objects.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < objects.size(); ++i) {
      const auto put = [&, i] { done[i] = PutOne(*this, objects[i]); };
      try {
        threads.emplace_back(put);
      } catch (const std::system_error&) {
        put();  // no thread to be had: one after the other
      }
    }
    if (!objects.empty()) done[0] = PutOne(*this, objects[0]);
  }
  for (Status& status : done) WEIR_TRY(std::move(status));
  return Ok();
}

Result<bool> Store::IsThere(std::string_view key) {
  const auto found = Head(key);
  if (!found && found.error().kind != ErrorKind::kNotFound) return found.error();
  return found.has_value();
}

Status Store::DeleteAll(std::span<const std::string> keys) {
  for (const std::string& key : keys) WEIR_TRY(Delete(key));
  return Ok();
}

Result<std::string> Store::GetRange(std::string_view key, std::int64_t offset,
                                    std::int64_t length) {
  WEIR_ASSIGN_OR_RETURN(std::string bytes, Get(key));
  if (offset >= static_cast<std::int64_t>(bytes.size())) return std::string();
  return bytes.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
}

Status ProbePutIfAbsent(Store& store) {
  const std::string key = "probe/" + NewUuid();
  WEIR_TRY(ProbeRace(store, key));
  WEIR_ASSIGN_OR_RETURN(const std::string winner, store.Get(key));
  WEIR_ASSIGN_OR_RETURN(const PutOutcome third, store.PutIfAbsent(key, "third"));
  WEIR_ASSIGN_OR_RETURN(const std::string kept, store.Get(key));
  WEIR_TRY(store.Delete(key));
  if (third != PutOutcome::kExists) return Unsafe(store, "one name was accepted twice");
  if (kept != winner) return Unsafe(store, "a refused put replaced the object");
  return Ok();
}

}  // namespace weir::io
