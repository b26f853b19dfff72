#include "iceberg/manifest_list.h"

#include "avro/container.h"
#include "iceberg/manifest_schema.h"

namespace weir::iceberg {
namespace {

using avro::Decoder;
using avro::Kind;
using avro::Member;
using avro::Node;

void EncodeOptionalBytes(const std::optional<std::string>& value, avro::Encoder& encoder) {
  if (!value) return encoder.Null();
  encoder.Present();
  encoder.Bytes(*value);
}

void EncodeSummaries(const std::optional<std::vector<FieldSummary>>& summaries,
                     avro::Encoder& encoder) {
  if (!summaries) return encoder.Null();
  encoder.Present();
  encoder.BeginItems(summaries->size());
  for (const FieldSummary& summary : *summaries) {
    encoder.Boolean(summary.contains_null);
    if (summary.contains_nan) {
      encoder.Present();
      encoder.Boolean(*summary.contains_nan);
    } else {
      encoder.Null();
    }
    EncodeOptionalBytes(summary.lower, encoder);
    EncodeOptionalBytes(summary.upper, encoder);
  }
  encoder.EndItems();
}

void Encode(const ManifestFile& file, avro::Encoder& encoder) {
  encoder.Bytes(file.path);
  encoder.Long(file.length);
  encoder.Int(file.spec_id);
  encoder.Int(static_cast<int>(file.content));
  encoder.Long(file.sequence);
  encoder.Long(file.min_sequence);
  encoder.Long(file.added_snapshot_id);
  encoder.Long(file.added_files.value_or(0));
  encoder.Long(file.existing_files.value_or(0));
  encoder.Long(file.deleted_files.value_or(0));
  encoder.Long(file.added_rows.value_or(0));
  encoder.Long(file.existing_rows.value_or(0));
  encoder.Long(file.deleted_rows.value_or(0));
  EncodeSummaries(file.partitions, encoder);
  EncodeOptionalBytes(file.key_metadata, encoder);
}

FieldSummary ReadSummary(Decoder& decoder, const Node& record) {
  FieldSummary summary;
  for (const Member& member : record.members) {
    switch (member.id.value_or(-1)) {
      case 509:
        summary.contains_null = decoder.BooleanOf(*member.type).value_or(false);
        break;
      case 518:
        summary.contains_nan = decoder.BooleanOf(*member.type);
        break;
      case 510:
        summary.lower = decoder.BytesOf(*member.type);
        break;
      case 511:
        summary.upper = decoder.BytesOf(*member.type);
        break;
      default:
        decoder.Skip(*member.type);
    }
  }
  return summary;
}

std::optional<std::vector<FieldSummary>> ReadSummaries(Decoder& decoder, const Node& type) {
  const Node& node = decoder.Resolve(type);
  if (node.kind == Kind::kNull) return std::nullopt;
  std::vector<FieldSummary> summaries;
  if (node.kind != Kind::kArray) {
    decoder.Fail();
    return summaries;
  }
  decoder.ForEachItem([&] {
    const Node& record = decoder.Resolve(node.item());
    if (record.kind != Kind::kRecord) return decoder.Fail();
    summaries.push_back(ReadSummary(decoder, record));
  });
  return summaries;
}

// The counts; false when the field is none of them.
bool ReadCount(Decoder& decoder, const Member& member, ManifestFile& file) {
  const Node& type = *member.type;
  switch (member.id.value_or(-1)) {
    case 504:
      file.added_files = decoder.LongOf(type);
      return true;
    case 505:
      file.existing_files = decoder.LongOf(type);
      return true;
    case 506:
      file.deleted_files = decoder.LongOf(type);
      return true;
    case 512:
      file.added_rows = decoder.LongOf(type);
      return true;
    case 513:
      file.existing_rows = decoder.LongOf(type);
      return true;
    case 514:
      file.deleted_rows = decoder.LongOf(type);
      return true;
    default:
      return false;
  }
}

void ReadField(Decoder& decoder, const Member& member, ManifestFile& file) {
  const Node& type = *member.type;
  switch (member.id.value_or(-1)) {
    case 500:
      file.path = decoder.BytesOf(type).value_or("");
      return;
    case 501:
      file.length = decoder.LongOf(type).value_or(0);
      return;
    case 502:
      file.spec_id = decoder.IntOf(type).value_or(0);
      return;
    case 517: {
      const std::int64_t content = decoder.LongOf(type).value_or(0);
      if (content < 0 || content > 1) return decoder.Fail();
      file.content = static_cast<ManifestContent>(content);
      return;
    }
    case 515:
      file.sequence = decoder.LongOf(type).value_or(0);
      return;
    case 516:
      file.min_sequence = decoder.LongOf(type).value_or(0);
      return;
    case 503:
      file.added_snapshot_id = decoder.LongOf(type).value_or(0);
      return;
    case 507:
      file.partitions = ReadSummaries(decoder, type);
      return;
    case 519:
      file.key_metadata = decoder.BytesOf(type);
      return;
    default:
      if (!ReadCount(decoder, member, file)) decoder.Skip(type);
  }
}

}  // namespace

std::string WriteManifestList(const ManifestListHeader& header,
                              const std::vector<ManifestFile>& manifests) {
  avro::ContainerWriter writer(
      ManifestListSchema(),
      {{"snapshot-id", std::to_string(header.snapshot_id)},
       {"parent-snapshot-id", header.parent_id ? std::to_string(*header.parent_id) : "null"},
       {"sequence-number", std::to_string(header.sequence)},
       {"format-version", "2"}},
      avro::Codec::kDeflate);
  for (const ManifestFile& file : manifests) {
    Encode(file, writer.record());
    writer.EndRecord();
  }
  return writer.Finish();
}

Result<std::vector<ManifestFile>> ReadManifestList(std::string_view bytes, std::string_view path) {
  const auto damaged = [&](Error error) {
    if (error.kind == ErrorKind::kCorrupt) error.code = ErrorCode::kMetadataCorrupt;
    return WithContext(std::move(error), "manifest list " + std::string(path));
  };
  auto reader = avro::ContainerReader::Open(bytes);
  if (!reader) return damaged(std::move(reader).error());
  const Node& root = reader->schema().root();
  if (root.kind != Kind::kRecord) return damaged(Corrupt("its entries are no records"));
  std::vector<ManifestFile> manifests;
  const Status status = reader->ForEach([&](Decoder& decoder) {
    ManifestFile file;
    for (const Member& member : root.members) ReadField(decoder, member, file);
    if (file.path.empty()) return Status(Corrupt("an entry without a manifest"));
    manifests.push_back(std::move(file));
    return Ok();
  });
  if (!status.ok()) return damaged(status.error());
  return manifests;
}

}  // namespace weir::iceberg
