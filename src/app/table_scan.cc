#include "app/table_scan.h"

#include "app/wiring.h"

namespace weir::app {

Result<OpenedTable> OpenTableByName(connect::Catalog& catalog, const std::string& name,
                                    const config::PipelineSpec& spec) {
  auto parsed = connect::ParseTableName(name);
  if (!parsed) return InvalidInput(parsed.error().message, ErrorCode::kUsage);
  OpenedTable opened;
  opened.stores = StoresOf(spec);
  WEIR_ASSIGN_OR_RETURN(opened.table, catalog.Open(*parsed, spec.name));
  WEIR_ASSIGN_OR_RETURN(opened.version, opened.table->Load());
  return opened;
}

std::string FileLocation(const connect::TableVersion& version, const connect::DataFile& file) {
  const bool is_absolute = file.path.starts_with('/') || file.path.find(":/") != std::string::npos;
  const std::string location = is_absolute ? file.path : version.location + "/" + file.path;
  return io::LocalPath(location).value_or(location);
}

Result<std::unique_ptr<parquet::DataFileReader>> OpenDataFile(const connect::TableVersion& version,
                                                              const connect::DataFile& file,
                                                              const io::StoreOptions& stores) {
  const std::string location = FileLocation(version, file);
  if (io::LocalPath(location)) return parquet::DataFileReader::OpenPath(location);
  const std::size_t slash = location.rfind('/');
  WEIR_ASSIGN_OR_RETURN(const auto store, io::OpenLocation(location.substr(0, slash), stores,
                                                           io::FolderAccess::kShared));
  return parquet::DataFileReader::Open(*store, location.substr(slash + 1));
}

const Column* FindColumn(const Batch& batch, std::string_view name) {
  const auto index = batch.schema->IndexOf(name);
  return index ? &batch.columns[*index] : nullptr;
}

const Column& ColumnOf(const Batch& batch, std::string_view name) {
  return batch.columns.at(batch.schema->IndexOf(name).value());
}

Status ScanFile(OpenedTable& opened, const connect::DataFile& file,
                const std::vector<std::string>& columns, const BatchVisitor& visit) {
  auto projection = std::make_shared<Schema>();
  for (const std::string& column : columns) {
    const auto index = opened.version->schema.IndexOf(column);
    if (index) projection->fields.push_back(opened.version->schema.fields[*index]);
  }
  WEIR_ASSIGN_OR_RETURN(auto reader, OpenDataFile(*opened.version, file, opened.stores));
  WEIR_TRY(reader->Select(projection));
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const auto batch, reader->Next());
    if (!batch) return Ok();
    WEIR_TRY(visit(*batch));
  }
}

Status ScanTable(OpenedTable& opened, const std::vector<std::string>& columns,
                 const BatchVisitor& visit) {
  WEIR_ASSIGN_OR_RETURN(const auto files, opened.table->LiveFiles(*opened.version));
  for (const connect::DataFile& file : files) {
    WEIR_TRY(ScanFile(opened, file, columns, visit));
  }
  return Ok();
}

}  // namespace weir::app
