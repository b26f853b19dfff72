#include "base/log.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>

#include <fmt/format.h>
#include <spdlog/formatter.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/time.h"

namespace weir::log {
namespace {

constexpr std::size_t kMaxMessageBytes = 4'000;
constexpr std::size_t kMaxValueBytes = 2'000;
constexpr auto kLevelNames = std::to_array<std::string_view>({"debug", "info", "warn", "error"});

std::atomic<Level> least_level{Level::kInfo};
std::atomic<Format> line_format{Format::kText};

// A display that took the lines over; seldom there, so a plain lock will do.
std::mutex display_mutex;
std::function<void(std::string_view)> diverted;  // guarded by display_mutex

// spdlog brings the locked sink; the line itself is ours, in both formats.
spdlog::logger& Sink() {
  static spdlog::logger logger = [] {
    spdlog::logger made("weir", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made.set_formatter(std::make_unique<spdlog::pattern_formatter>("%v"));
    made.set_level(spdlog::level::trace);
    return made;
  }();
  return logger;
}

// Printable bytes hold no control characters, so two characters are all there is to escape.
std::string Quote(std::string_view printable) {
  std::string quoted = "\"";
  for (const char c : printable) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string TextValue(const Field& field) {
  std::string value = Printable(field.value, kMaxValueBytes);
  const bool plain = !value.empty() && value.find_first_of(" \"=") == std::string::npos;
  return plain ? value : Quote(value);
}

std::string TextLine(Level level, std::string_view message, Micros now,
                     std::initializer_list<Field> fields) {
  const Micros in_day = now - FloorDay(now) * kMicrosPerDay;
  std::string line =
      fmt::format("{:02}:{:02}:{:02}.{:03} {:<5} {}", in_day / (3'600 * kMicrosPerSecond),
                  in_day / (60 * kMicrosPerSecond) % 60, in_day / kMicrosPerSecond % 60,
                  in_day / kMicrosPerMilli % 1'000, kLevelNames[static_cast<std::size_t>(level)],
                  Printable(message, kMaxMessageBytes));
  if (fields.size() > 0) line += ' ';
  for (const Field& field : fields) line += fmt::format(" {}={}", field.name, TextValue(field));
  return line;
}

std::string JsonLine(Level level, std::string_view message, Micros now,
                     std::initializer_list<Field> fields) {
  std::string line = fmt::format(R"({{"time":"{}","level":"{}","message":{})", FormatTime(now),
                                 kLevelNames[static_cast<std::size_t>(level)],
                                 Quote(Printable(message, kMaxMessageBytes)));
  for (const Field& field : fields) {
    const std::string value = Printable(field.value, kMaxValueBytes);
    line += fmt::format(",{}:{}", Quote(field.name), field.quoted ? Quote(value) : value);
  }
  return line + '}';
}

}  // namespace

void Configure(Level level, Format format) {
  least_level = level;
  line_format = format;
}

void Divert(std::function<void(std::string_view line)> display) {
  const std::lock_guard lock(display_mutex);
  diverted = std::move(display);
}

void Write(Level level, std::string_view message, std::initializer_list<Field> fields) {
  if (level < least_level.load(std::memory_order_relaxed)) return;
  const Micros now = SystemClock().Now();
  const std::string line = line_format.load(std::memory_order_relaxed) == Format::kJson
                               ? JsonLine(level, message, now, fields)
                               : TextLine(level, message, now, fields);
  {
    const std::lock_guard lock(display_mutex);
    if (diverted) return diverted(line);
  }
  Sink().log(spdlog::level::info, spdlog::string_view_t(line));
}

bool Sampler::Admit(std::int64_t now_us) {
  if (now_us - window_start_us_ >= interval_us_) {
    window_start_us_ = now_us;
    in_window_ = 0;
  }
  if (in_window_ >= burst_) {
    ++skipped_;
    return false;
  }
  ++in_window_;
  suppressed_before_ = skipped_;
  skipped_ = 0;
  return true;
}

}  // namespace weir::log
