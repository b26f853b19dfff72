#include "io/store.h"

#include "base/random.h"
#include "io/folder_store.h"

namespace weir::io {
namespace {

Error Unsafe(const Store& store, std::string_view what) {
  return Refused(store.Describe() + ": " + std::string(what), ErrorCode::kStoreUnsafe);
}

}  // namespace

Result<std::unique_ptr<Store>> OpenFolder(const std::string& path, FolderAccess access) {
  auto store = std::make_unique<FolderStore>(path, access);
  WEIR_TRY(store->Prepare());
  return store;
}

Status ProbePutIfAbsent(Store& store) {
  const std::string key = "probe/" + NewUuid();
  WEIR_ASSIGN_OR_RETURN(const PutOutcome first, store.PutIfAbsent(key, "first"));
  WEIR_ASSIGN_OR_RETURN(const PutOutcome second, store.PutIfAbsent(key, "second"));
  WEIR_ASSIGN_OR_RETURN(const std::string kept, store.Get(key));
  WEIR_TRY(store.Delete(key));
  if (first != PutOutcome::kStored) return Unsafe(store, "a put of a fresh name was refused");
  if (second != PutOutcome::kExists) return Unsafe(store, "one name was accepted twice");
  if (kept != "first") return Unsafe(store, "a refused put replaced the object");
  return Ok();
}

}  // namespace weir::io
