#pragma once
// Transcoder: a value of one registered schema becomes the JSON text that a producer of JSON would
// have sent for it, so that the contract's types and rules, unknown fields and refusals mean the
// same for every encoding. Times become what the contract's field reads, decimals exact numbers,
// enums their names, bytes their text. One thread.

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "codec/schema_registry.h"
#include "record/contract.h"
#include "record/rejection.h"

namespace weir::codec {

/// A record's own object is level 1, as for JSON.
inline constexpr int kMaxTranscodeDepth = 64;
/// JSON texts are longer than what they came from, but not without end.
inline constexpr std::size_t kMaxTranscodedBytes = std::size_t{8} << 20;

class Transcoder {
 public:
  virtual ~Transcoder() = default;
  /// Appends one JSON object. False: the value is not what the schema describes; the rejection says
  /// so but for `record`, and what was appended is to be dropped.
  virtual bool Transcode(std::string_view payload, std::string* json, Rejection* rejection) = 0;
};

/// Fills in why a value is refused. Always false, so that it can be returned.
bool Refuse(Rejection* rejection, RejectReason reason, std::string message);

/// kCorrupt, kUnsupported: the schema cannot be used, and says why.
Result<std::unique_ptr<Transcoder>> NewAvroTranscoder(const RegisteredSchema& schema,
                                                      const Contract& contract);
Result<std::unique_ptr<Transcoder>> NewProtobufTranscoder(const RegisteredSchema& schema,
                                                          const Contract& contract);

}  // namespace weir::codec
