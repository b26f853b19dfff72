#include "api/run_metrics.h"

#include <gmock/gmock.h>

namespace weir::api {
namespace {

using testing::HasSubstr;
using testing::Not;

const RunLabels kLabels{
    .version = "0.1.0", .commit = "abc", .pipeline = "shop", .topic = "clicks \"raw\""};

engine::EpochReport Epoch(std::int64_t number) {
  engine::EpochReport report;
  report.epoch = number;
  report.counts = {.read = 10, .good = 6, .duplicate = 2, .late = 1, .quarantined = 1};
  report.table_rows = {{"shop.events", 6}};
  report.state_sizes = {
      {"dedupe.keys", 6}, {"dedupe.bytes", 216}, {"gold.sessions.keys", 3}, {"x.other", 9}};
  report.watermark = 1'500'000;
  report.cut_at = 10 * kMicrosPerSecond;
  report.applied_at = report.cut_at + 40 * kMicrosPerMilli;
  return report;
}

TEST(RunMetricsTest, CountsAreThereBeforeTheFirstEpoch) {
  const std::string text = RunMetrics(kLabels).Text({});
  EXPECT_THAT(text, HasSubstr("weir_events_total{outcome=\"late\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("weir_source_records_total{topic=\"clicks \\\"raw\\\"\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE weir_commit_duration_seconds histogram\n"));
  EXPECT_THAT(text, Not(HasSubstr("weir_watermark_timestamp_seconds{")));
}

TEST(RunMetricsTest, EpochsAddUp) {
  RunMetrics metrics(kLabels);
  metrics.OnEpoch(Epoch(7));
  metrics.OnEpoch(Epoch(8));
  const std::string text = metrics.Text({});
  EXPECT_THAT(text, HasSubstr("weir_events_total{outcome=\"good\"} 12\n"));
  EXPECT_THAT(text, HasSubstr("weir_events_total{outcome=\"duplicate\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("weir_table_rows_total{table=\"shop.events\"} 12\n"));
  EXPECT_THAT(text, HasSubstr("weir_epochs_total 2\n"));
  EXPECT_THAT(text, HasSubstr("weir_epoch 8\n"));
  EXPECT_THAT(text, HasSubstr("weir_watermark_timestamp_seconds 1.5\n"));
  EXPECT_THAT(text, HasSubstr("weir_last_commit_timestamp_seconds 10.04"));
  EXPECT_THAT(text, HasSubstr("weir_commit_duration_seconds_bucket{le=\"0.025\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("weir_commit_duration_seconds_bucket{le=\"0.05\"} 2\n"));
}

TEST(RunMetricsTest, StateIsByOperator) {
  RunMetrics metrics(kLabels);
  metrics.OnEpoch(Epoch(1));
  const std::string text = metrics.Text({});
  EXPECT_THAT(text, HasSubstr("weir_state_keys{operator=\"dedupe\"} 6\n"));
  EXPECT_THAT(text, HasSubstr("weir_state_bytes{operator=\"dedupe\"} 216\n"));
  EXPECT_THAT(text, HasSubstr("weir_state_keys{operator=\"gold.sessions\"} 3\n"));
  EXPECT_THAT(text, Not(HasSubstr("operator=\"x\"")));
}

TEST(RunMetricsTest, ReadingsAreOfTheMoment) {
  RunMetrics metrics(kLabels);
  metrics.Text({.records = 100, .lag = 2 * kMicrosPerSecond, .waiting = {{Partition(3), 40}}});
  const std::string text = metrics.Text({.records = 140, .waiting = {{Partition(3), 0}}});
  EXPECT_THAT(text, HasSubstr("weir_source_records_total{topic=\"clicks \\\"raw\\\"\"} 140\n"));
  EXPECT_THAT(text, HasSubstr("weir_source_lag_seconds{topic=\"clicks \\\"raw\\\"\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("partition=\"3\""));
}

}  // namespace
}  // namespace weir::api
