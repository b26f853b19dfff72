#pragma once
// Partition values as the log writes them, and the paths of files.
//
// A value that comes from a transform (day, hour, month, year, bucket) is that of a column of its
// own in a Delta table: a date, a text or a number that Weir writes. An empty string is null, as
// the protocol has it. Pure functions.

#include <optional>
#include <string>
#include <string_view>

#include "connect/data_file.h"
#include "connect/table.h"
#include "record/type.h"

namespace weir::delta {

/// A column that a table is partitioned by.
struct PartitionColumn {
  std::string name;
  Type type;    // of the column itself
  Type source;  // of the column that it is made of; the same one for identity
  connect::Transform transform = connect::Transform::kIdentity;
  int width = 0;
};

/// Whether values of such a column can be written; a short reason if not.
std::optional<std::string> WhyNotWritable(const PartitionColumn& column);

std::optional<std::string> TextOfValue(const PartitionColumn& column,
                                       const connect::PartitionValue& value);
/// A text that is none of the column's type becomes a value that equals no other: its own text.
connect::PartitionValue ValueOfText(const PartitionColumn& column,
                                    const std::optional<std::string>& text);

/// Percent-encodes a path for the log; back, leaving what is no escape as it is.
std::string EncodePath(std::string_view path);
std::string DecodePath(std::string_view path);

}  // namespace weir::delta
