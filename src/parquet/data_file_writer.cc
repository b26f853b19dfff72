#include "parquet/data_file_writer.h"

#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <arrow/util/compression.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/column_writer.h>
#include <parquet/exception.h>
#include <parquet/file_writer.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include "base/check.h"
#include "parquet/bound.h"
#include "parquet/chunk_writer.h"
#include "parquet/file_schema.h"
#include "parquet/leaf.h"
#include "parquet/store_sink.h"

namespace weir::parquet {

namespace {

namespace pq = ::parquet;

constexpr std::string_view kMagic = "PAR1";
constexpr const char* kCreatedBy = "weir version " WEIR_VERSION;

pq::Compression::type CodecOf(const std::string& name) {
  if (name == "snappy") return pq::Compression::SNAPPY;
  if (name == "gzip") return pq::Compression::GZIP;
  if (name == "lz4") return pq::Compression::LZ4;  // written as LZ4_RAW
  if (name == "none") return pq::Compression::UNCOMPRESSED;
  return pq::Compression::ZSTD;
}

// Runs what calls Parquet C++, whose errors are exceptions.
template <typename Call>
Status Guard(const StoreSink& sink, Call&& call) {
  try {
    return call();
  } catch (const std::exception& e) {
    if (sink.error()) return *sink.error();
    return Internal(std::string("writing a Parquet file: ") + e.what());
  }
}

}  // namespace

class DataFileWriter::Impl {
 public:
  Impl(std::vector<LeafPath> leaves, const connect::FileSettings& settings,
       std::unique_ptr<io::OutputStream> out)
      : leaves_(std::move(leaves)),
        sink_(std::make_shared<StoreSink>(std::move(out))),
        chunk_writer_(static_cast<std::size_t>(settings.page_bytes),
                      static_cast<std::size_t>(settings.dictionary_bytes)),
        codec_(CodecOf(settings.compression)) {
    // The other codecs have no levels and refuse one.
    if (codec_ == pq::Compression::ZSTD || codec_ == pq::Compression::GZIP) {
      codec_options_.compression_level = settings.compression_level;
    }
    ranges_.resize(leaves_.size());
    metrics_.resize(leaves_.size());
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      modes_.push_back(ModeOf(settings, leaves_[i], i));
    }
  }

  Status Start(const Schema& schema) {
    return Guard(*sink_, [&]() -> Status {
      schema_.Init(FileSchema(schema));
      properties_ = pq::WriterProperties::Builder()
                        .created_by(kCreatedBy)
                        ->version(pq::ParquetVersion::PARQUET_2_6)
                        ->compression(codec_)
                        ->build();
      metadata_ = pq::FileMetaDataBuilder::Make(&schema_, properties_);
      page_index_ = pq::PageIndexBuilder::Make(&schema_);
      PARQUET_THROW_NOT_OK(sink_->Write(kMagic.data(), kMagic.size()));
      return Ok();
    });
  }

  Status WriteRowGroup(std::span<const Column* const> columns, std::size_t rows) {
    if (columns.size() != static_cast<std::size_t>(schema_.group_node()->field_count())) {
      return InvalidInput("a row group has " + std::to_string(columns.size()) + " columns, not " +
                          std::to_string(schema_.group_node()->field_count()));
    }
    if (rows == 0) return Ok();
    return Guard(*sink_, [&]() -> Status {
      const auto ordinal = static_cast<std::int16_t>(split_offsets_.size());
      if (ordinal == std::numeric_limits<std::int16_t>::max()) {
        return Internal("a Parquet file has no room for more row groups");
      }
      split_offsets_.push_back(sink_->position());
      pq::RowGroupMetaDataBuilder* row_group = metadata_->AppendRowGroup();
      page_index_->AppendRowGroup();
      std::int64_t plain_bytes = 0;
      for (std::size_t i = 0; i < leaves_.size(); ++i) {
        WEIR_TRY(ReadLeaf(leaves_[i], *columns[leaves_[i].steps[0].child], rows, leaf_));
        plain_bytes += WriteChunk(i, ordinal, *row_group->NextColumnChunk());
      }
      row_group->set_num_rows(static_cast<std::int64_t>(rows));
      row_group->Finish(plain_bytes, ordinal);
      rows_ += static_cast<std::int64_t>(rows);
      return Ok();
    });
  }

  Status BeginFinish() {
    if (std::exchange(footer_written_, true)) return Ok();
    WEIR_TRY(Guard(*sink_, [&]() -> Status {
      page_index_->Finish();
      const auto locations = page_index_->WriteTo(sink_.get());
      metadata_->SetIndexLocations(pq::IndexKind::kColumnIndex, locations.column_index_locations);
      metadata_->SetIndexLocations(pq::IndexKind::kOffsetIndex, locations.offset_index_locations);
      const auto metadata = metadata_->Finish(nullptr);
      pq::WriteFileMetaData(*metadata, sink_.get());
      return Ok();
    }));
    return sink_->BeginFinish();
  }

  Result<connect::DataFile> Finish() {
    WEIR_TRY(BeginFinish());
    WEIR_TRY(sink_->Finish());
    return Summary();
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t bytes() const { return sink_->position(); }

  connect::DataFile Summary() const {
    connect::DataFile file;
    file.record_count = rows_;
    file.file_bytes = sink_->position();
    file.split_offsets = split_offsets_;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const Type& type = leaves_[i].type;
      connect::ColumnMetrics metrics = metrics_[i];
      if (type.kind == TypeKind::kFloat || type.kind == TypeKind::kDouble) {
        metrics.nan_count = ranges_[i].nan_count;
      }
      // Of a list or map a file has bounds of no use: they would be of items, not of rows.
      if (leaves_[i].max_repetition == 0) {
        metrics.lower = LowerBound(type, ranges_[i], modes_[i]);
        metrics.upper = UpperBound(type, ranges_[i], modes_[i]);
      }
      file.columns[leaves_[i].field_id] = std::move(metrics);
    }
    return file;
  }

 private:
  std::int64_t WriteChunk(std::size_t index, std::int16_t row_group,
                          pq::ColumnChunkMetaDataBuilder& metadata) {
    const auto column = static_cast<std::int32_t>(index);
    const auto pager = pq::PageWriter::Open(
        sink_, codec_, &metadata, row_group, static_cast<std::int16_t>(column),
        ::arrow::default_memory_pool(), /*buffered_row_group=*/false, nullptr, nullptr,
        /*page_write_checksum_enabled=*/true, page_index_->GetColumnIndexBuilder(column),
        page_index_->GetOffsetIndexBuilder(column), codec_options_);
    const ChunkSummary chunk = chunk_writer_.Write(leaves_[index], leaf_, *pager, metadata);
    connect::ColumnMetrics& metrics = metrics_[index];
    metrics.compressed_bytes += metadata.total_compressed_size();
    metrics.value_count += chunk.entries;
    metrics.null_count += chunk.nulls;
    ranges_[index].Merge(chunk.range);
    return chunk.plain_bytes;
  }

  bool footer_written_ = false;
  std::vector<LeafPath> leaves_;
  std::shared_ptr<StoreSink> sink_;
  ChunkWriter chunk_writer_;
  pq::Compression::type codec_;
  ::arrow::util::CodecOptions codec_options_;
  pq::SchemaDescriptor schema_;
  std::shared_ptr<pq::WriterProperties> properties_;
  std::unique_ptr<pq::FileMetaDataBuilder> metadata_;
  std::unique_ptr<pq::PageIndexBuilder> page_index_;
  LeafData leaf_;
  std::vector<MetricsMode> modes_;
  std::vector<ValueRange> ranges_;
  std::vector<connect::ColumnMetrics> metrics_;
  std::vector<std::int64_t> split_offsets_;
  std::int64_t rows_ = 0;
};

DataFileWriter::DataFileWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DataFileWriter::~DataFileWriter() = default;

Result<std::unique_ptr<DataFileWriter>> DataFileWriter::Create(
    const Schema& schema, const connect::FileSettings& settings,
    std::unique_ptr<io::OutputStream> out) {
  WEIR_ASSIGN_OR_RETURN(std::vector<LeafPath> leaves, LeavesOf(schema));
  auto impl = std::make_unique<Impl>(std::move(leaves), settings, std::move(out));
  WEIR_TRY(impl->Start(schema));
  return std::unique_ptr<DataFileWriter>(new DataFileWriter(std::move(impl)));
}

Status DataFileWriter::WriteRowGroup(std::span<const Column* const> columns, std::size_t rows) {
  return impl_->WriteRowGroup(columns, rows);
}

std::int64_t DataFileWriter::rows() const { return impl_->rows(); }
std::int64_t DataFileWriter::bytes() const { return impl_->bytes(); }

Status DataFileWriter::BeginFinish() { return impl_->BeginFinish(); }
connect::DataFile DataFileWriter::Summary() const { return impl_->Summary(); }
Result<connect::DataFile> DataFileWriter::Finish() { return impl_->Finish(); }

}  // namespace weir::parquet
