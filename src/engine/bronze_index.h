#pragma once
// BronzeIndex: what the files of a bronze table hold, partition by partition, and an order in which
// reading them gives each partition's records in the order of their offsets.
//
// Files as Weir writes them follow one another. What another writer has rewritten may overlap: such
// files are merged. Plain values and pure functions but for ScanBronzeFile.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "connect/data_file.h"
#include "parquet/data_file_reader.h"
#include "record/offsets.h"

namespace weir::engine {

/// The records of one partition in one file, or in several.
struct BronzeRange {
  Offset first;
  Offset last;
  std::int64_t rows = 0;
  bool operator==(const BronzeRange&) const = default;
};

struct BronzeFile {
  std::string path;  // as the table names it
  std::int64_t rows = 0;
  std::int64_t bytes = 0;
  Micros oldest = 0;      // least ingestion time
  bool ascending = true;  // each partition's records are in the order of their offsets
  std::map<Partition, BronzeRange> ranges;
  bool operator==(const BronzeFile&) const = default;
};

/// Files that are read together; alone and ascending: as the file stands.
struct BronzeGroup {
  std::vector<std::size_t> files;
  std::map<Partition, BronzeRange> ranges;
  Micros oldest = 0;
};

using BronzeOpener =
    std::function<Result<std::unique_ptr<parquet::DataFileReader>>(const std::string& path)>;

/// Reads the coordinates of a file's records. Records of other topics do not count. `schema`: the
/// table's. Errors: those of the reader.
Result<BronzeFile> ScanBronzeFile(const connect::DataFile& file, const Schema& schema,
                                  const std::string& topic, const BronzeOpener& open);

/// All files, in the order in which they can be read. Of those that could come next the oldest
/// does.
std::vector<BronzeGroup> OrderBronze(const std::vector<BronzeFile>& files);

/// The named columns of a schema, in this order; kInvalidInput WEIR0402 for one that is not there.
Result<std::shared_ptr<const Schema>> ColumnsNamed(const Schema& schema,
                                                   const std::vector<std::string>& names);

}  // namespace weir::engine
