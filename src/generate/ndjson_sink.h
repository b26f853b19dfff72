#pragma once
// NdjsonSink: a log sink that writes lines to a stream: the values alone, or envelopes that keep
// key, partition, time and the exact bytes, as `weir produce --envelope` reads them.

#include <iosfwd>
#include <string>

#include "connect/log_source.h"

namespace weir::generate {

enum class LineForm { kValue, kEnvelope };

class NdjsonSink final : public connect::LogSink {
 public:
  /// The stream must outlive the sink. `name` is for messages.
  NdjsonSink(std::ostream& out, std::string name, LineForm form);

  /// kUnsupported WEIR0701: a tombstone or a value with a line feed, which a line cannot hold
  /// without an envelope. kUnavailable WEIR0305: the stream failed.
  Status Produce(const connect::OutgoingRecord& record) override;
  Status Flush() override;

 private:
  std::ostream& out_;
  std::string name_;
  LineForm form_;
  std::string line_;
};

}  // namespace weir::generate
