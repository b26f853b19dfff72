#pragma once
// TableScan: reads the live rows of a table, for the commands that look into tables.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/pipeline_spec.h"
#include "connect/table.h"
#include "io/location.h"
#include "parquet/data_file_reader.h"
#include "record/batch.h"

namespace weir::app {

/// A table of a catalog with the version that was current when it was opened.
struct OpenedTable {
  std::unique_ptr<connect::Table> table;
  std::shared_ptr<const connect::TableVersion> version;
  io::StoreOptions stores;  // for its files
};

/// kNotFound WEIR0401, kInvalidInput WEIR0701 for a name that is none.
Result<OpenedTable> OpenTableByName(connect::Catalog& catalog, const std::string& name,
                                    const config::PipelineSpec& spec);

using BatchVisitor = std::function<Status(const Batch&)>;

/// Visits every live row with those of the columns that the table has, in no order. Rows that other
/// writers deleted by delete files are still visited. Errors: those of the table and its files.
Status ScanTable(OpenedTable& opened, const std::vector<std::string>& columns,
                 const BatchVisitor& visit);

/// A column of the rows by its name; nullptr: the table has no such column.
const Column* FindColumn(const Batch& batch, std::string_view name);
/// One that must be there, since the kind of the table has it.
const Column& ColumnOf(const Batch& batch, std::string_view name);

/// One file of the table.
Status ScanFile(OpenedTable& opened, const connect::DataFile& file,
                const std::vector<std::string>& columns, const BatchVisitor& visit);

/// A data file of the table, wherever it is.
Result<std::unique_ptr<parquet::DataFileReader>> OpenDataFile(const connect::TableVersion& version,
                                                              const connect::DataFile& file,
                                                              const io::StoreOptions& stores);

/// Where a data file is: an absolute path, or the location as it stands.
std::string FileLocation(const connect::TableVersion& version, const connect::DataFile& file);

}  // namespace weir::app
