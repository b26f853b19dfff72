#include "delta/data_file_add.h"

#include "delta/partition_value.h"
#include "delta/stats.h"
#include "io/location.h"
#include "parquet/data_file_reader.h"

namespace weir::delta {
namespace {

// What is written as a location of its own and lies below the table's is relative to it for us.
std::string RelativeTo(const std::string& location, const std::string& path) {
  const bool is_absolute = path.starts_with('/') || path.find(":/") != std::string::npos;
  if (!is_absolute) return path;
  return io::Below(location, path).value_or(path);
}

}  // namespace

AddFile AddOf(const Layout& layout, const connect::DataFile& file, std::int64_t now_ms) {
  return {.path = EncodePath(file.path),
          .partition_values = layout.ValuesOf(file.partition),
          .size = file.file_bytes,
          .modified_ms = now_ms,
          .data_change = true,
          .stats = StatsText(layout, file),
          .tags = {}};
}

Result<connect::DataFile> DataFileOf(const Layout& layout, const AddFile& file, io::Store& store,
                                     const std::string& folder, const std::string& location) {
  connect::DataFile out;
  out.path = RelativeTo(location, DecodePath(file.path));
  out.spec_id = layout.spec.spec_id;
  out.partition = layout.TupleOf(file.partition_values);
  out.file_bytes = file.size;
  const auto records = file.stats ? RecordsInStats(*file.stats) : std::nullopt;
  if (records) {
    out.record_count = *records;
    out.columns = WholeBoundsIn(layout, *file.stats);
  } else {
    WEIR_ASSIGN_OR_RETURN(const auto reader,
                          parquet::DataFileReader::Open(store, folder + "/" + out.path));
    out.record_count = reader->rows();
  }
  return out;
}

}  // namespace weir::delta
