#pragma once
// Schemas in table metadata: Iceberg's JSON form to weir::Schema and back.

#include <string>
#include <vector>

#include "base/json_document.h"
#include "base/result.h"
#include "record/type.h"

namespace weir::iceberg {

struct ReadSchema {
  Schema schema;
  /// Optional columns of types that Weir has no values for (time, fixed, variant...). They are not
  /// in `schema`: our files leave them out, and readers see null there.
  std::vector<std::string> left_out;
};

/// kCorrupt; kUnsupported WEIR0403 naming a required column of an unknown type.
Result<ReadSchema> SchemaFromJson(const Json& json);

/// All fields must have ids.
Json SchemaToJson(const Schema& schema, int schema_id);

/// "timestamptz", "decimal(10, 2)": a type without children in Iceberg's spelling.
std::string PrimitiveName(const Type& type);

}  // namespace weir::iceberg
