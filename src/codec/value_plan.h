#pragma once
// ValuePlan: how the values of one place of the contract are read: a field, an element of a list, a
// value of a map. Made once from the contract; a tree like its types.

#include <cstdint>
#include <string>
#include <vector>

#include "codec/field_names.h"
#include "codec/json_value.h"
#include "record/contract.h"

namespace weir::codec {

struct ValuePlan {
  std::string name;  // of a field; empty for elements and map values
  Type type;
  bool required = false;  // below the top level only: there the contract's rules decide, in order
  TimestampFormat timestamp_format = TimestampFormat::kIso;
  bool assume_utc = false;
  bool reject_unknown = false;      // struct: a key that is no field is refused
  std::vector<ValuePlan> children;  // struct fields; list: element; map: value
  FieldNames names;                 // struct
  std::vector<JsonValue> scratch;   // struct: the values of one row, by child
};

ValuePlan PlanOf(const ContractField& field, UnknownFields unknown);

}  // namespace weir::codec
