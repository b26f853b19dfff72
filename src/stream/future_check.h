#pragma once
// FutureCheck: which rows claim to have happened too far ahead of the time when they were taken in.
//
// One clock that runs ahead would move the watermark for good and make every honest row after it
// late, so such a row is no valid record: it goes to the quarantine and moves no watermark. Further
// than max_future is too far; exactly max_future is not. The ingestion time is that of the batch
// and is recorded, so that a replay decides the same. A pure function of its arguments. No errors.

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "record/batch.h"
#include "record/rejection.h"

namespace weir::stream {

/// Drops from `good_rows` those whose event time (a timestamp column, never null there) is more
/// than max_future ahead of the ingestion time, and appends a Rejection for each, whose `record` is
/// that of the row.
void RejectFuture(const Batch& batch, std::size_t event_time_column, Micros ingestion_time,
                  Micros max_future, std::vector<std::uint32_t>* good_rows,
                  std::vector<Rejection>* rejected);

}  // namespace weir::stream
