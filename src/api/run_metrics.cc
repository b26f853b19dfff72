#include "api/run_metrics.h"

#include <algorithm>
#include <utility>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace weir::api {
namespace {

using Labels = prometheus::Labels;

double Seconds(Micros time) { return static_cast<double>(time) / kMicrosPerSecond; }

prometheus::Family<prometheus::Counter>& Counters(prometheus::Registry& registry,
                                                  const std::string& name,
                                                  const std::string& help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

prometheus::Family<prometheus::Gauge>& Gauges(prometheus::Registry& registry,
                                              const std::string& name, const std::string& help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

// Raises a counter to what is counted elsewhere.
void RaiseTo(prometheus::Counter& counter, std::int64_t total) {
  counter.Increment(std::max(0.0, static_cast<double>(total) - counter.Value()));
}

}  // namespace

class RunMetrics::Families {
 public:
  explicit Families(const RunLabels& labels) : topic_{{"topic", labels.topic}} {
    Gauges(registry_, "weir_build_info", "Which program this is; always 1.")
        .Add(
            {{"version", labels.version}, {"commit", labels.commit}, {"pipeline", labels.pipeline}})
        .Set(1);
    for (const auto& [outcome, count] : Outcomes({})) events_.Add({{"outcome", outcome}});
  }

  void OnEpoch(const engine::EpochReport& report) {
    for (const auto& [outcome, count] : Outcomes(report.counts))
      events_.Add({{"outcome", outcome}}).Increment(static_cast<double>(count));
    for (const auto& [table, rows] : report.table_rows)
      rows_.Add({{"table", table}}).Increment(static_cast<double>(rows));
    for (const auto& [name, size] : report.state_sizes) {
      const std::size_t dot = name.rfind('.');
      const Labels labels{{"operator", name.substr(0, dot)}};
      if (name.ends_with(".keys")) state_keys_.Add(labels).Set(static_cast<double>(size));
      if (name.ends_with(".bytes")) state_bytes_.Add(labels).Set(static_cast<double>(size));
    }
    epochs_.Increment();
    epoch_.Set(static_cast<double>(report.epoch));
    last_commit_.Set(Seconds(report.applied_at));
    commit_.Observe(std::max(0.0, Seconds(report.applied_at - report.cut_at)));
    if (report.watermark) watermark_.Add({}).Set(Seconds(*report.watermark));
  }

  std::string Text(const SourceReading& reading) {
    RaiseTo(records_, reading.records);
    lag_.Set(Seconds(reading.lag));
    for (const auto& [partition, waiting] : reading.waiting) {
      Labels labels = topic_;
      labels["partition"] = std::to_string(partition.value());
      waiting_.Add(labels).Set(static_cast<double>(waiting));
    }
    return prometheus::TextSerializer().Serialize(registry_.Collect());
  }

 private:
  static std::map<std::string, std::int64_t> Outcomes(const state::LedgerCounts& counts) {
    return {{"good", counts.good},
            {"duplicate", counts.duplicate},
            {"late", counts.late},
            {"quarantined", counts.quarantined},
            {"tombstone", counts.tombstone}};
  }

  prometheus::Registry registry_;
  const Labels topic_;
  prometheus::Counter& records_ =
      Counters(registry_, "weir_source_records_total", "Records read from the log.").Add(topic_);
  prometheus::Gauge& lag_ = Gauges(registry_, "weir_source_lag_seconds",
                                   "Age of the last record read; 0 when nothing waits.")
                                .Add(topic_);
  prometheus::Family<prometheus::Gauge>& waiting_ =
      Gauges(registry_, "weir_source_lag_offsets",
             "Records not read yet, of those there when the topic was last looked at.");
  prometheus::Family<prometheus::Counter>& events_ =
      Counters(registry_, "weir_events_total", "Committed records by what became of them.");
  prometheus::Family<prometheus::Counter>& rows_ =
      Counters(registry_, "weir_table_rows_total", "Rows committed to a table.");
  prometheus::Counter& epochs_ =
      Counters(registry_, "weir_epochs_total", "Epochs committed to all tables.").Add({});
  prometheus::Gauge& epoch_ =
      Gauges(registry_, "weir_epoch", "Number of the last committed epoch.").Add({});
  prometheus::Gauge& last_commit_ = Gauges(registry_, "weir_last_commit_timestamp_seconds",
                                           "When the last epoch was committed, Unix time.")
                                        .Add({});
  prometheus::Histogram& commit_ =
      prometheus::BuildHistogram()
          .Name("weir_commit_duration_seconds")
          .Help("From the cut of an epoch until all its tables show it.")
          .Register(registry_)
          .Add({}, prometheus::Histogram::BucketBoundaries{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
                                                           2.5, 5, 10, 30, 60});
  prometheus::Family<prometheus::Gauge>& state_keys_ =
      Gauges(registry_, "weir_state_keys", "Keys that an operator holds.");
  prometheus::Family<prometheus::Gauge>& state_bytes_ =
      Gauges(registry_, "weir_state_bytes", "Memory of what an operator holds.");
  prometheus::Family<prometheus::Gauge>& watermark_ =
      Gauges(registry_, "weir_watermark_timestamp_seconds",
             "Event time up to which the pipeline has seen everything, Unix time.");
};

RunMetrics::RunMetrics(const RunLabels& labels) : families_(std::make_unique<Families>(labels)) {}
RunMetrics::~RunMetrics() = default;

void RunMetrics::OnEpoch(const engine::EpochReport& report) { families_->OnEpoch(report); }

std::string RunMetrics::Text(const SourceReading& reading) { return families_->Text(reading); }

}  // namespace weir::api
