#pragma once
// ChunkWriter: writes the pages of one column chunk through Parquet's PageWriter and counts what a
// table wants to know of it. Reused chunk after chunk. For the inside of this folder; throws what
// Parquet C++ throws.

#include <cstdint>
#include <memory>

#include <arrow/util/compression.h>

#include "parquet/leaf.h"
#include "parquet/value_encoder.h"
#include "parquet/value_range.h"
#include "record/buffer.h"

namespace arrow {
class ResizableBuffer;
}
namespace parquet {
class ColumnChunkMetaDataBuilder;
class EncodedStatistics;
class PageWriter;
}  // namespace parquet

namespace weir::parquet {

/// What one chunk held.
struct ChunkSummary {
  std::int64_t entries = 0;
  std::int64_t nulls = 0;
  std::int64_t plain_bytes = 0;  // of pages and their headers, uncompressed
  ValueRange range;
};

class ChunkWriter {
 public:
  ChunkWriter(std::size_t page_bytes, std::size_t dictionary_bytes);
  ~ChunkWriter();

  /// Writes all of `leaf` and closes the pager; statistics go into `metadata`.
  ChunkSummary Write(const LeafPath& path, const LeafData& leaf, ::parquet::PageWriter& pager,
                     ::parquet::ColumnChunkMetaDataBuilder& metadata);

 private:
  struct Page {
    std::size_t row = 0;  // first row of the row group in it
    std::size_t first_entry = 0;
    std::size_t entries = 0;
    std::size_t first_value = 0;
    std::size_t values = 0;
  };
  Page NextPage(const LeafPath& path, const LeafData& leaf, const Page& last,
                std::size_t page_entries) const;
  std::size_t EntriesPerPage(const LeafData& leaf) const;
  void AppendLevels(const LeafPath& path, const LeafData& leaf, const Page& page);
  std::int64_t WritePage(const LeafPath& path, const LeafData& leaf, const Page& page,
                         ::parquet::PageWriter& pager, const ValueRange& range);

  std::size_t page_bytes_;
  std::size_t dictionary_bytes_;
  ValueEncoder encoder_;
  RangeFinder ranges_;
  Buffer<std::uint8_t> page_;
  std::shared_ptr<::arrow::ResizableBuffer> compressed_;
};

}  // namespace weir::parquet
