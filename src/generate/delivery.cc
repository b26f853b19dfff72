#include "generate/delivery.h"

#include <algorithm>
#include <optional>

namespace weir::generate {
namespace {

// While pacing: how long one nap is at most, so that a stop is noticed, and at least, so that a
// high rate goes in bursts instead of one wake-up a record.
constexpr Micros kLongestNap = 50 * kMicrosPerMilli;
constexpr Micros kShortestNap = 2 * kMicrosPerMilli;
// How long a record may wait in the sink's buffer while pacing.
constexpr Micros kFlushEvery = 50 * kMicrosPerMilli;
constexpr Micros kProgressEvery = 250 * kMicrosPerMilli;
// Records between two looks at the clock when there is no rate.
constexpr std::uint64_t kLookEvery = 1024;

class Run {
 public:
  Run(Generator& generator, connect::LogSink& sink, const DeliveryOptions& options, Clock& clock)
      : generator_(generator), sink_(sink), options_(options), clock_(clock) {}

  Result<DeliveryProgress> Deliver() {
    start_ = clock_.Monotonic();
    last_flush_ = last_report_ = start_;
    const std::optional<std::uint64_t> rate = generator_.options().rate;
    bool more = true;
    while (more && !stopped()) {
      if (rate) {
        WEIR_ASSIGN_OR_RETURN(more, SendDue(*rate));
        if (more) WEIR_TRY(WaitForNext(*rate));
      } else {
        WEIR_ASSIGN_OR_RETURN(more, Send(kLookEvery));
      }
      Report(false);
    }
    WEIR_TRY(sink_.Flush());
    Report(true);
    return progress_;
  }

 private:
  bool stopped() const { return options_.stop.stop_requested(); }

  // Time from the start at which a record is due.
  static Micros DueAt(std::uint64_t record, std::uint64_t rate) {
    return static_cast<Micros>(record / rate * kMicrosPerSecond +
                               record % rate * kMicrosPerSecond / rate);
  }

  Result<bool> SendDue(std::uint64_t rate) {
    const Micros elapsed = clock_.Monotonic() - start_;
    while (DueAt(progress_.records, rate) <= elapsed && !stopped()) {
      WEIR_ASSIGN_OR_RETURN(const bool more, Send(1));
      if (!more) return false;
    }
    return true;
  }

  Status WaitForNext(std::uint64_t rate) {
    const Micros now = clock_.Monotonic();
    if (now - last_flush_ >= kFlushEvery && progress_.records != flushed_) {
      WEIR_TRY(sink_.Flush());
      last_flush_ = now;
      flushed_ = progress_.records;
    }
    const Micros due_in = start_ + DueAt(progress_.records, rate) - clock_.Monotonic();
    if (due_in > 0) clock_.Sleep(std::clamp(due_in, kShortestNap, kLongestNap));
    return Ok();
  }

  // False when the generator is done.
  Result<bool> Send(std::uint64_t most) {
    for (std::uint64_t i = 0; i < most && !stopped(); ++i) {
      if (!generator_.Next(&event_)) return false;
      record_.partition = event_.partition;
      record_.key = event_.key;
      record_.value = event_.value;
      record_.timestamp_ms = options_.keep_times ? event_.timestamp_ms : -1;
      WEIR_TRY(sink_.Produce(record_));
      if (options_.key != nullptr) options_.key->Add(event_);
      ++progress_.records;
      progress_.bytes += event_.value ? event_.value->size() : 0;
    }
    return true;
  }

  void Report(bool last) {
    const Micros now = clock_.Monotonic();
    progress_.elapsed = now - start_;
    progress_.event_time = event_.timestamp_ms * kMicrosPerMilli;
    if (!options_.progress || (!last && now - last_report_ < kProgressEvery)) return;
    last_report_ = now;
    options_.progress(progress_);
  }

  Generator& generator_;
  connect::LogSink& sink_;
  const DeliveryOptions& options_;
  Clock& clock_;
  GeneratedEvent event_;
  connect::OutgoingRecord record_;
  DeliveryProgress progress_;
  Micros start_ = 0;
  Micros last_flush_ = 0;
  Micros last_report_ = 0;
  std::uint64_t flushed_ = 0;
};

}  // namespace

Result<DeliveryProgress> Deliver(Generator& generator, connect::LogSink& sink,
                                 const DeliveryOptions& options, Clock& clock) {
  return Run(generator, sink, options, clock).Deliver();
}

}  // namespace weir::generate
