#pragma once
// The schema text of a table's metadata, and back. Pure functions.
//
// A Delta table without column mapping knows its columns by name. Weir's field ids, which metrics
// and data files carry, are therefore made of the path of names: they stay what they are when
// somebody adds or moves columns.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/type.h"

namespace weir::delta {

struct ReadSchema {
  Schema schema;
  /// Columns of types that Weir does not have; all of them nullable.
  std::vector<std::string> left_out;
  /// Key of a field's metadata that changes what writers must do -> the first column that has it:
  /// "delta.generationExpression" -> "event_date".
  std::map<std::string, std::string> demands;
};

/// kCorrupt WEIR0405; kUnsupported WEIR0403 for a required column of a type that Weir lacks.
Result<ReadSchema> SchemaFromText(std::string_view text);

/// kUnsupported WEIR0403 naming the column for a type or a name that Delta does not have.
Result<std::string> SchemaToText(const Schema& schema);

}  // namespace weir::delta
