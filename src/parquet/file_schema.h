#pragma once
// The Parquet schema of a table's columns and back: physical and logical types, three-level lists
// and maps, and a field id on every node. For the inside of this folder.

#include <memory>

#include "record/type.h"

namespace parquet {
class SchemaDescriptor;
namespace schema {
class GroupNode;
}
}  // namespace parquet

namespace weir::parquet {

/// The root node. Throws what Parquet C++ throws for a schema that cannot be.
std::shared_ptr<::parquet::schema::GroupNode> FileSchema(const Schema& schema);

/// The way back, for a file of whatever origin. Columns of a type that we do not have are left out.
Schema SchemaOf(const ::parquet::SchemaDescriptor& file);

}  // namespace weir::parquet
