#include "iceberg/metadata.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "connect/partition_path.h"
#include "connect/transform.h"
#include "iceberg/schema_json.h"
#include "iceberg/spec_json.h"

namespace weir::iceberg {
namespace {

constexpr int kOldestFormat = 1;
constexpr int kNewestFormat = 3;
constexpr const char* kSnapshots = "snapshots";

// The element of a list whose `id_key` is `id`; nullptr when there is none.
const Json* FindById(const Json& document, const char* list, const char* id_key, std::int64_t id) {
  const Json* items = Find(document, list);
  if (items == nullptr || !items->is_array()) return nullptr;
  for (const Json& item : *items) {
    if (FindLong(item, id_key) == id) return &item;
  }
  return nullptr;
}

// Tables that began with format version 1 may still have one schema and one spec under old names.
Status ReadSchemas(const Json& document, TableMetadata& metadata) {
  metadata.current_schema_id =
      static_cast<int>(FindLong(document, "current-schema-id").value_or(0));
  const Json* json = FindById(document, "schemas", "schema-id", metadata.current_schema_id);
  if (json == nullptr) json = Find(document, "schema");
  if (json == nullptr) {
    return Corrupt("the current schema is missing", ErrorCode::kMetadataCorrupt);
  }
  auto read = SchemaFromJson(*json);
  if (!read && read.error().kind != ErrorKind::kUnsupported) return std::move(read).error();
  if (!read) {
    metadata.schema_error = std::move(read).error();
    return Ok();
  }
  metadata.schema = std::move(read->schema);
  metadata.left_out = std::move(read->left_out);
  return Ok();
}

Status ReadSpecs(const Json& document, TableMetadata& metadata) {
  metadata.default_spec_id = static_cast<int>(FindLong(document, "default-spec-id").value_or(0));
  const Json* specs = Find(document, "partition-specs");
  if (specs == nullptr || !specs->is_array()) {
    return Corrupt("\"partition-specs\" is missing", ErrorCode::kMetadataCorrupt);
  }
  for (const Json& item : *specs) {
    auto spec = SpecFromJson(item);
    if (spec) {
      const int id = spec->spec_id;
      metadata.specs.insert_or_assign(id, std::move(spec).value());
    } else if (spec.error().kind != ErrorKind::kUnsupported) {
      return std::move(spec).error();
    } else if (FindLong(item, "spec-id") == metadata.default_spec_id) {
      metadata.default_spec_error = std::move(spec).error();
    }
  }
  if (!metadata.specs.contains(metadata.default_spec_id) && !metadata.default_spec_error) {
    return Corrupt("the default partition spec is missing", ErrorCode::kMetadataCorrupt);
  }
  return Ok();
}

Status ReadSortOrder(const Json& document, TableMetadata& metadata) {
  const std::int64_t id = FindLong(document, "default-sort-order-id").value_or(0);
  const Json* json = FindById(document, "sort-orders", "order-id", id);
  if (json == nullptr) return Ok();
  WEIR_ASSIGN_OR_RETURN(metadata.sort_order, SortOrderFromJson(*json));
  return Ok();
}

void ReadProperties(const Json& document, TableMetadata& metadata) {
  const Json* properties = Find(document, "properties");
  if (properties == nullptr || !properties->is_object()) return;
  for (const auto& [key, value] : properties->items()) {
    if (value.is_string()) metadata.properties[key] = value.get<std::string>();
  }
}

// Leaves an empty list in their place.
Result<StoredSnapshots> TakeSnapshots(Json& document) {
  StoredSnapshots out;
  if (Find(document, kSnapshots) == nullptr) return out;
  Json& list = document[kSnapshots];
  if (!list.is_array()) {
    return Corrupt("\"snapshots\" is not a list", ErrorCode::kMetadataCorrupt);
  }
  for (const Json& item : list) {
    WEIR_ASSIGN_OR_RETURN(Snapshot snapshot, SnapshotFromJson(item));
    out.push_back(std::make_shared<const StoredSnapshot>(
        StoredSnapshot{std::move(snapshot), DumpJson(item)}));
  }
  list = Json::array();
  return out;
}

Status ReadRefs(const Json& document, TableMetadata& metadata) {
  metadata.current_snapshot_id = FindLong(document, "current-snapshot-id");
  if (metadata.current_snapshot_id == -1) metadata.current_snapshot_id.reset();
  if (const Json* refs = Find(document, "refs"); refs != nullptr && refs->is_object()) {
    for (const auto& [name, item] : refs->items()) {
      WEIR_ASSIGN_OR_RETURN(metadata.refs[name], RefFromJson(item));
    }
  }
  if (metadata.current_snapshot_id && !metadata.refs.contains(kMainBranch)) {
    metadata.refs[kMainBranch].snapshot_id = *metadata.current_snapshot_id;
  }
  return Ok();
}

void ReadPrevious(const Json& document, TableMetadata& metadata) {
  const Json* log = Find(document, "metadata-log");
  if (log == nullptr || !log->is_array()) return;
  for (const Json& item : *log) {
    metadata.previous.push_back({.location = FindText(item, "metadata-file").value_or(""),
                                 .timestamp_ms = FindLong(item, "timestamp-ms").value_or(0)});
  }
}

Status ReadHead(const Json& document, TableMetadata& metadata) {
  WEIR_ASSIGN_OR_RETURN(metadata.format_version, IntAt(document, "format-version"));
  if (metadata.format_version < kOldestFormat || metadata.format_version > kNewestFormat) {
    return Unsupported(fmt::format("format version {} is not known", metadata.format_version),
                       ErrorCode::kTableUnsupported);
  }
  WEIR_ASSIGN_OR_RETURN(metadata.uuid, TextAt(document, "table-uuid"));
  WEIR_ASSIGN_OR_RETURN(metadata.location, TextAt(document, "location"));
  while (metadata.location.size() > 1 && metadata.location.back() == '/') {
    metadata.location.pop_back();
  }
  WEIR_ASSIGN_OR_RETURN(metadata.last_updated_ms, LongAt(document, "last-updated-ms"));
  metadata.last_sequence = FindLong(document, "last-sequence-number").value_or(0);
  return Ok();
}

}  // namespace

const Snapshot* TableMetadata::FindSnapshot(std::int64_t id) const {
  const auto found = index_.find(id);
  return found == index_.end() ? nullptr : &snapshots[found->second]->snapshot;
}

const Snapshot* TableMetadata::head() const {
  return current_snapshot_id ? FindSnapshot(*current_snapshot_id) : nullptr;
}

const Snapshot* TableMetadata::ParentOf(const Snapshot& snapshot) const {
  return snapshot.parent_id ? FindSnapshot(*snapshot.parent_id) : nullptr;
}

std::vector<const Snapshot*> TableMetadata::MainAncestors() const {
  std::vector<const Snapshot*> chain;
  // The bound ends a chain that a damaged file bent into a ring.
  for (const Snapshot* at = head(); at != nullptr && chain.size() < snapshots.size();
       at = ParentOf(*at)) {
    chain.push_back(at);
  }
  return chain;
}

const connect::PartitionSpec* TableMetadata::FindSpec(int spec_id) const {
  const auto found = specs.find(spec_id);
  return found == specs.end() ? nullptr : &found->second;
}

std::int64_t TableMetadata::NumberProperty(const std::string& name, std::int64_t fallback) const {
  const auto found = properties.find(name);
  if (found == properties.end()) return fallback;
  std::int64_t number = 0;
  const char* end = found->second.data() + found->second.size();
  const auto [rest, error] = std::from_chars(found->second.data(), end, number);
  return error == std::errc() && rest == end ? number : fallback;
}

bool TableMetadata::FlagProperty(const std::string& name, bool fallback) const {
  const auto found = properties.find(name);
  if (found == properties.end()) return fallback;
  return found->second == "true" || found->second == "TRUE" || found->second == "True";
}

std::string TableMetadata::Text() const { return MetadataText(*document, snapshots); }

std::string MetadataText(const Json& document, const StoredSnapshots& snapshots) {
  std::string text;
  for (const auto& [key, value] : document.items()) {
    text += (text.empty() ? '{' : ',') + DumpJson(key) + ':';
    if (key != kSnapshots) {
      text += DumpJson(value);
      continue;
    }
    char separator = '[';
    for (const auto& stored : snapshots) {
      text += std::exchange(separator, ',');
      text += stored->json;
    }
    text += separator == '[' ? "[]" : "]";
  }
  return text += '}';
}

Result<MetadataPtr> MetadataFromDocument(Json document, std::string file, std::size_t size) {
  WEIR_ASSIGN_OR_RETURN(StoredSnapshots snapshots, TakeSnapshots(document));
  return MetadataFromParts(std::move(document), std::move(snapshots), std::move(file), size);
}

Result<MetadataPtr> MetadataFromParts(Json document, StoredSnapshots snapshots, std::string file,
                                      std::size_t size) {
  auto metadata = std::make_shared<TableMetadata>();
  metadata->file = std::move(file);
  metadata->snapshots = std::move(snapshots);
  metadata->file_size = static_cast<std::int64_t>(size);
  WEIR_TRY(ReadHead(document, *metadata));
  WEIR_TRY(ReadSchemas(document, *metadata));
  WEIR_TRY(ReadSpecs(document, *metadata));
  WEIR_TRY(ReadSortOrder(document, *metadata));
  ReadProperties(document, *metadata);
  WEIR_TRY(ReadRefs(document, *metadata));
  ReadPrevious(document, *metadata);
  for (std::size_t i = 0; i < metadata->snapshots.size(); ++i) {
    metadata->index_.emplace(metadata->snapshots[i]->snapshot.id, i);
  }
  if (metadata->current_snapshot_id && metadata->head() == nullptr) {
    return Corrupt("the current snapshot is not in the list of snapshots",
                   ErrorCode::kMetadataCorrupt);
  }
  metadata->document = std::make_shared<const Json>(std::move(document));
  return MetadataPtr(std::move(metadata));
}

Result<MetadataPtr> ParseMetadata(std::string_view text, std::string file) {
  const std::string context = "table metadata " + file;
  auto document = ParseJson(text);
  if (!document) return WithContext(std::move(document).error(), context);
  auto metadata = MetadataFromDocument(std::move(document).value(), std::move(file), text.size());
  if (metadata) return metadata;
  Error error = std::move(metadata).error();
  if (error.kind == ErrorKind::kCorrupt) error.code = ErrorCode::kMetadataCorrupt;
  return WithContext(std::move(error), context);
}

std::optional<Field> FindFieldInAnySchema(const TableMetadata& metadata, int id) {
  if (const Field* field = connect::FindField(metadata.schema.fields, id)) return *field;
  const Json* schemas = Find(*metadata.document, "schemas");
  if (schemas == nullptr || !schemas->is_array()) return std::nullopt;
  for (auto item = schemas->rbegin(); item != schemas->rend(); ++item) {
    const auto read = SchemaFromJson(*item);
    if (!read) continue;
    if (const Field* field = connect::FindField(read->schema.fields, id)) return *field;
  }
  return std::nullopt;
}

Status CheckWritable(const TableMetadata& metadata) {
  const auto refuse = [](std::string what) {
    return Unsupported(std::move(what), ErrorCode::kTableUnsupported);
  };
  if (metadata.format_version == 1) {
    return WithRemedy(refuse("the table has format version 1; Weir appends to version 2"),
                      "upgrade it: ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2')");
  }
  if (metadata.format_version != 2) {
    return refuse(fmt::format(
        "the table has format version {}, whose row lineage Weir does not write; it appends to "
        "version 2",
        metadata.format_version));
  }
  if (metadata.properties.contains("encryption.key-id") ||
      Find(*metadata.document, "encryption-keys") != nullptr) {
    return refuse("the table is encrypted");
  }
  if (metadata.schema_error) return *metadata.schema_error;
  if (metadata.default_spec_error) return *metadata.default_spec_error;
  for (const connect::PartitionField& field : metadata.FindSpec(metadata.default_spec_id)->fields) {
    const Field* source = connect::FindField(metadata.schema.fields, field.source_id);
    if (source == nullptr && field.transform == connect::Transform::kVoid) continue;
    if (source == nullptr) {
      return refuse(
          fmt::format("partition field {} has a source column of an unknown type", field.name));
    }
    if (auto type = connect::TransformedType(field.transform, field.width, source->type); !type) {
      return WithContext(std::move(type).error(), "partition field " + field.name);
    }
  }
  return Ok();
}

}  // namespace weir::iceberg
