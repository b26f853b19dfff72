#pragma once
// Replacement: which files of a table hold the rows that a commit replaces.
//
// Rows are named by values of columns that the table is partitioned by as they are, so every such
// row lies in a file that holds nothing else, also after somebody compacted. A spec that does not
// separate them is refused: to guess would lose or double rows.

#include <vector>

#include "base/result.h"
#include "connect/data_file.h"
#include "iceberg/manifest.h"
#include "iceberg/metadata.h"
#include "iceberg/partition_type.h"

namespace weir::iceberg {

class Replacement {
 public:
  Replacement(const TableMetadata& metadata, const std::vector<connect::RowsWhere>& rows)
      : metadata_(metadata), rows_(rows) {}
  bool empty() const { return rows_.empty(); }

  /// For the files of one spec. kUnsupported WEIR0403 when the spec does not separate the rows.
  class UnderSpec {
   public:
    const PartitionType& type() const { return type_; }
    const connect::PartitionSpec& spec() const { return *spec_; }
    bool Replaces(const connect::PartitionTuple& partition) const;
    /// False only where the ranges of the manifest show that no file of it is replaced.
    bool MayReplaceIn(const ManifestFile& manifest) const;

   private:
    friend class Replacement;
    struct Wanted {
      std::size_t place = 0;  // in the partition tuple
      connect::PartitionValue value;
    };
    const connect::PartitionSpec* spec_ = nullptr;
    PartitionType type_;
    std::vector<std::vector<Wanted>> any_of_;
  };
  Result<UnderSpec> Under(int spec_id) const;

 private:
  const TableMetadata& metadata_;
  const std::vector<connect::RowsWhere>& rows_;
};

}  // namespace weir::iceberg
