#include "parquet/data_file_reader.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/chunked_array.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>

#include "base/bytes.h"
#include "base/check.h"
#include "connect/named_id.h"
#include "parquet/arrow_values.h"
#include "parquet/file_schema.h"

namespace weir::parquet {

namespace pq = ::parquet;

class DataFileReader::Impl {
 public:
  explicit Impl(std::string name) : name_(std::move(name)) {}

  Status Open(std::shared_ptr<::arrow::io::RandomAccessFile> file) {
    return Guard([&]() -> Status {
      pq::ArrowReaderProperties properties(/*use_threads=*/false);
      properties.set_coerce_int96_timestamp_unit(::arrow::TimeUnit::MICRO);
      pq::arrow::FileReaderBuilder builder;
      PARQUET_THROW_NOT_OK(builder.Open(std::move(file)));
      PARQUET_ASSIGN_OR_THROW(reader_, builder.properties(properties)->Build());
      metadata_ = reader_->parquet_reader()->metadata();
      schema_ = SchemaOf(*metadata_->schema());
      return Ok();
    });
  }

  Status Select(std::shared_ptr<const Schema> projection) {
    projection_ = std::move(projection);
    next_group_ = 0;
    next_row_ = 0;
    fields_.clear();
    for (const Field& wanted : projection_->fields) fields_.push_back(FindColumn(wanted));
    leaves_.clear();
    for (int leaf = 0; leaf < metadata_->num_columns(); ++leaf) {
      const int field =
          metadata_->schema()->group_node()->FieldIndex(*metadata_->schema()->GetColumnRoot(leaf));
      if (std::find(fields_.begin(), fields_.end(), field) != fields_.end())
        leaves_.push_back(leaf);
    }
    return Ok();
  }

  Result<std::optional<Batch>> Next() {
    if (next_group_ >= metadata_->num_row_groups()) return std::optional<Batch>();
    std::optional<Batch> batch(std::in_place, projection_);
    WEIR_TRY(Guard([&]() -> Status {
      std::shared_ptr<::arrow::Table> table;
      PARQUET_ASSIGN_OR_THROW(table, reader_->ReadRowGroup(next_group_, leaves_));
      return Fill(*table, *batch);
    }));
    ++next_group_;
    return batch;
  }

  std::int64_t rows() const { return metadata_->num_rows(); }
  int row_groups() const { return metadata_->num_row_groups(); }
  const Schema& schema() const { return schema_; }

 private:
  template <typename Call>
  Status Guard(Call&& call) {
    try {
      return call();
    } catch (const std::exception& e) {
      return Corrupt("'" + Printable(name_) + "' cannot be read as Parquet: " + Printable(e.what()),
                     ErrorCode::kMetadataCorrupt);
    }
  }

  // The top-level column for a field of the projection; -1 when the file has none.
  int FindColumn(const Field& wanted) const {
    const pq::schema::GroupNode& root = *metadata_->schema()->group_node();
    const bool has_ids = std::any_of(schema_.fields.begin(), schema_.fields.end(),
                                     [](const Field& field) { return field.id != 0; });
    for (int i = 0; i < root.field_count(); ++i) {
      const pq::schema::Node& node = *root.field(i);
      const bool by_id = has_ids && wanted.id != 0 && !connect::IsNamedId(wanted.id);
      const bool same = by_id ? node.field_id() == wanted.id : node.name() == wanted.name;
      if (same) return i;
    }
    return -1;
  }

  Status Fill(const ::arrow::Table& table, Batch& batch) {
    // The table has the chosen fields in the file's order.
    std::vector<int> present;
    for (const int field : fields_) {
      if (field >= 0) present.push_back(field);
    }
    std::sort(present.begin(), present.end());
    present.erase(std::unique(present.begin(), present.end()), present.end());
    const std::int64_t rows = metadata_->RowGroup(next_group_)->num_rows();
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      Column& column = batch.columns[i];
      const auto at = std::lower_bound(present.begin(), present.end(), fields_[i]);
      if (fields_[i] < 0) {
        for (std::int64_t row = 0; row < rows; ++row) column.AppendNull();
        continue;
      }
      const auto& chunks = *table.column(static_cast<int>(at - present.begin()));
      for (const auto& chunk : chunks.chunks()) {
        WEIR_ASSIGN_OR_RETURN(const auto values,
                              ArrowValues::Create(chunk.get(), projection_->fields[i]));
        for (std::int64_t row = 0; row < chunk->length(); ++row) values->Append(row, column);
      }
    }
    batch.records.resize(static_cast<std::size_t>(rows));
    std::iota(batch.records.begin(), batch.records.end(), next_row_);
    next_row_ += static_cast<std::uint32_t>(rows);
    return Ok();
  }

  std::string name_;
  std::unique_ptr<pq::arrow::FileReader> reader_;
  std::shared_ptr<pq::FileMetaData> metadata_;
  Schema schema_;
  std::shared_ptr<const Schema> projection_;
  std::vector<int> fields_;  // field of the projection -> top-level column of the file or -1
  std::vector<int> leaves_;
  int next_group_ = 0;
  std::uint32_t next_row_ = 0;
};

DataFileReader::DataFileReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DataFileReader::~DataFileReader() = default;

Result<std::unique_ptr<DataFileReader>> DataFileReader::OpenPath(const std::string& path) {
  auto file = ::arrow::io::ReadableFile::Open(path);
  if (!file.ok()) {
    return NotFound("data file '" + Printable(path) + "': " + file.status().message(),
                    ErrorCode::kDataFileMissing);
  }
  auto impl = std::make_unique<Impl>(path);
  WEIR_TRY(impl->Open(*std::move(file)));
  return std::unique_ptr<DataFileReader>(new DataFileReader(std::move(impl)));
}

Result<std::unique_ptr<DataFileReader>> DataFileReader::OpenBytes(std::string bytes,
                                                                  std::string name) {
  auto impl = std::make_unique<Impl>(std::move(name));
  WEIR_TRY(impl->Open(
      std::make_shared<::arrow::io::BufferReader>(::arrow::Buffer::FromString(std::move(bytes)))));
  return std::unique_ptr<DataFileReader>(new DataFileReader(std::move(impl)));
}

Result<std::unique_ptr<DataFileReader>> DataFileReader::Open(io::Store& store,
                                                             std::string_view key) {
  WEIR_ASSIGN_OR_RETURN(std::string bytes, store.Get(key));
  return OpenBytes(std::move(bytes), std::string(key));
}

std::int64_t DataFileReader::rows() const { return impl_->rows(); }
int DataFileReader::row_groups() const { return impl_->row_groups(); }
const Schema& DataFileReader::schema() const { return impl_->schema(); }
Status DataFileReader::Select(std::shared_ptr<const Schema> projection) {
  return impl_->Select(std::move(projection));
}
Result<std::optional<Batch>> DataFileReader::Next() { return impl_->Next(); }

}  // namespace weir::parquet
