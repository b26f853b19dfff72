#include "config/forecast.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/digits.h"
#include "config/partition_text.h"
#include "config/quantity.h"

namespace weir::config {
namespace {

constexpr std::int64_t kGuessedValues = 10;    // of a partition column nobody described
constexpr std::int64_t kManyFiles = 10'000;    // a day in one table; readers begin to suffer
constexpr std::int64_t kMaxFiles = 1LL << 50;  // products stop here
constexpr std::int64_t kGuessedDays = 7;       // open days while a backlog is read

std::int64_t Multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return kMaxFiles;
  return std::min(product, kMaxFiles);
}

struct Partitions {
  std::int64_t steady = 1;
  std::int64_t worst = 1;
  bool guessed = false;
};

// How many values a column can have; 0: nobody says.
std::int64_t ValuesOf(const Contract& contract, const std::string& column) {
  if (column == "is_open") return 2;
  const auto index = contract.IndexOf(column);
  if (!index) return 0;
  const ContractField& field = contract.fields[*index];
  if (field.field.type.kind == TypeKind::kBoolean) return 2;
  return static_cast<std::int64_t>(field.allowed.size());
}

Partitions PartitionsOf(const PipelineSpec& spec, const PartitionBy& partition) {
  const std::string& transform = partition.transform;
  // Most commits add to the funnel's open windows only.
  if (partition.column == "is_final") return {.steady = 1, .worst = 2};
  if (transform == "hour") return {.steady = 1, .worst = 24 * kGuessedDays};
  if (transform == "day") return {.steady = 1, .worst = kGuessedDays};
  if (transform == "month" || transform == "year") return {.steady = 1, .worst = 2};
  if (transform == "bucket") return {.steady = partition.width, .worst = partition.width};
  const std::int64_t known = ValuesOf(spec.contract, partition.column);
  const std::int64_t values = known > 0 ? known : kGuessedValues;
  return {.steady = values, .worst = values, .guessed = known == 0};
}

std::int64_t TimesPerDay(Micros span) { return (kMicrosPerDay + span - 1) / span; }

// Commits a day that add to a table while events arrive in time. Windows and minutes close in their
// own rhythm, the rest changes with every epoch.
std::int64_t SteadyCommits(const TableSpec& table, std::int64_t epochs) {
  std::int64_t closings = epochs;
  if (table.windows) closings = TimesPerDay(table.windows->size);
  if (table.session_stats) closings = TimesPerDay(table.session_stats->size);
  if (table.active_users) closings = TimesPerDay(60 * kMicrosPerSecond);
  return std::min(epochs, closings);
}

bool HoldsEveryEvent(const TableSpec& table) {
  return table.from == TableFrom::kSource || table.from == TableFrom::kValid;
}

// Epochs end by time, or earlier by rows.
std::int64_t EpochsPerDay(const EpochSpec& epoch, std::optional<double> events_per_second) {
  double seconds = static_cast<double>(epoch.every) / static_cast<double>(kMicrosPerSecond);
  if (events_per_second && *events_per_second > 0) {
    seconds = std::min(seconds, static_cast<double>(epoch.max_rows) / *events_per_second);
  }
  return std::llround(std::ceil(86'400.0 / seconds));
}

std::string RateText(double rate) {
  const bool whole = rate == std::floor(rate) && rate < 1e15;
  return whole ? GroupDigits(std::llround(rate)) : fmt::format("{:g}", rate);
}

std::string Partitioning(const TableSpec& table) {
  std::string text;
  for (const PartitionBy& partition : table.partition_by) {
    text += (text.empty() ? "" : ", ") + ToString(partition);
  }
  return text.empty() ? "not partitioned" : "by " + text;
}

}  // namespace

Forecast ForecastFiles(const PipelineSpec& spec, std::optional<double> events_per_second) {
  Forecast forecast;
  forecast.events_per_second = events_per_second;
  forecast.epochs = EpochsPerDay(spec.epoch, events_per_second);
  std::int64_t fewest = kMaxFiles;
  for (const TableSpec& table : spec.tables) {
    TableForecast of_table{.name = table.name};
    for (const PartitionBy& partition : table.partition_by) {
      const Partitions partitions = PartitionsOf(spec, partition);
      of_table.steady_partitions = Multiply(of_table.steady_partitions, partitions.steady);
      of_table.worst_partitions = Multiply(of_table.worst_partitions, partitions.worst);
      of_table.guessed = of_table.guessed || partitions.guessed;
    }
    of_table.steady_files =
        Multiply(SteadyCommits(table, forecast.epochs), of_table.steady_partitions);
    of_table.worst_files = Multiply(forecast.epochs, of_table.worst_partitions);
    forecast.steady_files = std::min(kMaxFiles, forecast.steady_files + of_table.steady_files);
    forecast.worst_files = std::min(kMaxFiles, forecast.worst_files + of_table.worst_files);
    if (HoldsEveryEvent(table)) fewest = std::min(fewest, of_table.steady_files);
    forecast.tables.push_back(std::move(of_table));
  }
  if (events_per_second && std::ranges::any_of(spec.tables, HoldsEveryEvent)) {
    forecast.rows_per_file = std::llround(*events_per_second * 86'400.0 /
                                          static_cast<double>(std::max<std::int64_t>(fewest, 1)));
  }
  return forecast;
}

std::vector<std::string> ForecastLines(const PipelineSpec& spec, const Forecast& forecast) {
  std::vector<std::string> lines;
  std::string rate = "while events arrive";
  if (forecast.events_per_second)
    rate = fmt::format("at {} events/s", RateText(*forecast.events_per_second));
  lines.push_back(fmt::format("Forecast: up to {} data files a day {} ({} epochs, one every {})",
                              GroupDigits(forecast.steady_files), rate,
                              GroupDigits(forecast.epochs), FormatDuration(spec.epoch.every)));
  bool many = false;
  for (std::size_t i = 0; i < forecast.tables.size(); ++i) {
    const TableForecast& table = forecast.tables[i];
    lines.push_back(fmt::format("  {}: {} a day, {}{}", table.name, GroupDigits(table.steady_files),
                                Partitioning(spec.tables[i]),
                                table.guessed ? " (10 values assumed)" : ""));
    many = many || table.steady_files > kManyFiles;
  }
  if (forecast.rows_per_file > 0) {
    lines.push_back(fmt::format("  about {} rows a file", GroupDigits(forecast.rows_per_file)));
  }
  if (forecast.worst_files > forecast.steady_files) {
    lines.push_back(fmt::format("  at worst {} a day: late events, or a backlog over {} days",
                                GroupDigits(forecast.worst_files), kGuessedDays));
  }
  if (many) {
    lines.emplace_back(
        "  Fewer files: raise epoch.every, or partition less; until then plan to "
        "compact the tables");
  }
  return lines;
}

}  // namespace weir::config
