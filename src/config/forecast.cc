#include "config/forecast.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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

// How many values the contract lets a column have; 0: it does not say.
std::int64_t ValuesOf(const Contract& contract, const std::string& column) {
  const auto index = contract.IndexOf(column);
  if (!index) return 0;
  const ContractField& field = contract.fields[*index];
  if (field.field.type.kind == TypeKind::kBoolean) return 2;
  return static_cast<std::int64_t>(field.allowed.size());
}

Partitions PartitionsOf(const PipelineSpec& spec, const PartitionBy& partition) {
  const std::string& transform = partition.transform;
  if (transform == "hour") return {.steady = 1, .worst = 24 * kGuessedDays};
  if (transform == "day") return {.steady = 1, .worst = kGuessedDays};
  if (transform == "month" || transform == "year") return {.steady = 1, .worst = 2};
  if (transform == "bucket") return {.steady = partition.width, .worst = partition.width};
  const std::int64_t known = ValuesOf(spec.contract, partition.column);
  const std::int64_t values = known > 0 ? known : kGuessedValues;
  return {.steady = values, .worst = values, .guessed = known == 0};
}

// Epochs end by time, or earlier by rows.
std::int64_t EpochsPerDay(const EpochSpec& epoch, std::optional<double> events_per_second) {
  double seconds = static_cast<double>(epoch.every) / static_cast<double>(kMicrosPerSecond);
  if (events_per_second && *events_per_second > 0) {
    seconds = std::min(seconds, static_cast<double>(epoch.max_rows) / *events_per_second);
  }
  return std::llround(std::ceil(86'400.0 / seconds));
}

// 86400 -> "86,400".
std::string Grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
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
    of_table.steady_files = Multiply(forecast.epochs, of_table.steady_partitions);
    of_table.worst_files = Multiply(forecast.epochs, of_table.worst_partitions);
    forecast.steady_files = std::min(kMaxFiles, forecast.steady_files + of_table.steady_files);
    forecast.worst_files = std::min(kMaxFiles, forecast.worst_files + of_table.worst_files);
    fewest = std::min(fewest, of_table.steady_files);
    forecast.tables.push_back(std::move(of_table));
  }
  if (events_per_second && !spec.tables.empty()) {
    forecast.rows_per_file = std::llround(*events_per_second * 86'400.0 /
                                          static_cast<double>(std::max<std::int64_t>(fewest, 1)));
  }
  return forecast;
}

std::vector<std::string> ForecastLines(const PipelineSpec& spec, const Forecast& forecast) {
  std::vector<std::string> lines;
  std::string rate = "while events arrive";
  if (forecast.events_per_second)
    rate = fmt::format("at {:g} events/s", *forecast.events_per_second);
  lines.push_back(fmt::format("Forecast: up to {} data files a day {} ({} epochs, one every {})",
                              Grouped(forecast.steady_files), rate, Grouped(forecast.epochs),
                              FormatDuration(spec.epoch.every)));
  bool many = false;
  for (std::size_t i = 0; i < forecast.tables.size(); ++i) {
    const TableForecast& table = forecast.tables[i];
    lines.push_back(fmt::format("  {}: {} a day, {}{}", table.name, Grouped(table.steady_files),
                                Partitioning(spec.tables[i]),
                                table.guessed ? " (10 values assumed)" : ""));
    many = many || table.steady_files > kManyFiles;
  }
  if (forecast.rows_per_file > 0) {
    lines.push_back(fmt::format("  about {} rows a file", Grouped(forecast.rows_per_file)));
  }
  if (forecast.worst_files > forecast.steady_files) {
    lines.push_back(fmt::format("  at worst {} a day: late events, or a backlog over {} days",
                                Grouped(forecast.worst_files), kGuessedDays));
  }
  if (many) {
    lines.emplace_back(
        "  Fewer files: raise epoch.every, or partition less; until then plan to "
        "compact the tables");
  }
  return lines;
}

}  // namespace weir::config
