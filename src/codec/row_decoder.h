#pragma once
// RowDecoder: the strict reader. One record -> one row, or the reason why not. What it does is the
// definition of right; BlockDecoder does the same faster.

#include <string_view>
#include <vector>

#include "base/time.h"
#include "codec/field_names.h"
#include "codec/json_scanner.h"
#include "codec/value_plan.h"
#include "codec/value_writer.h"
#include "record/batch.h"
#include "record/contract.h"
#include "record/rejection.h"

namespace weir::codec {

struct JsonLimits;

class RowDecoder {
 public:
  RowDecoder(const Contract& contract, const JsonLimits& limits);

  /// Appends a row to the columns (not to batch.records), or fills the rejection but for `record`.
  bool Decode(std::string_view value, Micros ingestion_time, Batch* batch, Rejection* rejection);

  /// The first half of Decode: finds the values of a record, or fills the rejection.
  bool Find(std::string_view value, Rejection* rejection);
  /// What Find found, by field.
  const std::vector<JsonValue>& values() const { return values_; }
  /// The members that are no field, if they are to be kept.
  const std::vector<JsonMember>& others() const { return others_; }
  const std::vector<JsonMember>& members() const { return scanner_.members(); }
  /// By member: its field, or -1.
  const std::vector<int>& field_of() const { return field_of_; }

 private:
  bool Append(Micros ingestion_time, Batch* batch, Rejection* rejection);
  void AppendUnknown(Column* column);

  const std::size_t max_record_bytes_;
  const UnknownFields unknown_fields_;
  JsonScanner scanner_;
  ValueWriter writer_;
  FieldNames names_;                // by field; empty for the one that ingestion fills
  std::vector<ValuePlan> plans_;    // by field
  std::size_t ingestion_ = 0;       // column
  std::size_t unknown_ = 0;         // column, with UnknownFields::kKeep
  std::vector<JsonValue> values_;   // of the record at hand, by field
  std::vector<JsonMember> others_;  // its members that are no field
  std::vector<int> field_of_;
};

}  // namespace weir::codec
