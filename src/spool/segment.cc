#include "spool/segment.h"

#include <cstring>
#include <utility>

#include <xxhash.h>

namespace weir::spool {
namespace {

constexpr char kEncodingPlain = 1;  // first byte of a payload
constexpr std::uint8_t kHasKey = 1;
constexpr std::uint8_t kHasValue = 2;
constexpr std::uint8_t kHasHeaders = 4;

void PutVarint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

// Small numbers of either sign become small.
std::uint64_t ZigZag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t UnZigZag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
}

// The difference modulo 2^64, so that no pair of timestamps overflows.
std::int64_t Subtract(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t AddWrapping(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

void PutBytes(std::string& out, std::string_view bytes) {
  PutVarint(out, bytes.size());
  out += bytes;
}

// Reads a payload from a position; ok() is false from the first read past its end on.
class PayloadReader {
 public:
  PayloadReader(std::string_view payload, std::size_t at) : payload_(payload), at_(at) {}

  bool ok() const { return ok_; }
  std::size_t at() const { return at_; }

  std::uint8_t Byte() {
    if (at_ >= payload_.size()) return Stop();
    return static_cast<std::uint8_t>(payload_[at_++]);
  }

  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = Byte();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return Stop();
  }

  std::string_view Bytes(std::uint64_t size) {
    if (!ok_ || size > payload_.size() - at_) {
      Stop();
      return {};
    }
    const std::string_view bytes = payload_.substr(at_, size);
    at_ += size;
    return bytes;
  }

 private:
  std::uint8_t Stop() {
    ok_ = false;
    return 0;
  }

  std::string_view payload_;
  std::size_t at_;
  bool ok_ = true;
};

// Where a header's size stands, 0 means no value, and n + 1 a value of n bytes.
bool ReadHeaders(PayloadReader& reader, std::vector<RecordHeader>& headers) {
  const std::uint64_t count = reader.Varint();
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    RecordHeader header;
    header.name = reader.Bytes(reader.Varint());
    if (const std::uint64_t size = reader.Varint(); size > 0) header.value = reader.Bytes(size - 1);
    headers.push_back(header);
  }
  return reader.ok();
}

}  // namespace

std::uint64_t ChecksumOf(std::string_view topic_id, Partition partition, const Segment& segment) {
  const std::int64_t place[] = {partition.value(), segment.first.value(), segment.content.records,
                                segment.content.max_timestamp_ms, segment.appended_ms};
  const XXH64_hash_t seed =
      XXH3_64bits_withSeed(place, sizeof place, XXH3_64bits(topic_id.data(), topic_id.size()));
  return XXH3_64bits_withSeed(segment.content.payload.data(), segment.content.payload.size(), seed);
}

void SegmentBuilder::Add(const connect::OutgoingRecord& record, std::int64_t timestamp_ms) {
  std::string& out = content_.payload;
  if (empty()) {
    out += kEncodingPlain;
    last_timestamp_ms_ = 0;
    content_.max_timestamp_ms = timestamp_ms;
  }
  out += static_cast<char>((record.key ? kHasKey : 0) | (record.value ? kHasValue : 0) |
                           (record.headers.empty() ? 0 : kHasHeaders));
  PutVarint(out, ZigZag(Subtract(timestamp_ms, last_timestamp_ms_)));
  if (record.key) PutBytes(out, *record.key);
  if (record.value) PutBytes(out, *record.value);
  if (!record.headers.empty()) {
    PutVarint(out, record.headers.size());
    for (const RecordHeader& header : record.headers) {
      PutBytes(out, header.name);
      PutVarint(out, header.value ? header.value->size() + 1 : 0);
      out += header.value.value_or(std::string_view());
    }
  }
  last_timestamp_ms_ = timestamp_ms;
  content_.max_timestamp_ms = std::max(content_.max_timestamp_ms, timestamp_ms);
  ++content_.records;
}

SegmentContent SegmentBuilder::Take() { return std::exchange(content_, {}); }

bool SegmentCursor::Read(LogRecord& record, HeaderArena& headers) {
  PayloadReader reader(segment_->content.payload, at_);
  if (at_ == 0 && reader.Byte() != kEncodingPlain) return false;
  const std::uint8_t flags = reader.Byte();
  last_timestamp_ms_ = AddWrapping(last_timestamp_ms_, UnZigZag(reader.Varint()));
  record = LogRecord{.partition = partition_,
                     .offset = next_,
                     .timestamp_ms = last_timestamp_ms_,
                     .timestamp_type = TimestampType::kCreate,
                     .key = {},
                     .value = {},
                     .headers = {}};
  if ((flags & kHasKey) != 0) record.key = reader.Bytes(reader.Varint());
  if ((flags & kHasValue) != 0) record.value = reader.Bytes(reader.Varint());
  if ((flags & kHasHeaders) != 0) {
    if (!ReadHeaders(reader, headers.emplace_back())) return false;
    record.headers = headers.back();
  }
  at_ = reader.at();
  ++next_;
  // The last record must end where the payload ends.
  return reader.ok() && done() == (at_ == segment_->content.payload.size());
}

}  // namespace weir::spool
