#include "delta/new_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/random.h"
#include "connect/transform.h"
#include "delta/layout.h"
#include "delta/protocol_check.h"
#include "delta/schema_json.h"

namespace weir::delta {
namespace {

using connect::Transform;

// What the definition does not say. With a commit a second, ten commits a checkpoint and a month of
// log would be more work and more files than the rows.
const TextMap& DefaultProperties() {
  static const TextMap kProperties = {{"delta.checkpointInterval", "100"},
                                      {"delta.logRetentionDuration", "interval 1 days"},
                                      {"delta.deletedFileRetentionDuration", "interval 6 hours"}};
  return kProperties;
}

Type DerivedType(Transform transform) {
  switch (transform) {
    case Transform::kDay:
      return Type::Of(TypeKind::kDate);
    case Transform::kYear:
    case Transform::kBucket:
      return Type::Of(TypeKind::kInt);
    default:
      return Type::Of(TypeKind::kString);
  }
}

class Builder {
 public:
  explicit Builder(const connect::TableDefinition& definition)
      : definition_(definition), schema_(definition.schema) {}

  Result<LogCommit> Build(std::int64_t now_ms) {
    metadata_.id = NewUuid();
    metadata_.created_ms = now_ms;
    metadata_.configuration = DefaultProperties();
    for (const auto& [key, value] : definition_.properties) metadata_.configuration[key] = value;
    for (std::size_t i = 0; i < definition_.partition_by.size(); ++i) WEIR_TRY(AddPartition(i));
    if (!schema_.fields.empty() && metadata_.partition_columns.size() == schema_.fields.size()) {
      return InvalidInput("partition_by names every column; a file would hold none");
    }
    WEIR_ASSIGN_OR_RETURN(metadata_.schema_text, SchemaToText(schema_));
    LogCommit commit;
    commit.info = CommitInfo{.time_ms = now_ms,
                             .operation = "CREATE TABLE",
                             .parameters = {{"isManaged", "false"}},
                             .metrics = {},
                             .tags = {},
                             .engine = "weir",
                             .attempt = NewUuid(),
                             .blind_append = true};
    commit.protocol = ProtocolFor(schema_);
    commit.metadata = std::move(metadata_);
    WEIR_ASSIGN_OR_RETURN(const auto layout, LayoutOf(*commit.metadata));
    WEIR_TRY(CheckWritable(*commit.protocol, *commit.metadata, *layout));
    return commit;
  }

 private:
  Status AddPartition(std::size_t i) {
    const connect::PartitionField& field = definition_.partition_by[i];
    const std::string source =
        i < definition_.partition_sources.size() ? definition_.partition_sources[i] : "";
    const auto index = schema_.IndexOf(source);
    if (!index) {
      return InvalidInput(
          fmt::format("partition_by names the column {}, which does not exist", source));
    }
    const Type type = schema_.fields[*index].type;
    if (auto result = connect::TransformedType(field.transform, field.width, type); !result) {
      return WithContext(std::move(result).error(), "partition_by " + source);
    }
    if (field.transform == Transform::kIdentity) return Partition(source);
    const std::string name = field.name.empty() ? FreeName(source, field.transform) : field.name;
    if (schema_.IndexOf(name)) {
      return InvalidInput(fmt::format("the partition column {} is a column already", name));
    }
    schema_.fields.push_back({.name = name, .type = DerivedType(field.transform), .doc = {}});
    metadata_.configuration[kPartitionProperty + name] =
        fmt::format("{}({})", connect::ToString(field.transform, field.width), source);
    return Partition(name);
  }

  Status Partition(const std::string& name) {
    if (std::ranges::count(metadata_.partition_columns, name) > 0) {
      return InvalidInput(fmt::format("partition_by names {} twice", name));
    }
    metadata_.partition_columns.push_back(name);
    return Ok();
  }

  std::string FreeName(const std::string& source, Transform transform) const {
    std::string name = DerivedName(source, transform);
    if (!schema_.IndexOf(name)) return name;
    return source + "_" +
           (transform == Transform::kBucket ? "bucket" : connect::ToString(transform, 0));
  }

  const connect::TableDefinition& definition_;
  Schema schema_;
  Metadata metadata_;
};

}  // namespace

std::string DerivedName(const std::string& source, Transform transform) {
  std::string stem = source;
  const bool is_of_time = transform != Transform::kBucket;
  for (const std::string_view end : {"_time", "_timestamp", "_at", "_ts"}) {
    if (is_of_time && stem.size() > end.size() && stem.ends_with(end)) {
      stem.resize(stem.size() - end.size());
      break;
    }
  }
  switch (transform) {
    case Transform::kDay:
      return stem + "_date";
    case Transform::kBucket:
      return stem + "_bucket";
    default:
      return stem + "_" + connect::ToString(transform, 0);
  }
}

Result<LogCommit> NewTable(const connect::TableDefinition& definition, std::int64_t now_ms) {
  return Builder(definition).Build(now_ms);
}

}  // namespace weir::delta
