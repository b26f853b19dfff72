#pragma once
// Forecast: how many data files a day a pipeline will write, said before they are there.
//
// files a day = commits a day x partitions that a commit touches, over all tables: a commit an
// epoch, or one for each window that closes. Epochs without rows write nothing: these are upper
// bounds. Pure functions of the spec.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/pipeline_spec.h"

namespace weir::config {

struct TableForecast {
  std::string name;
  std::int64_t steady_partitions = 1;  // that one epoch touches while events arrive in time
  std::int64_t worst_partitions = 1;   // with late events, or while a backlog is read
  std::int64_t steady_files = 0;       // a day
  std::int64_t worst_files = 0;
  bool guessed = false;  // the number of values of a partition column is not known
};

struct Forecast {
  std::int64_t epochs = 0;  // a day
  std::vector<TableForecast> tables;
  std::int64_t steady_files = 0;
  std::int64_t worst_files = 0;
  std::optional<double> events_per_second;
  std::int64_t rows_per_file = 0;  // of the largest files, steady; 0 without a rate
};

/// events_per_second: expected rate; nullopt when nobody said.
Forecast ForecastFiles(const PipelineSpec& spec, std::optional<double> events_per_second);

/// For people, one line each.
std::vector<std::string> ForecastLines(const PipelineSpec& spec, const Forecast& forecast);

}  // namespace weir::config
