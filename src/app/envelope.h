#pragma once
// Envelope: a record as one line of JSON that keeps everything of it, byte for byte:
//   {"partition":0,"offset":7,"timestamp":1764500000000,"key":"u1","value":"...","headers":[...]}
// `weir tail --format ndjson` writes such lines, `weir produce --envelope` and `weir generate` read
// and write them too. Bytes that are no UTF-8 stand in key_b64 and value_b64; "value":null is a
// tombstone.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "connect/log_source.h"
#include "record/log_record.h"

namespace weir::app {

struct Envelope {
  struct Header {
    std::string name;
    std::optional<std::string> value;
  };
  std::optional<Partition> partition;
  std::optional<std::string> key;
  std::optional<std::string> value;  // nullopt: a tombstone
  std::int64_t timestamp_ms = -1;
  std::vector<Header> headers;

  /// Views into this envelope.
  connect::OutgoingRecord ToRecord() const;
};

/// `offset`, `topic` and `timestamp_type` are read over. kInvalidInput WEIR0603 for everything else
/// that is no envelope.
Result<Envelope> ParseEnvelope(std::string_view line);

/// The line of a record, without a line feed.
std::string EnvelopeLine(const LogRecord& record);

}  // namespace weir::app
