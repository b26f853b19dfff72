#include "stream/future_check.h"

#include <limits>

#include <fmt/format.h>

#include "base/check.h"

namespace weir::stream {

namespace {

std::string Pointer(std::string_view field) {
  std::string pointer = "/";
  for (const char c : field) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
  return pointer;
}

Rejection FromFuture(const Batch& batch, std::size_t column, std::uint32_t row,
                     Micros ingestion_time, Micros max_future) {
  const std::string& field = batch.schema->fields[column].name;
  const Micros event_time = batch.columns[column].Long(row);
  Rejection rejection;
  rejection.record = batch.records[row];
  rejection.reason = RejectReason::kEventFromFuture;
  rejection.pointer = Pointer(field);
  rejection.expected = fmt::format("at most {}, {} after it was taken in",
                                   FormatTime(ingestion_time + max_future), FormatSpan(max_future));
  rejection.actual = FormatTime(event_time);
  rejection.message = fmt::format("{} lies {} in the future: {}, and it was taken in at {}", field,
                                  FormatSpan(event_time - ingestion_time), rejection.actual,
                                  FormatTime(ingestion_time));
  return rejection;
}

}  // namespace

void RejectFuture(const Batch& batch, std::size_t event_time_column, Micros ingestion_time,
                  Micros max_future, std::vector<std::uint32_t>* good_rows,
                  std::vector<Rejection>* rejected) {
  const Column& column = batch.columns[event_time_column];
  WEIR_CHECK(column.type().kind == TypeKind::kTimestamp);
  constexpr Micros kEnd = std::numeric_limits<Micros>::max();
  const Micros latest = ingestion_time > kEnd - max_future ? kEnd : ingestion_time + max_future;
  const std::int64_t* times = column.fixed<std::int64_t>();
  // None is too far as a rule, and that much is told without a branch a row.
  bool any = false;
  for (const std::uint32_t row : *good_rows) any |= times[row] > latest;
  if (!any) return;
  std::erase_if(*good_rows, [&](std::uint32_t row) {
    if (times[row] <= latest) return false;
    rejected->push_back(FromFuture(batch, event_time_column, row, ingestion_time, max_future));
    return true;
  });
}

}  // namespace weir::stream
