#include "stream/sessions_steps.h"

#include <algorithm>
#include <utility>

namespace weir::stream {

StepRows::StepRows(std::span<const StepRow> rows, StepTypes steps) : rows_(rows) {
  Serve(0, steps);
}

void StepRows::Add(const StepRow& row, StepTypes steps) {
  bool kept = false;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (steps[k] != row.type || (k < reached_ && !row.Before(rows_[k]))) continue;
    if (!kept) rows_.push_back(row);
    kept = true;
    if (k == 0 || (k <= reached_ && rows_[k - 1].Before(row))) return Serve(k, steps);
  }
}

void StepRows::Merge(const StepRows& other, StepTypes steps) {
  for (const StepRow& row : other.rows_) rows_.push_back(row);
  reached_ = 0;
  Serve(0, steps);
}

// Whether a row that serves no step may still come to serve one.
bool StepRows::Needed(const StepRow& row, StepTypes steps) const {
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (steps[k] == row.type && (k >= reached_ || row.Before(rows_[k]))) return true;
  }
  return false;
}

// Finds the rows of the steps from `first` on; those before stand.
void StepRows::Serve(std::size_t first, StepTypes steps) {
  reached_ = static_cast<std::uint32_t>(first);
  for (std::size_t k = first; k < steps.size(); ++k) {
    std::size_t best = rows_.size();
    for (std::size_t i = k; i < rows_.size(); ++i) {
      if (rows_[i].type != steps[k] || (k != 0 && !rows_[k - 1].Before(rows_[i]))) continue;
      if (best == rows_.size() || rows_[i].Before(rows_[best])) best = i;
    }
    if (best == rows_.size()) break;
    std::swap(rows_[k], rows_[best]);
    ++reached_;
  }
  const auto* kept = std::remove_if(rows_.begin() + reached_, rows_.end(),
                                    [&](const StepRow& row) { return !Needed(row, steps); });
  rows_.Truncate(static_cast<std::size_t>(kept - rows_.begin()));
}

}  // namespace weir::stream
