#pragma once
// ValueWriter: appends JSON values to columns, or says why not.
//
// Values were checked by JsonScanner. A value that is refused leaves half a row behind: the caller
// truncates the columns. Not thread safe; plans are scratch space too, so one writer works on them.

#include <optional>
#include <string>
#include <vector>

#include "codec/json_value.h"
#include "codec/scalar_value.h"
#include "codec/value_plan.h"
#include "record/column.h"
#include "record/rejection.h"

namespace weir::codec {

class ValueWriter {
 public:
  /// Appends one row. False: the value is refused and rejection() says why.
  bool Append(const JsonValue& value, ValuePlan& plan, Column* column);

  /// The refusal of the last Append, with its JSON pointer; `record` is left 0.
  Rejection TakeRejection();

 private:
  bool AppendScalar(const JsonValue& raw, const ValuePlan& plan, Column* column);
  bool AppendStruct(const JsonValue& value, ValuePlan& plan, Column* column);
  bool AppendList(const JsonValue& value, ValuePlan& plan, Column* column);
  bool AppendMap(const JsonValue& value, ValuePlan& plan, Column* column);
  bool AppendChild(const JsonValue& value, ValuePlan& plan, Column* column, std::string_view step);

  std::string_view TextOf(const JsonValue& value);
  bool Refuse(ScalarFault fault, const JsonValue& value, const ValuePlan& plan);

  std::string unescaped_;
  Rejection rejection_;
  std::vector<std::string> path_;  // the way to the refused value, innermost first
};

}  // namespace weir::codec
