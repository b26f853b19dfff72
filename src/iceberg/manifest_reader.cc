#include "iceberg/manifest_reader.h"

#include "avro/container.h"

namespace weir::iceberg {
namespace {

using avro::Decoder;
using avro::Kind;
using avro::Member;
using avro::Node;

// A map by field id: an array of key-value records, in whatever order they name key and value.
template <typename Map, typename ReadValue>
std::optional<Map> ReadById(Decoder& decoder, const Node& type, ReadValue read_value) {
  const Node& node = decoder.Resolve(type);
  if (node.kind == Kind::kNull) return std::nullopt;
  if (node.kind != Kind::kArray || node.item().kind != Kind::kRecord ||
      node.item().members.size() != 2) {
    decoder.Fail();
    return std::nullopt;
  }
  const bool key_first = node.item().members[0].name != "value";
  Map map;
  decoder.ForEachItem([&] {
    typename Map::value_type item{};
    for (std::size_t i = 0; i < 2; ++i) {
      const Node& member = *node.item().members[i].type;
      if ((i == 0) == key_first) {
        item.first = decoder.IntOf(member).value_or(0);
      } else if (auto value = (decoder.*read_value)(member)) {
        item.second = *std::move(value);
      }
    }
    map.push_back(std::move(item));
  });
  return map;
}

template <typename T>
std::optional<std::vector<T>> ReadList(Decoder& decoder, const Node& type) {
  const Node& node = decoder.Resolve(type);
  if (node.kind == Kind::kNull) return std::nullopt;
  std::vector<T> list;
  if (node.kind != Kind::kArray) decoder.Fail();
  decoder.ForEachItem(
      [&] { list.push_back(static_cast<T>(decoder.LongOf(node.item()).value_or(0))); });
  return list;
}

class EntryReader {
 public:
  explicit EntryReader(const PartitionType& type) : type_(type) {}

  void ReadEntry(Decoder& decoder, const Node& record, ManifestEntry& entry) {
    for (const Member& member : record.members) {
      switch (member.id.value_or(-1)) {
        case 0:
          ReadStatus(decoder, *member.type, entry);
          break;
        case 1:
          entry.snapshot_id = decoder.LongOf(*member.type);
          break;
        case 3:
          entry.sequence = decoder.LongOf(*member.type);
          break;
        case 4:
          entry.file_sequence = decoder.LongOf(*member.type);
          break;
        case 2:
          ReadFile(decoder, *member.type, entry);
          break;
        default:
          decoder.Skip(*member.type);
      }
    }
  }

  bool has_unknown_fields() const { return has_unknown_fields_; }

 private:
  static void ReadStatus(Decoder& decoder, const Node& type, ManifestEntry& entry) {
    const int status = decoder.IntOf(type).value_or(-1);
    if (status < 0 || status > 2) return decoder.Fail();
    entry.status = static_cast<EntryStatus>(status);
  }

  void ReadFile(Decoder& decoder, const Node& type, ManifestEntry& entry) {
    const Node& record = decoder.Resolve(type);
    if (record.kind != Kind::kRecord) return decoder.Fail();
    for (const Member& member : record.members) {
      if (!ReadFileFact(decoder, member, entry)) ReadFileMetric(decoder, member, entry);
    }
  }

  // False: the field is none of these.
  bool ReadFileFact(Decoder& decoder, const Member& member, ManifestEntry& entry) {
    const Node& type = *member.type;
    switch (member.id.value_or(-1)) {
      case 134:
        entry.content = decoder.IntOf(type).value_or(0);
        return true;
      case 100:
        entry.path = decoder.BytesOf(type).value_or("");
        return true;
      case 101:
        entry.format = decoder.BytesOf(type).value_or("");
        return true;
      case 102:
        ReadPartition(decoder, type, entry);
        return true;
      case 103:
        entry.record_count = decoder.LongOf(type).value_or(0);
        return true;
      case 104:
        entry.file_bytes = decoder.LongOf(type).value_or(0);
        return true;
      case 131:
        entry.key_metadata = decoder.BytesOf(type);
        return true;
      case 132:
        entry.split_offsets = ReadList<std::int64_t>(decoder, type);
        return true;
      case 135:
        entry.equality_ids = ReadList<int>(decoder, type);
        return true;
      case 140:
        entry.sort_order_id = decoder.IntOf(type);
        return true;
      default:
        return false;
    }
  }

  void ReadFileMetric(Decoder& decoder, const Member& member, ManifestEntry& entry) {
    const Node& type = *member.type;
    switch (member.id.value_or(-1)) {
      case 108:
        entry.column_sizes = ReadById<LongById>(decoder, type, &Decoder::LongOf);
        return;
      case 109:
        entry.value_counts = ReadById<LongById>(decoder, type, &Decoder::LongOf);
        return;
      case 110:
        entry.null_counts = ReadById<LongById>(decoder, type, &Decoder::LongOf);
        return;
      case 137:
        entry.nan_counts = ReadById<LongById>(decoder, type, &Decoder::LongOf);
        return;
      case 125:
        entry.lower_bounds = ReadById<BytesById>(decoder, type, &Decoder::BytesOf);
        return;
      case 128:
        entry.upper_bounds = ReadById<BytesById>(decoder, type, &Decoder::BytesOf);
        return;
      case 105:  // block_size_in_bytes of format version 1: without meaning
        decoder.Skip(type);
        return;
      default:
        SkipUnknown(decoder, type);
    }
  }

  void SkipUnknown(Decoder& decoder, const Node& type) {
    const Node& node = decoder.Resolve(type);
    if (node.kind != Kind::kNull) has_unknown_fields_ = true;
    decoder.Skip(node);
  }

  void ReadPartition(Decoder& decoder, const Node& type, ManifestEntry& entry) {
    const Node& record = decoder.Resolve(type);
    if (record.kind != Kind::kRecord) return decoder.Fail();
    entry.partition.resize(type_.size());
    for (const Member& member : record.members) {
      std::size_t at = 0;
      while (at < type_.size() && type_[at].field_id != member.id) ++at;
      if (at < type_.size()) {
        entry.partition[at] = DecodeValue(type_[at].type, *member.type, decoder);
      } else {
        decoder.Skip(*member.type);
      }
    }
  }

  const PartitionType& type_;
  bool has_unknown_fields_ = false;
};

// Spec "Sequence Number Inheritance": what an added entry leaves out is its manifest's.
void Inherit(const ManifestFile& file, ManifestEntry& entry) {
  if (!entry.snapshot_id) entry.snapshot_id = file.added_snapshot_id;
  if (!entry.sequence) entry.sequence = file.sequence;
  if (!entry.file_sequence) entry.file_sequence = file.sequence;
}

}  // namespace

Result<ReadManifest> ReadManifestFile(std::string_view bytes, const ManifestFile& file,
                                      const PartitionType& type) {
  const auto damaged = [&](Error error) {
    if (error.kind == ErrorKind::kCorrupt) error.code = ErrorCode::kMetadataCorrupt;
    return WithContext(std::move(error), "manifest " + file.path);
  };
  auto reader = avro::ContainerReader::Open(bytes);
  if (!reader) return damaged(std::move(reader).error());
  const Node& root = reader->schema().root();
  if (root.kind != Kind::kRecord) return damaged(Corrupt("its entries are no records"));
  ReadManifest out;
  EntryReader entries(type);
  const Status status = reader->ForEach([&](Decoder& decoder) {
    ManifestEntry entry;
    entries.ReadEntry(decoder, root, entry);
    if (entry.path.empty()) return Status(Corrupt("an entry without a file"));
    Inherit(file, entry);
    out.entries.push_back(std::move(entry));
    return Ok();
  });
  if (!status.ok()) return damaged(status.error());
  out.has_unknown_fields = entries.has_unknown_fields();
  return out;
}

}  // namespace weir::iceberg
