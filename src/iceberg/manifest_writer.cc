#include "iceberg/manifest_writer.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "iceberg/manifest_schema.h"
#include "iceberg/spec_json.h"

namespace weir::iceberg {
namespace {

// The current schema as the table's document has it, with types that Weir does not know.
std::string SchemaText(const TableMetadata& metadata) {
  const Json* schemas = Find(*metadata.document, "schemas");
  if (schemas != nullptr && schemas->is_array()) {
    for (const Json& schema : *schemas) {
      if (FindLong(schema, "schema-id") == metadata.current_schema_id) return DumpJson(schema);
    }
  }
  const Json* schema = Find(*metadata.document, "schema");
  return schema == nullptr ? "{}" : DumpJson(*schema);
}

avro::HeaderEntries Header(const TableMetadata& metadata, const connect::PartitionSpec& spec) {
  return {{"schema", SchemaText(metadata)},
          {"schema-id", std::to_string(metadata.current_schema_id)},
          {"partition-spec", DumpJson(SpecFieldsToJson(spec))},
          {"partition-spec-id", std::to_string(spec.spec_id)},
          {"format-version", "2"},
          {"content", "data"}};
}

void EncodeOptionalLong(const std::optional<std::int64_t>& value, avro::Encoder& encoder) {
  if (!value) return encoder.Null();
  encoder.Present();
  encoder.Long(*value);
}

void EncodeItem(std::int64_t value, avro::Encoder& encoder) { encoder.Long(value); }
void EncodeItem(const std::string& value, avro::Encoder& encoder) { encoder.Bytes(value); }

template <typename Map>
void EncodeById(const std::optional<Map>& map, avro::Encoder& encoder) {
  if (!map) return encoder.Null();
  encoder.Present();
  encoder.BeginItems(map->size());
  for (const auto& [id, value] : *map) {
    encoder.Int(id);
    EncodeItem(value, encoder);
  }
  encoder.EndItems();
}

template <typename List>
void EncodeList(const std::optional<List>& list, avro::Encoder& encoder) {
  if (!list) return encoder.Null();
  encoder.Present();
  encoder.BeginItems(list->size());
  for (const auto& item : *list) encoder.Long(item);
  encoder.EndItems();
}

}  // namespace

ManifestWriter::ManifestWriter(const TableMetadata& metadata, const connect::PartitionSpec& spec,
                               const PartitionType& type)
    : type_(type),
      spec_id_(spec.spec_id),
      writer_(ManifestSchema(type), Header(metadata, spec), avro::Codec::kDeflate),
      ranges_(type) {}

void ManifestWriter::Add(const ManifestEntry& entry) {
  WEIR_CHECK(entry.content == 0 && entry.partition.size() == type_.size());
  avro::Encoder& encoder = writer_.record();
  encoder.Int(static_cast<int>(entry.status));
  EncodeOptionalLong(entry.snapshot_id, encoder);
  EncodeOptionalLong(entry.sequence, encoder);
  EncodeOptionalLong(entry.file_sequence, encoder);
  EncodeFile(entry, encoder);
  writer_.EndRecord();

  ++entries_;
  const auto status = static_cast<std::size_t>(entry.status);
  ++files_[status];
  rows_[status] += entry.record_count;
  ranges_.Add(entry.partition);
  if (!entry.sequence) {
    has_inherited_sequence_ = true;
  } else if (entry.status != EntryStatus::kDeleted) {
    min_sequence_ = std::min(*entry.sequence, min_sequence_.value_or(*entry.sequence));
  }
}

void ManifestWriter::EncodeFile(const ManifestEntry& entry, avro::Encoder& encoder) {
  encoder.Int(entry.content);
  encoder.Bytes(entry.path);
  encoder.Bytes(entry.format);
  for (std::size_t i = 0; i < type_.size(); ++i) {
    if (entry.partition[i].is_null()) {
      encoder.Null();
    } else {
      encoder.Present();
      EncodeValue(type_[i].type, entry.partition[i], encoder);
    }
  }
  encoder.Long(entry.record_count);
  encoder.Long(entry.file_bytes);
  EncodeById(entry.column_sizes, encoder);
  EncodeById(entry.value_counts, encoder);
  EncodeById(entry.null_counts, encoder);
  EncodeById(entry.nan_counts, encoder);
  EncodeById(entry.lower_bounds, encoder);
  EncodeById(entry.upper_bounds, encoder);
  if (entry.key_metadata) {
    encoder.Present();
    encoder.Bytes(*entry.key_metadata);
  } else {
    encoder.Null();
  }
  EncodeList(entry.split_offsets, encoder);
  EncodeList(entry.equality_ids, encoder);
  EncodeOptionalLong(entry.sort_order_id, encoder);
}

WrittenManifest ManifestWriter::Finish(std::int64_t snapshot_id, std::int64_t sequence) {
  WrittenManifest out;
  out.bytes = writer_.Finish();
  ManifestFile& file = out.file;
  file.length = static_cast<std::int64_t>(out.bytes.size());
  file.spec_id = spec_id_;
  file.sequence = sequence;
  file.min_sequence = has_inherited_sequence_ ? std::min(sequence, min_sequence_.value_or(sequence))
                                              : min_sequence_.value_or(sequence);
  file.added_snapshot_id = snapshot_id;
  file.existing_files = files_[0];
  file.added_files = files_[1];
  file.deleted_files = files_[2];
  file.existing_rows = rows_[0];
  file.added_rows = rows_[1];
  file.deleted_rows = rows_[2];
  file.partitions = ranges_.Summaries();
  return out;
}

}  // namespace weir::iceberg
