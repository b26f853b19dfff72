#pragma once
// WindowGroups: the groups of one open window and their aggregates.
//
// Rows are gathered first and worked in together, column by column. The group of a row is found by
// the code of a dictionary column where that is all there is to it, else by the bytes of its key.
// Not thread safe.

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "record/batch.h"
#include "stream/accumulators.h"
#include "stream/group_index.h"

namespace weir::stream {

/// What the windows of one operator share.
struct WindowShape {
  std::vector<std::size_t> by;  // columns of the rows
  std::vector<Type> by_types;   // the same
  struct Value {
    AggregateKind kind;
    std::size_t column;  // of the rows; any for a count of rows
    Type input;
    Type output;
  };
  std::vector<Value> values;
  std::int64_t overflows = 0;
};

class WindowGroups {
 public:
  /// The shape outlives it.
  explicit WindowGroups(WindowShape& shape);

  void Gather(std::uint32_t row) { rows_.push_back(row); }
  bool gathered() const { return !rows_.empty(); }
  void WorkIn(const Batch& batch);

  /// Appends the rows of all groups, in the order of their keys.
  void Close(Micros start, Micros end, Batch* out) const;

  std::size_t size() const { return groups_.size(); }
  std::size_t bytes() const;

  /// All groups, or those that changed since the last Clean.
  std::vector<std::uint32_t> Slots(bool changed_only) const;
  void Clean();
  void WriteGroup(std::uint32_t slot, WireWriter& out) const;
  /// Replaces a group, or makes it.
  void ReadGroup(WireReader& in);

 private:
  void FindSlots(const Batch& batch);
  void FindByCode(const Column& column);
  std::uint32_t SlotOf(const Batch& batch, std::uint32_t row);
  void Grow();
  bool IsKey(std::string_view key) const;

  WindowShape* shape_;
  GroupIndex groups_;
  std::vector<std::unique_ptr<Accumulators>> values_;  // as in the shape
  std::vector<std::uint8_t> changed_;                  // by slot
  std::vector<std::uint32_t> changes_;                 // their slots

  std::shared_ptr<Dictionary> dictionary_;  // that the codes belong to
  std::vector<std::uint32_t> slot_of_code_;
  std::vector<std::uint32_t> rows_;   // gathered, of the batch at hand
  std::vector<std::uint32_t> slots_;  // of these rows
  std::string key_;
};

}  // namespace weir::stream
