#include "io/folder_store.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file.h"
#include "io/folder_stream.h"
#include "io/object_key.h"

namespace weir::io {
namespace {

constexpr std::string_view kTemporaryFolder = ".weir-tmp";
constexpr int kNamingAttempts = 100;
constexpr std::size_t kSyncers = 4;  // beside the caller: files of a commit and their folder

std::string Join(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.empty()) path += '/';
  return path.append(name);
}

ObjectInfo InfoOf(std::string key, const struct stat& info) {
  return {.key = std::move(key),
          .size = info.st_size,
          .modified_ms = info.st_mtim.tv_sec * 1'000 + info.st_mtim.tv_nsec / 1'000'000};
}

// Gives a synced file its name. 0, or errno: EEXIST where the name is taken.
int NameIfAbsent(const std::string& from, const std::string& to) {
  if (link(from.c_str(), to.c_str()) == 0) return 0;
  const int error = errno;
  if (error != EPERM && error != EOPNOTSUPP && error != ENOSYS && error != EMLINK) return error;
  // No hard links here (FAT, some network mounts). EINVAL or ENOSYS: no such rename either.
  return renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0 ? 0 : errno;
}

int NameOrReplace(const std::string& from, const std::string& to) {
  return rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

Error CannotDecide(const std::string& path) {
  return WithRemedy(
      Refused(
          path + ": the file system has neither hard links nor a rename that spares what is there",
          ErrorCode::kStoreUnsafe),
      "keep this folder on a local file system");
}

mode_t FileMode(FolderAccess access) { return access == FolderAccess::kPrivate ? 0600 : 0644; }
mode_t FolderMode(FolderAccess access) { return access == FolderAccess::kPrivate ? 0700 : 0755; }

struct FolderCloser {
  void operator()(DIR* folder) const { closedir(folder); }
};

}  // namespace

FolderStore::FolderStore(std::string root, FolderAccess access)
    : root_(std::move(root)), access_(access), syncers_(kSyncers) {}

Status FolderStore::Prepare() {
  WEIR_TRY(MakeRoot());
  RemoveStaleTemporaries(TemporaryFolder());
  return Ok();
}

std::string FolderStore::PathOf(std::string_view key) const {
  return key.empty() ? root_ : Join(root_, key);
}

std::string FolderStore::TemporaryFolder() const { return Join(root_, kTemporaryFolder); }

Result<PutOutcome> FolderStore::PutIfAbsent(std::string_view key, std::string_view bytes) {
  WEIR_TRY(CheckKey(key));
  WEIR_ASSIGN_OR_RETURN(TemporaryFile file, WriteTemporary(bytes));
  return Publish(file, key, Naming::kIfAbsent);
}

Status FolderStore::Put(std::string_view key, std::string_view bytes) {
  WEIR_TRY(CheckKey(key));
  WEIR_ASSIGN_OR_RETURN(TemporaryFile file, WriteTemporary(bytes));
  WEIR_TRY(Publish(file, key, Naming::kReplace));
  return Ok();
}

Result<std::unique_ptr<OutputStream>> FolderStore::Create(std::string_view key) {
  WEIR_TRY(CheckKey(key));
  WEIR_ASSIGN_OR_RETURN(TemporaryFile file, WriteTemporary({}));
  auto publish = [this, key = std::string(key)](TemporaryFile& written) -> Status {
    WEIR_ASSIGN_OR_RETURN(const PutOutcome outcome, Publish(written, key, Naming::kIfAbsent));
    if (outcome == PutOutcome::kStored) return Ok();
    return Conflict(PathOf(key) + ": somebody else made this object");
  };
  return std::make_unique<FolderStream>(std::move(file), std::move(publish));
}

Result<TemporaryFile> FolderStore::WriteTemporary(std::string_view bytes) {
  auto file = TemporaryFile::Make(TemporaryFolder(), FileMode(access_));
  if (!file && file.error().kind == ErrorKind::kNotFound) {
    if (mkdir(TemporaryFolder().c_str(), FolderMode(access_)) != 0 && errno != EEXIST) {
      return FileError(errno, TemporaryFolder(), "make the folder");
    }
    file = TemporaryFile::Make(TemporaryFolder(), FileMode(access_));
  }
  if (!file) return std::move(file).error();
  WEIR_TRY(file->Write(bytes));
  return file;
}

// Nobody looks for these before all syncs are done, so that a name may come before its bytes.
Status FolderStore::PutNew(std::span<const NewObject> objects) {
  std::vector<TemporaryFile> files;
  for (const NewObject& object : objects) {
    WEIR_TRY(CheckKey(object.key));
    WEIR_ASSIGN_OR_RETURN(TemporaryFile file, WriteTemporary(object.bytes));
    file.BeginSync();
    files.push_back(std::move(file));
  }
  std::set<std::string> folders;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const std::string_view key = objects[i].key;
    WEIR_ASSIGN_OR_RETURN(const PutOutcome outcome,
                          InFolder(key, [&] { return Name(files[i], key, Naming::kIfAbsent); }));
    if (outcome == PutOutcome::kExists) WEIR_TRY(CheckSame(objects[i]));
    folders.insert(PathOf(FolderOf(key)));
  }
  std::vector<Status> done(files.size() + folders.size());
  std::vector<std::function<void()>> syncs;
  syncs.reserve(done.size());
  for (TemporaryFile& file : files) {
    syncs.emplace_back([&file, &status = done[syncs.size()]] { status = file.Sync(); });
  }
  for (const std::string& folder : folders) {
    syncs.emplace_back([&folder, &status = done[syncs.size()]] { status = SyncFolder(folder); });
  }
  syncers_.RunAll(syncs);
  for (Status& status : done) WEIR_TRY(std::move(status));
  return Ok();
}

// Whether what has the name of an object is that object, and durable.
Status FolderStore::CheckSame(const NewObject& object) {
  WEIR_ASSIGN_OR_RETURN(File file, File::Open(PathOf(object.key), O_RDONLY));
  WEIR_ASSIGN_OR_RETURN(const std::string there, file.ReadAll());
  if (there == object.bytes) return file.Sync();
  return Conflict(file.path() + " exists already");
}

// The order that docs/PROTOCOL.md demands: sync the bytes, name them, sync the names.
Result<PutOutcome> FolderStore::Publish(TemporaryFile& file, std::string_view key, Naming naming) {
  WEIR_TRY(file.Sync());
  return InFolder(key, [&] { return NameDurably(file, key, naming); });
}

// Has a file named in its folder, which is made where it is not there.
Result<PutOutcome> FolderStore::InFolder(std::string_view key,
                                         const std::function<Result<PutOutcome>()>& name) {
  const std::string_view folder = FolderOf(key);
  for (int attempt = 1;; ++attempt) {
    WEIR_TRY(SecureName(folder, Missing::kMake));
    auto outcome = name();
    // Whoever deletes the last object of a folder removes the folder, perhaps just now.
    const bool gone = !outcome && outcome.error().kind == ErrorKind::kNotFound;
    if (!gone) return outcome;
    if (attempt == kNamingAttempts) {
      return Unavailable(PathOf(key) + ": the folder is removed again and again",
                         ErrorCode::kStorageFailed);
    }
    ForgetPath(folder);
  }
}

// kNotFound: the folder is gone.
Result<PutOutcome> FolderStore::Name(const TemporaryFile& file, std::string_view key,
                                     Naming naming) const {
  const std::string path = PathOf(key);
  const int error = naming == Naming::kReplace ? NameOrReplace(file.path(), path)
                                               : NameIfAbsent(file.path(), path);
  if (error == EINVAL || error == ENOSYS) return CannotDecide(path);
  if (error != 0 && error != EEXIST) return FileError(error, path, "name the file");
  return error == 0 ? PutOutcome::kStored : PutOutcome::kExists;
}

Result<PutOutcome> FolderStore::NameDurably(const TemporaryFile& file, std::string_view key,
                                            Naming naming) const {
  WEIR_ASSIGN_OR_RETURN(const PutOutcome outcome, Name(file, key, naming));
  Status synced = SyncFolder(PathOf(FolderOf(key)));
  if (synced.ok()) return outcome;
  if (outcome == PutOutcome::kStored) {
    if (synced.error().kind == ErrorKind::kNotFound) return outcome;  // stored, and deleted since
    synced.error().kind = ErrorKind::kCommitUnknown;
  }
  return std::move(synced).error();
}

Result<std::string> FolderStore::Get(std::string_view key) {
  WEIR_TRY(CheckKey(key));
  WEIR_ASSIGN_OR_RETURN(File file, File::Open(PathOf(key), O_RDONLY));
  WEIR_ASSIGN_OR_RETURN(std::string bytes, file.ReadAll());
  WEIR_TRY(SecureContents(FolderOf(key)));
  return bytes;
}

Result<ObjectInfo> FolderStore::Head(std::string_view key) {
  WEIR_TRY(CheckKey(key));
  const std::string path = PathOf(key);
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return FileError(errno, path, "look at the file");
  if (!S_ISREG(info.st_mode)) return NotFound(path + ": not a file");
  WEIR_TRY(SecureContents(FolderOf(key)));
  return InfoOf(std::string(key), info);
}

Result<bool> FolderStore::IsThere(std::string_view key) {
  WEIR_TRY(CheckKey(key));
  const std::string path = PathOf(key);
  struct stat info {};
  if (stat(path.c_str(), &info) == 0) return S_ISREG(info.st_mode);
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return FileError(errno, path, "look at the file");
}

Result<std::vector<ObjectInfo>> FolderStore::List(std::string_view prefix) {
  WEIR_TRY(CheckPrefix(prefix));
  std::vector<ObjectInfo> found;
  WEIR_TRY(ListFolder(std::string(FolderOf(prefix)), prefix, found));
  std::ranges::sort(found, {}, &ObjectInfo::key);
  return found;
}

Status FolderStore::ListFolder(const std::string& folder, std::string_view prefix,
                               std::vector<ObjectInfo>& found) {
  const std::unique_ptr<DIR, FolderCloser> entries(opendir(PathOf(folder).c_str()));
  if (entries == nullptr) {
    if (errno == ENOENT || errno == ENOTDIR) return Ok();
    return FileError(errno, PathOf(folder), "list the folder");
  }
  std::vector<std::string> folders;
  while (true) {
    errno = 0;
    const dirent* entry = readdir(entries.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || name.starts_with(".weir-")) continue;
    std::string key = Join(folder, name);
    struct stat info {};
    // An entry that is gone by now was deleted; a link that leads nowhere is nobody's object.
    if (fstatat(dirfd(entries.get()), entry->d_name, &info, 0) != 0) continue;
    if (S_ISDIR(info.st_mode)) {
      if (entry->d_type != DT_LNK && (key + '/').starts_with(prefix.substr(0, key.size() + 1))) {
        folders.push_back(std::move(key));
      }
    } else if (S_ISREG(info.st_mode) && key.starts_with(prefix)) {
      found.push_back(InfoOf(std::move(key), info));
    }
  }
  if (errno != 0) return FileError(errno, PathOf(folder), "list the folder");
  if (Status secured = SecureContents(folder); !secured) {
    // A folder that is gone by now was empty before it went.
    if (secured.error().kind != ErrorKind::kNotFound) return secured;
    std::erase_if(found, [&](const ObjectInfo& info) { return FolderOf(info.key) == folder; });
    return Ok();
  }
  for (const std::string& below : folders) WEIR_TRY(ListFolder(below, prefix, found));
  return Ok();
}

Status FolderStore::Delete(std::string_view key) {
  WEIR_TRY(CheckKey(key));
  const std::string path = PathOf(key);
  if (unlink(path.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR) {
    return FileError(errno, path, "delete");
  }
  RemoveEmptyFolders(FolderOf(key));
  return Ok();
}

// Journals make a folder for each epoch; empty ones would pile up without end. In a lake, others
// may be about to write into an empty folder, and there are few.
void FolderStore::RemoveEmptyFolders(std::string_view folder) {
  if (access_ == FolderAccess::kShared) return;
  while (!folder.empty() && rmdir(PathOf(folder).c_str()) == 0) {
    Forget(folder);
    folder = FolderOf(folder);
  }
}

Status FolderStore::MakeRoot() {
  std::error_code ignored;
  const std::filesystem::path absolute = std::filesystem::absolute(root_, ignored);
  std::filesystem::path made;
  for (const auto& part : absolute) {
    const std::filesystem::path parent = made;
    made /= part;
    if (part.empty() || made == absolute.root_path()) continue;
    if (mkdir(made.c_str(), FolderMode(access_)) == 0) {
      WEIR_TRY(SyncFolder(parent.string()));
    } else if (const int error = errno; !std::filesystem::is_directory(made, ignored)) {
      return FileError(error, made.string(), "make the folder");
    }
  }
  if (std::filesystem::is_directory(root_, ignored)) return Ok();
  return InvalidInput(root_ + ": not a folder");
}

// Makes the names of a folder and of those above it durable, from the top.
Status FolderStore::SecureName(std::string_view folder, Missing missing) {
  if (folder.empty() || IsKnown(folder)) return Ok();
  const std::string_view parent = FolderOf(folder);
  const std::string path = PathOf(folder);
  for (int attempt = 1;; ++attempt) {
    WEIR_TRY(SecureName(parent, missing));
    const bool there = missing == Missing::kFail || mkdir(path.c_str(), FolderMode(access_)) == 0 ||
                       errno == EEXIST;
    Status secured =
        there ? SyncFolder(PathOf(parent)) : Status(FileError(errno, path, "make the folder"));
    if (secured.ok()) {
      Remember(folder);
      return Ok();
    }
    // The folder above is gone again, as in Publish.
    const bool again = missing == Missing::kMake && attempt < kNamingAttempts &&
                       secured.error().kind == ErrorKind::kNotFound;
    if (!again) return secured;
    ForgetPath(parent);
  }
}

// Makes durable what a reader saw in a folder: whoever put it there may have died before that.
Status FolderStore::SecureContents(std::string_view folder) {
  WEIR_TRY(SecureName(folder, Missing::kFail));
  return SyncFolder(PathOf(folder));
}

bool FolderStore::IsKnown(std::string_view folder) {
  const std::lock_guard lock(mutex_);
  return known_folders_.contains(std::string(folder));
}

void FolderStore::Remember(std::string_view folder) {
  const std::lock_guard lock(mutex_);
  known_folders_.emplace(folder);
}

void FolderStore::Forget(std::string_view folder) {
  const std::lock_guard lock(mutex_);
  known_folders_.erase(std::string(folder));
}

void FolderStore::ForgetPath(std::string_view folder) {
  const std::lock_guard lock(mutex_);
  for (; !folder.empty(); folder = FolderOf(folder)) known_folders_.erase(std::string(folder));
}

}  // namespace weir::io
