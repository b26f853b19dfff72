#pragma once
// TextColumns: decides, column by column, whether the strings of a batch are interned or plain.
//
// Top-level string columns start with a dictionary. At the border of two batches a column that
// turns out to hold many distinct values, or a large dictionary, goes plain; after some fresh
// starts it is tried again, since traffic changes. The choice never changes a value, only how it is
// held.

#include <cstdint>
#include <memory>
#include <vector>

#include "record/batch.h"
#include "record/dictionary.h"

namespace weir::codec {

class TextColumns {
 public:
  explicit TextColumns(const Schema& schema);

  /// To be called before decoding into a batch: an empty one gets its dictionaries.
  void Prepare(Batch* batch);

  /// To be called behind it: takes note of what was decoded.
  void Note(const Batch& batch);

  /// From the next Prepare on, fresh dictionaries.
  void Reset();

 private:
  struct Text {
    std::size_t column = 0;
    std::shared_ptr<Dictionary> dictionary;  // nullptr: plain
    std::uint64_t values = 0;                // interned since the last fresh start
    std::uint64_t values_before = 0;         // in the batch when it was prepared
    int plain_resets = 0;                    // fresh starts since it went plain
  };
  std::vector<Text> texts_;
};

}  // namespace weir::codec
