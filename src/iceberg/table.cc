#include "iceberg/table.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/fail_point.h"
#include "base/log.h"
#include "base/random.h"
#include "connect/partition_path.h"
#include "iceberg/gzip.h"
#include "iceberg/manifest_list.h"
#include "iceberg/manifest_reader.h"
#include "iceberg/metadata_edit.h"
#include "iceberg/progress.h"
#include "iceberg/schema_change.h"

namespace weir::iceberg {
namespace {

using connect::CommitOutcome;
using connect::TableVersion;

// How often a pointer may move on to a newer file while we read the older one.
constexpr int kReadTries = 5;

MetadataPtr SharedMetadataOf(const TableVersion& version) {
  WEIR_CHECK(version.metadata != nullptr);
  return std::static_pointer_cast<const TableMetadata>(version.metadata);
}

const TableMetadata& MetadataOf(const TableVersion& version) {
  WEIR_CHECK(version.metadata != nullptr);
  return *static_cast<const TableMetadata*>(version.metadata.get());
}

bool IsCompressed(std::string_view file) {
  return file.ends_with(".gz.metadata.json") || file.ends_with(".metadata.json.gz");
}

// Of the head; empty for a table without one.
std::string ManifestListOf(const TableMetadata& metadata) {
  const Snapshot* head = metadata.head();
  return head == nullptr ? "" : head->manifest_list;
}

bool IsSame(const TableMetadata& metadata, const CurrentMetadata& current) {
  return metadata.file == current.location &&
         metadata.file_size == current.size.value_or(metadata.file_size);
}

// Where data files go, if the table names a folder; as a key below its location.
Result<std::string> DataKey(const TableMetadata& metadata) {
  const auto found = metadata.properties.find("write.data.path");
  if (found == metadata.properties.end() || found->second.empty()) return std::string("data");
  if (auto key = Below(metadata.location, found->second)) return *std::move(key);
  return Unsupported(fmt::format("write.data.path = {} is outside of the table's location {}",
                                 found->second, metadata.location),
                     ErrorCode::kTableUnsupported);
}

Status ChangeColumns(const TableMetadata& metadata, const connect::SchemaChange& change, Micros now,
                     MetadataEdit* edit) {
  WEIR_TRY(CheckWritable(metadata));
  WEIR_TRY(CheckSchemaChange(metadata, change));
  return edit->ChangeSchema(change, now / kMicrosPerMilli);
}

}  // namespace

IcebergTable::IcebergTable(connect::TableName name, std::string pipeline,
                           std::shared_ptr<Pointers> pointers,
                           std::shared_ptr<connect::TableGroup> group, Warehouse warehouse,
                           Clock& clock)
    : name_(std::move(name)),
      pipeline_(std::move(pipeline)),
      pointers_(std::move(pointers)),
      group_(std::move(group)),
      files_(std::move(warehouse)),
      clock_(clock),
      cleanup_(files_, clock, pointers_->metadata_writer()) {}

Result<std::shared_ptr<const TableVersion>> IcebergTable::Load() {
  auto metadata = ReadCurrent();
  if (!metadata) return WithContext(std::move(metadata).error(), "table " + ToString(name_));
  if (version_ && version_->metadata == *metadata) return version_;
  auto version = VersionOf(std::move(metadata).value());
  if (!version) return WithContext(std::move(version).error(), "table " + ToString(name_));
  version_ = *version;
  cleanup_.Observe(std::static_pointer_cast<const TableMetadata>(version_->metadata));
  return version;
}

Result<MetadataPtr> IcebergTable::ReadCurrent() {
  std::string file;
  for (int i = 0; i < kReadTries; ++i) {
    WEIR_ASSIGN_OR_RETURN(CurrentMetadata current, pointers_->Current(name_));
    if (version_ && IsSame(MetadataOf(*version_), current)) {
      return std::static_pointer_cast<const TableMetadata>(version_->metadata);
    }
    if (current.metadata != nullptr) return std::move(current.metadata);
    // The same name again: the file is really not there.
    if (current.location == file) break;
    file = std::move(current.location);
    auto text = files_.Get(file);
    if (!text && text.error().kind == ErrorKind::kNotFound) continue;
    if (!text) return std::move(text).error();
    if (IsCompressed(file)) {
      text = Gunzip(*text);
      if (!text) return WithContext(std::move(text).error(), "table metadata " + file);
    }
    return ParseMetadata(*text, file);
  }
  return Corrupt(fmt::format("the catalog names {}, which is not there", file),
                 ErrorCode::kMetadataCorrupt);
}

Result<std::shared_ptr<const TableVersion>> IcebergTable::VersionOf(MetadataPtr metadata) {
  // Who only reads may look at any table; who writes must understand all of it.
  if (!pipeline_.empty()) {
    WEIR_TRY(CheckWritable(*metadata));
    if (auto place = files_.Resolve(metadata->location); !place) return std::move(place).error();
    if (auto key = DataKey(*metadata); !key) return std::move(key).error();
  }
  auto version = std::make_shared<TableVersion>();
  version->uuid = metadata->uuid;
  version->location = metadata->location;
  version->format_version = metadata->format_version;
  version->schema = metadata->schema;
  if (const auto* spec = metadata->FindSpec(metadata->default_spec_id)) version->spec = *spec;
  version->sort_order = metadata->sort_order;
  version->properties = metadata->properties;
  version->snapshot_id = metadata->current_snapshot_id;
  if (const Snapshot* head = metadata->head()) {
    version->total_records = head->Total("total-records").value_or(0);
  }
  WEIR_ASSIGN_OR_RETURN(version->progress, ReadProgress(*metadata, pipeline_));
  if (version->progress) version->lineage = LineageOf(*metadata, pipeline_, *version->progress);
  version->metadata = std::move(metadata);
  return std::shared_ptr<const TableVersion>(std::move(version));
}

connect::TableGroup* IcebergTable::group() {
  return group_ != nullptr && pointers_->joint_swaps() ? group_.get() : nullptr;
}

// Servers were seen to say yes and to lose the part of a table that another writer changed just
// then, so what became of it is looked at. A database's own transaction is believed.
std::optional<connect::GroupedCommit> IcebergTable::Grouped(const TableVersion& base,
                                                            const connect::TableCommit& commit) {
  auto part = Table::Grouped(base, commit);
  part->whole = pointers_->metadata_writer() != MetadataWriter::kCatalog;
  return part;
}

Result<CommitOutcome> IcebergTable::Commit(const TableVersion& base,
                                           const connect::TableCommit& commit) {
  WEIR_ASSIGN_OR_RETURN(PreparedCommit prepared, Prepare(base, commit));
  return Land(std::move(prepared));
}

// An empty snapshot on top of the head: progress must never change where main stays, since catalogs
// that compare references only would let two such changes overwrite each other.
Result<CommitOutcome> IcebergTable::AcceptRollback(const TableVersion& base) {
  WEIR_ASSIGN_OR_RETURN(PreparedCommit prepared, Build(base, {}));
  WEIR_TRY(Write(prepared));
  return Land(std::move(prepared));
}

Result<PreparedCommit> IcebergTable::Prepare(const TableVersion& base,
                                             const connect::TableCommit& commit) {
  if (base.lineage == connect::Lineage::kRolledBack) {
    return Refused(fmt::format("table {} was rolled back behind the progress of {}",
                               ToString(name_), pipeline_),
                   ErrorCode::kTableRolledBack);
  }
  WEIR_ASSIGN_OR_RETURN(PreparedCommit prepared, Build(base, commit));
  WEIR_TRY(Write(prepared));
  return prepared;
}

Result<PreparedCommit> IcebergTable::Build(const TableVersion& base,
                                           const connect::TableCommit& commit) {
  const TableMetadata& metadata = MetadataOf(base);
  WEIR_TRY(CheckWritable(metadata));
  WEIR_ASSIGN_OR_RETURN(const auto* manifests, ManifestsOf(metadata));
  const Attempt attempt = AttemptOn(metadata);
  const std::string folder = MetadataFolder(metadata);
  const AppendInput input{.base = metadata,
                          .manifests = *manifests,
                          .commit = commit,
                          .progress = base.progress,
                          .pipeline = pipeline_,
                          .attempt = attempt,
                          .metadata_folder = folder,
                          .metadata_location = pointers_->NextLocation(folder, attempt),
                          .now_ms = clock_.Now() / kMicrosPerMilli};
  auto built = BuildAppend(files_, input, unmergeable_);
  if (!built) return WithContext(std::move(built).error(), "table " + ToString(name_));
  cleanup_.set_reader_grace(commit.expiry.reader_grace);
  return PreparedCommit{.base = SharedMetadataOf(base), .built = *std::move(built), .written = {}};
}

Status IcebergTable::CheckEvolve(const TableVersion& base, const connect::SchemaChange& change) {
  MetadataEdit edit(MetadataOf(base));
  return ChangeColumns(MetadataOf(base), change, clock_.Now(), &edit);
}

Result<CommitOutcome> IcebergTable::Evolve(const TableVersion& base,
                                           const connect::SchemaChange& change) {
  const TableMetadata& metadata = MetadataOf(base);
  MetadataEdit edit(metadata);
  WEIR_TRY(ChangeColumns(metadata, change, clock_.Now(), &edit));
  WEIR_ASSIGN_OR_RETURN(const auto* manifests, ManifestsOf(metadata));
  const std::string location =
      pointers_->NextLocation(MetadataFolder(metadata), AttemptOn(metadata));
  WEIR_ASSIGN_OR_RETURN(auto finished, edit.Finish(location));
  // No snapshot is added. An id that stands nowhere makes a success of others none of ours: the
  // caller loads again and sees whether the columns are there.
  PreparedCommit prepared{.base = SharedMetadataOf(base),
                          .built = {.files = {},
                                    .manifests = *manifests,
                                    .metadata = std::move(finished.metadata),
                                    .text = std::move(finished.text),
                                    .snapshot_id = static_cast<std::int64_t>(EntropyU64() >> 1)},
                          .written = {}};
  WEIR_TRY(Write(prepared));
  return Land(std::move(prepared));
}

// A server may put what others did beside us below our commit, so a try for its next version may
// land as a later one. It cannot land any more once the snapshot's number is taken.
Attempt IcebergTable::AttemptOn(const TableMetadata& metadata) const {
  const bool of_catalog = pointers_->metadata_writer() == MetadataWriter::kCatalog;
  return NewAttempt(of_catalog ? metadata.last_sequence + 1 : VersionOfMetadata(metadata.file) + 1);
}

PointerSwap IcebergTable::SwapOf(const PreparedCommit& prepared) const {
  return {.name = name_,
          .base = prepared.base->file,
          .next = prepared.built.metadata->file,
          .text = prepared.built.text,
          .snapshot_id = prepared.built.snapshot_id,
          .from = prepared.base.get(),
          .to = prepared.built.metadata.get()};
}

Result<CommitOutcome> IcebergTable::Land(PreparedCommit prepared) {
  const PointerSwap swap = SwapOf(prepared);
  Reach(FailPoint::kApplySwapBefore);
  const auto outcome = pointers_->Swap({&swap, 1});
  Reach(FailPoint::kApplySwapAfter);
  return Finish(prepared, outcome);
}

Result<CommitOutcome> IcebergTable::Finish(PreparedCommit& prepared,
                                           const Result<SwapOutcome>& outcome) {
  // Only this one try names these files, and it is known to have failed. After an unknown outcome
  // nothing is deleted; nor where something on the way to a server may have sent the request twice,
  // so that a conflict is the echo of our own success.
  const bool of_catalog = pointers_->metadata_writer() == MetadataWriter::kCatalog;
  const bool failed = !outcome || *outcome == CommitOutcome::kConflict;
  if (!of_catalog && failed) Discard(prepared.written);
  if (!outcome) return WithContext(outcome.error(), "table " + ToString(name_));
  const std::string list = ManifestListOf(*prepared.built.metadata);
  if (of_catalog) prepared.built.metadata = outcome->metadata;
  // What the catalog made and did not show the next Load will see.
  const bool shown = prepared.built.metadata != nullptr;
  if (*outcome == CommitOutcome::kCommitted && shown) Show(prepared.built, list);
  return outcome->outcome;
}

// What we made is what Load would read, so the next commit need not parse it.
void IcebergTable::Show(BuiltAppend& built, const std::string& list) {
  if (auto version = VersionOf(built.metadata)) {
    version_ = *std::move(version);
    // A catalog may put new columns onto a head that others made meanwhile.
    const bool is_ours = ManifestListOf(*built.metadata) == list;
    listed_ = is_ours ? list : "";
    if (is_ours) manifests_ = std::move(built.manifests);
  }
  cleanup_.Observe(std::move(built.metadata));
}

Status IcebergTable::Write(PreparedCommit& prepared) {
  Status ready = WriteFiles(prepared);
  if (ready.ok()) return ready;
  Discard(prepared.written);
  // Nothing was asked of the catalog yet, so this try is over for certain.
  Error error = std::move(ready).error();
  if (error.kind == ErrorKind::kCommitUnknown) error.kind = ErrorKind::kUnavailable;
  return WithContext(std::move(error), "table " + ToString(name_));
}

Status IcebergTable::WriteFiles(PreparedCommit& prepared) {
  std::vector<NewFile> files = std::move(prepared.built.files);
  for (const NewFile& file : files) prepared.written.push_back(file.location);
  const NewFile metadata{
      .location = prepared.built.metadata->file, .bytes = prepared.built.text, .read_again = false};
  const bool ours = pointers_->metadata_writer() == MetadataWriter::kTable;
  if (ours) prepared.written.push_back(metadata.location);
  if (files_.warehouse().parallel && ours) {
    // The metadata file names the others, but nothing leads to it yet: all can be written at once.
    files.push_back(metadata);
    WEIR_TRY(files_.PutNew(files));
    Reach(FailPoint::kApplyManifestsAfter);
  } else {
    WEIR_TRY(files_.PutNew(files));
    Reach(FailPoint::kApplyManifestsAfter);
    if (!ours) return Ok();
    WEIR_TRY(files_.PutNew({&metadata, 1}));
  }
  Reach(FailPoint::kApplyMetadataAfter);
  return Ok();
}

void IcebergTable::Discard(const std::vector<std::string>& written) {
  for (const std::string& location : written) {
    if (Status deleted = files_.Delete(location); !deleted) {
      log::Debug("a file of a failed commit stays for now",
                 {{"file", location}, {"error", deleted.error().message}});
    }
  }
}

std::string IcebergTable::MetadataFolder(const TableMetadata& metadata) const {
  const auto found = metadata.properties.find("write.metadata.path");
  // A folder catalog looks in one place only.
  const bool fixed = pointers_->metadata_writer() == MetadataWriter::kSwap;
  if (fixed || found == metadata.properties.end() || found->second.empty()) {
    return metadata.location + "/metadata";
  }
  std::string folder = found->second;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder;
}

Result<const std::vector<ManifestFile>*> IcebergTable::ManifestsOf(const TableMetadata& metadata) {
  const std::string list = ManifestListOf(metadata);
  if (list != listed_ || list.empty()) {
    manifests_.clear();
    listed_.clear();
    if (!list.empty()) {
      WEIR_ASSIGN_OR_RETURN(const auto bytes, files_.GetImmutable(list));
      WEIR_ASSIGN_OR_RETURN(manifests_, ReadManifestList(*bytes, list));
      listed_ = list;
    }
  }
  return &manifests_;
}

Status IcebergTable::CleanUp() { return cleanup_.Run(); }

std::string IcebergTable::DataFolder(const TableVersion& version,
                                     const connect::PartitionTuple& partition) const {
  const auto key = DataKey(MetadataOf(version));
  const std::string folder = key ? *key : "data";
  const std::string path = connect::PartitionPath(version.schema, version.spec, partition);
  return path.empty() ? folder : folder + "/" + path;
}

Result<std::vector<connect::DataFile>> IcebergTable::LiveFiles(const TableVersion& version) {
  const TableMetadata& metadata = MetadataOf(version);
  WEIR_ASSIGN_OR_RETURN(const auto* manifests, ManifestsOf(metadata));
  return FilesOf(metadata, *manifests);
}

Result<std::vector<connect::DataFile>> IcebergTable::LiveFilesAt(const TableVersion& version,
                                                                 std::int64_t snapshot_id) {
  const TableMetadata& metadata = MetadataOf(version);
  const Snapshot* snapshot = metadata.FindSnapshot(snapshot_id);
  if (snapshot == nullptr || snapshot->manifest_list.empty()) {
    return NotFound(
        fmt::format("snapshot {} of table {} is not there any more", snapshot_id, ToString(name_)));
  }
  WEIR_ASSIGN_OR_RETURN(const auto bytes, files_.GetImmutable(snapshot->manifest_list));
  WEIR_ASSIGN_OR_RETURN(const auto manifests, ReadManifestList(*bytes, snapshot->manifest_list));
  return FilesOf(metadata, manifests);
}

Result<std::vector<connect::DataFile>> IcebergTable::FilesOf(
    const TableMetadata& metadata, const std::vector<ManifestFile>& manifests) {
  std::vector<connect::DataFile> files;
  for (const ManifestFile& manifest : manifests) {
    if (manifest.content != ManifestContent::kData || !manifest.may_have_live_files()) continue;
    const connect::PartitionSpec* spec = metadata.FindSpec(manifest.spec_id);
    // A spec that Weir does not understand: the files count, their partition values stay unknown.
    PartitionType type;
    if (spec != nullptr) {
      if (auto known = PartitionTypeOf(metadata, *spec)) type = *std::move(known);
    }
    WEIR_ASSIGN_OR_RETURN(const std::string bytes, files_.Get(manifest.path));
    WEIR_ASSIGN_OR_RETURN(const ReadManifest read, ReadManifestFile(bytes, manifest, type));
    for (const ManifestEntry& entry : read.entries) {
      if (entry.status == EntryStatus::kDeleted || entry.content != 0) continue;
      files.push_back(DataFileOf(entry, manifest.spec_id, metadata.location));
    }
  }
  return files;
}

std::vector<connect::SnapshotInfo> IcebergTable::Snapshots(const TableVersion& version) {
  std::vector<connect::SnapshotInfo> out;
  for (const auto& stored : MetadataOf(version).snapshots) {
    const Snapshot& snapshot = stored->snapshot;
    out.push_back({.snapshot_id = snapshot.id,
                   .parent_id = snapshot.parent_id,
                   .sequence = snapshot.sequence,
                   .time = snapshot.timestamp_ms * kMicrosPerMilli,
                   .operation = snapshot.operation(),
                   .summary = snapshot.summary});
  }
  return out;
}

}  // namespace weir::iceberg
