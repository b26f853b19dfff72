#include "avro/container.h"

#include <fmt/format.h>

#include "avro/deflate.h"
#include "base/check.h"
#include "base/random.h"

namespace weir::avro {
namespace {

constexpr std::string_view kMagic("Obj\x01", 4);
constexpr std::size_t kSyncBytes = 16;
constexpr std::size_t kBlockBytes = 64'000;  // as Java closes blocks
constexpr std::size_t kMaxBlockBytes = std::size_t{256} << 20;
constexpr std::size_t kMaxEntries = 1'000;
constexpr std::size_t kMostRememberedBytes = std::size_t{1} << 20;

std::string NewSync() {
  std::string sync;
  for (std::uint64_t word : {EntropyU64(), EntropyU64()}) {
    for (int shift = 0; shift < 64; shift += 8) sync += static_cast<char>(word >> shift);
  }
  return sync;
}

Error Damaged(std::string_view what) {
  return Corrupt(fmt::format("damaged Avro container: {}", what));
}

// Files that are read one after another mostly have one schema, and to read that anew takes longer
// than a small file's records.
Result<Schema> ParseSchema(const std::string& json) {
  thread_local std::string known;
  thread_local Schema schema;
  if (json == known && !json.empty()) return schema;
  WEIR_ASSIGN_OR_RETURN(Schema parsed, Schema::Parse(json));
  if (json.size() <= kMostRememberedBytes) {
    known = json;
    schema = parsed;
  }
  return parsed;
}

}  // namespace

ContainerWriter::ContainerWriter(std::string_view schema_json, const HeaderEntries& entries,
                                 Codec codec)
    : codec_(codec), sync_(NewSync()) {
  Encoder header;
  header.Fixed(kMagic);
  header.BeginItems(entries.size() + 2);
  header.Bytes("avro.schema");
  header.Bytes(schema_json);
  header.Bytes("avro.codec");
  header.Bytes(codec == Codec::kNull ? "null" : "deflate");
  for (const auto& [name, text] : entries) {
    header.Bytes(name);
    header.Bytes(text);
  }
  header.EndItems();
  header.Fixed(sync_);
  file_ = header.bytes();
}

void ContainerWriter::EndRecord() {
  ++records_in_block_;
  if (block_.size() >= kBlockBytes) CloseBlock();
}

void ContainerWriter::CloseBlock() {
  if (records_in_block_ == 0) return;
  std::string compressed;
  if (codec_ == Codec::kDeflate) Deflate(block_.bytes(), compressed);
  const std::string_view payload = codec_ == Codec::kDeflate ? compressed : block_.bytes();
  Encoder head;
  head.Long(records_in_block_);
  head.Long(static_cast<std::int64_t>(payload.size()));
  file_ += head.bytes();
  file_ += payload;
  file_ += sync_;
  block_.Clear();
  records_in_block_ = 0;
}

std::string ContainerWriter::Finish() {
  WEIR_CHECK(records_in_block_ > 0 || block_.size() == 0);
  CloseBlock();
  return std::move(file_);
}

Result<ContainerReader> ContainerReader::Open(std::string_view file) {
  if (!file.starts_with(kMagic)) return Damaged("it does not begin as one");
  ContainerReader reader;
  Decoder header(file.substr(kMagic.size()));
  header.ForEachItem([&] {
    const std::string_view name = header.Bytes();
    const std::string_view text = header.Bytes();
    if (reader.entries_.size() >= kMaxEntries) return header.Fail();
    reader.entries_.insert_or_assign(std::string(name), std::string(text));
  });
  reader.sync_ = header.Fixed(kSyncBytes);
  if (header.failed()) return Damaged("its header is cut or wrong");
  reader.blocks_ = header.rest();

  const std::string* codec = reader.Find("avro.codec");
  if (codec && *codec == "deflate") {
    reader.codec_ = Codec::kDeflate;
  } else if (codec && !codec->empty() && *codec != "null") {
    return Unsupported(fmt::format("the Avro codec \"{}\" is not read here, only null and deflate",
                                   codec->substr(0, 32)));
  }
  const std::string* schema = reader.Find("avro.schema");
  if (!schema) return Damaged("no schema");
  WEIR_ASSIGN_OR_RETURN(reader.schema_, ParseSchema(*schema));
  return reader;
}

const std::string* ContainerReader::Find(const std::string& name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

Status ContainerReader::ForEach(const std::function<Status(Decoder&)>& record) {
  Decoder blocks(blocks_);
  while (!blocks.rest().empty()) {
    const std::int64_t records = blocks.Long();
    const std::string_view payload = blocks.Bytes();
    const std::string_view sync = blocks.Fixed(kSyncBytes);
    if (blocks.failed() || records < 0 || sync != sync_) return Damaged("a block is cut or wrong");
    WEIR_TRY(ReadBlock(payload, records, record));
  }
  return Ok();
}

Status ContainerReader::ReadBlock(std::string_view payload, std::int64_t records,
                                  const std::function<Status(Decoder&)>& record) {
  if (codec_ == Codec::kDeflate) {
    WEIR_TRY(Inflate(payload, kMaxBlockBytes, inflated_));
    payload = inflated_;
  }
  if (static_cast<std::uint64_t>(records) > payload.size()) return Damaged("too many records");
  Decoder decoder(payload);
  for (std::int64_t i = 0; i < records; ++i) {
    WEIR_TRY(record(decoder));
    if (decoder.failed()) return Damaged("a record does not fit its schema");
  }
  if (!decoder.rest().empty()) return Damaged("a block holds more than its records");
  return Ok();
}

}  // namespace weir::avro
