#pragma once
// Delivery: draws from a generator into a log, as fast as the log takes them or evenly at a rate.
// One thread, the caller's.

#include <cstdint>
#include <functional>
#include <stop_token>

#include "base/clock.h"
#include "base/result.h"
#include "connect/log_source.h"
#include "generate/answer_key.h"
#include "generate/generator.h"

namespace weir::generate {

/// How far a delivery is. Also its result.
struct DeliveryProgress {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  // of values
  Micros elapsed = 0;
  Micros event_time = 0;  // of the shop's present
};

struct DeliveryOptions {
  std::stop_token stop = {};                                   // ends after the record at hand
  std::function<void(const DeliveryProgress&)> progress = {};  // a few times a second; may be empty
  // Records carry the shop's times as their timestamps. Else they carry the time when they are
  // sent: a log with retention would drop a corpus of last year at once.
  bool keep_times = false;
  AnswerKeyBuilder* key = nullptr;  // gets every record that the sink took
};

/// Until the generator is done or a stop is asked for; flushes at the end. With a rate in the
/// generator's options, record i is sent i/rate seconds after the start: in small bursts, late ones
/// are caught up with, and nothing drifts. Errors are those of the sink.
Result<DeliveryProgress> Deliver(Generator& generator, connect::LogSink& sink,
                                 const DeliveryOptions& options, Clock& clock);

}  // namespace weir::generate
