#pragma once
// PartitionType: the columns of a spec's partition tuple with their types, and how single values
// look in manifests: as Avro, and as the binary bounds of a manifest list.

#include <string>
#include <vector>

#include "avro/decoder.h"
#include "avro/encoder.h"
#include "base/json_document.h"
#include "base/result.h"
#include "connect/data_file.h"
#include "connect/table.h"
#include "iceberg/manifest.h"
#include "iceberg/metadata.h"
#include "record/type.h"

namespace weir::iceberg {

struct PartitionColumn {
  int field_id = 0;
  std::string name;
  Type type;  // after the transform
};
using PartitionType = std::vector<PartitionColumn>;

/// The type of a spec of this table. kUnsupported WEIR0403 when a source column or its type is
/// unknown, as for a spec whose column was dropped long ago.
Result<PartitionType> PartitionTypeOf(const TableMetadata& metadata,
                                      const connect::PartitionSpec& spec);

/// Iceberg's single-value binary form; nullopt for a null.
std::optional<std::string> SingleValue(const Type& type, const connect::PartitionValue& value);

/// The Avro schema of a value, and the value in it.
Json AvroTypeOf(const Type& type);
void EncodeValue(const Type& type, const connect::PartitionValue& value, avro::Encoder& encoder);
/// A value of any Avro type that a writer may have chosen for `type`.
connect::PartitionValue DecodeValue(const Type& type, const avro::Node& node,
                                    avro::Decoder& decoder);

/// Collects the ranges of a manifest's partitions.
class PartitionRanges {
 public:
  explicit PartitionRanges(const PartitionType& type);
  void Add(const connect::PartitionTuple& tuple);
  std::vector<FieldSummary> Summaries() const;

 private:
  struct Range {
    bool contains_null = false;
    connect::PartitionValue lower;
    connect::PartitionValue upper;
  };
  const PartitionType& type_;
  std::vector<Range> ranges_;
};

/// A name that Avro takes: other characters as _x and their code. Idempotent for plain names.
std::string AvroName(const std::string& name);

}  // namespace weir::iceberg
