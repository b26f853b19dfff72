#pragma once
// FolderStore: objects as files below a folder of the local file system.
//
// An object is written under a temporary name in <root>/.weir-tmp, synced, and then linked to its
// name, which fails if the name is taken: so objects are always whole and races have one winner.
// The folder that got the name, and every folder on the way that this store has not used before, is
// synced before a put returns. Only what nobody looks for yet (PutNew) gets its name first, and one
// wait for all its syncs. What a reader finds may have been linked by somebody who died before
// his sync: so Get, Head, List and a lost race sync the folder too, before they return.

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "io/side_workers.h"
#include "io/store.h"
#include "io/temporary_file.h"

namespace weir::io {

class FolderStore final : public Store {
 public:
  FolderStore(std::string root, FolderAccess access);
  /// Makes the root and removes what dead writers left. Called once, before anything else.
  Status Prepare();

  Result<PutOutcome> PutIfAbsent(std::string_view key, std::string_view bytes) override;
  Status PutNew(std::span<const NewObject> objects) override;
  Status Put(std::string_view key, std::string_view bytes) override;
  Result<std::string> Get(std::string_view key) override;
  Result<ObjectInfo> Head(std::string_view key) override;
  Result<bool> IsThere(std::string_view key) override;
  Result<std::vector<ObjectInfo>> List(std::string_view prefix) override;
  Status Delete(std::string_view key) override;
  Result<std::unique_ptr<OutputStream>> Create(std::string_view key) override;
  std::string Describe() const override { return root_; }

 private:
  enum class Naming { kIfAbsent, kReplace };
  enum class Missing { kMake, kFail };

  std::string PathOf(std::string_view key) const;
  std::string TemporaryFolder() const;
  Result<TemporaryFile> WriteTemporary(std::string_view bytes);
  Result<PutOutcome> Publish(TemporaryFile& file, std::string_view key, Naming naming);
  Result<PutOutcome> InFolder(std::string_view key,
                              const std::function<Result<PutOutcome>()>& name);
  Result<PutOutcome> Name(const TemporaryFile& file, std::string_view key, Naming naming) const;
  Result<PutOutcome> NameDurably(const TemporaryFile& file, std::string_view key,
                                 Naming naming) const;
  Status CheckSame(const NewObject& object);
  Status MakeRoot();
  Status SecureName(std::string_view folder, Missing missing);
  Status SecureContents(std::string_view folder);
  Status ListFolder(const std::string& folder, std::string_view prefix,
                    std::vector<ObjectInfo>& found);
  void RemoveEmptyFolders(std::string_view folder);
  bool IsKnown(std::string_view folder);
  void Remember(std::string_view folder);
  void Forget(std::string_view folder);
  void ForgetPath(std::string_view folder);

  const std::string root_;
  const FolderAccess access_;
  std::mutex mutex_;
  // Guarded by mutex_: folders whose own names are durable, all the way up to the root.
  std::unordered_set<std::string> known_folders_;
  SideWorkers syncers_;
};

}  // namespace weir::io
