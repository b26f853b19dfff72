#pragma once
// MetricsEndpoint: answers /metrics, /healthz and /readyz while a pipeline runs, where the
// pipeline file asks for it (`metrics`). It outlives the turns of a run that starts itself anew, so
// that counters go on. All calls from any thread.

#include <memory>
#include <mutex>
#include <string_view>

#include "api/run_metrics.h"
#include "api/server.h"
#include "app/metered_source.h"
#include "config/pipeline_spec.h"

namespace weir::app {

class MetricsEndpoint {
 public:
  /// nullptr where the pipeline has no `metrics`. kInvalidInput WEIR0104: the address is taken or
  /// not this machine's.
  static Result<std::unique_ptr<MetricsEndpoint>> Open(const config::PipelineSpec& spec);

  explicit MetricsEndpoint(const config::PipelineSpec& spec);

  void OnEpoch(const engine::EpochReport& report) { metrics_.OnEpoch(report); }
  /// The source that is read from now on, which must live until the next call; nullptr: none.
  void Watch(const MeteredSource* source);

 private:
  api::Answer AnswerTo(std::string_view path);
  api::SourceReading Read();

  api::RunMetrics metrics_;
  std::mutex mutex_;
  const MeteredSource* source_ = nullptr;  // guarded by mutex_
  std::int64_t read_before_ = 0;           // guarded by mutex_; from sources that went
  std::unique_ptr<api::Server> server_;    // last: it asks all of the above
};

/// Shows a source to an endpoint, if there is one, as long as this lives.
class WatchedSource {
 public:
  WatchedSource(MetricsEndpoint* endpoint, const MeteredSource& source) : endpoint_(endpoint) {
    if (endpoint_ != nullptr) endpoint_->Watch(&source);
  }
  ~WatchedSource() {
    if (endpoint_ != nullptr) endpoint_->Watch(nullptr);
  }
  WatchedSource(const WatchedSource&) = delete;
  WatchedSource& operator=(const WatchedSource&) = delete;

 private:
  MetricsEndpoint* const endpoint_;
};

}  // namespace weir::app
