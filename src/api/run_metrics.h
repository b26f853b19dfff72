#pragma once
// RunMetrics: what a running pipeline counts and measures, for Prometheus and what reads like it.
//
// Names begin with weir_ and stay; units are seconds, bytes and records; labels are topics, tables,
// operators, partitions and outcomes, never users or events. Counters begin at 0 with the process.
// docs/METRICS.md lists them. Epochs are reported by the apply thread, texts are made by any.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/time.h"
#include "engine/pipeline.h"
#include "record/offsets.h"

namespace weir::api {

/// What labels say of the whole run.
struct RunLabels {
  std::string version;
  std::string commit;
  std::string pipeline;
  std::string topic;
};

/// How reading gets on at the moment of asking.
struct SourceReading {
  std::int64_t records = 0;                   // since the process began
  Micros lag = 0;                             // age of the last record read; 0: nothing waits
  std::map<Partition, std::int64_t> waiting;  // records not read yet
};

class RunMetrics {
 public:
  explicit RunMetrics(const RunLabels& labels);
  ~RunMetrics();

  void OnEpoch(const engine::EpochReport& report);
  /// In Prometheus' text format, version 0.0.4.
  std::string Text(const SourceReading& reading);

  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  class Families;
  const std::unique_ptr<Families> families_;
};

}  // namespace weir::api
