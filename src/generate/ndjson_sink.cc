#include "generate/ndjson_sink.h"

#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"

namespace weir::generate {
namespace {

void AppendEscaped(std::string_view text, std::string& line) {
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      line += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      line += c;
    }
  }
}

// "name":"text" or, when the bytes are no text, "name_b64":"...".
void AppendBytes(std::string_view name, std::string_view bytes, std::string& line) {
  line.append(",\"").append(name);
  if (IsValidUtf8(bytes)) {
    line += "\":\"";
    AppendEscaped(bytes, line);
  } else {
    line.append("_b64\":\"").append(Base64Encode(bytes));
  }
  line += '"';
}

std::string_view EnvelopeOf(const connect::OutgoingRecord& record, std::string& line) {
  line = fmt::format("{{\"timestamp\":{}", record.timestamp_ms);
  if (record.partition) line += fmt::format(",\"partition\":{}", record.partition->value());
  if (record.key) AppendBytes("key", *record.key, line);
  if (record.value) {
    AppendBytes("value", *record.value, line);
  } else {
    line += ",\"value\":null";
  }
  line += "}\n";
  return line;
}

}  // namespace

NdjsonSink::NdjsonSink(std::ostream& out, std::string name, LineForm form)
    : out_(out), name_(std::move(name)), form_(form) {}

Status NdjsonSink::Produce(const connect::OutgoingRecord& record) {
  if (form_ == LineForm::kEnvelope) {
    out_ << EnvelopeOf(record, line_);
  } else {
    if (!record.value || record.value->find('\n') != std::string_view::npos) {
      return WithRemedy(
          Unsupported(fmt::format("{}: a line cannot hold {}", name_,
                                  record.value ? "a value with a line feed" : "a tombstone"),
                      ErrorCode::kUsage),
          "write envelopes instead: --envelope");
    }
    out_ << *record.value << '\n';
  }
  if (!out_) {
    return Unavailable(fmt::format("{}: cannot be written", name_), ErrorCode::kProduceFailed);
  }
  return Ok();
}

Status NdjsonSink::Flush() {
  out_.flush();
  if (!out_) {
    return Unavailable(fmt::format("{}: cannot be written", name_), ErrorCode::kProduceFailed);
  }
  return Ok();
}

}  // namespace weir::generate
