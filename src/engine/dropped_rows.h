#pragma once
// DroppedRows: examples of the rows that dedupe dropped, as the epoch records keep them, and the
// text of a key by which the row that stayed is found again. Pure; one thread.

#include <cstdint>
#include <string>
#include <vector>

#include "record/batch.h"
#include "record/column.h"
#include "state/epoch_record.h"
#include "stream/event_row.h"

namespace weir::engine {

/// The value as text: equal texts where dedupe finds values equal.
std::string KeyText(const Column& column, std::size_t row);

/// Takes the first duplicates of an epoch. Their number and length are bounded, so that a record
/// does not grow with them.
class DroppedRows {
 public:
  static constexpr std::size_t kMostRows = 5;         // of an epoch
  static constexpr std::size_t kMostKeyBytes = 1024;  // of one; longer keys are left out

  /// key: names of the columns.
  explicit DroppedRows(std::vector<std::string> key) : key_(std::move(key)) {}

  bool full() const { return rows_.size() >= kMostRows; }
  void Add(const Batch& batch, const stream::EventRow& row);
  /// What was taken since the last call.
  std::vector<state::DroppedRow> Take() { return std::exchange(rows_, {}); }

 private:
  std::vector<std::string> key_;
  std::vector<state::DroppedRow> rows_;
};

}  // namespace weir::engine
