#include "parquet/chunk_writer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <parquet/column_page.h>
#include <parquet/column_writer.h>
#include <parquet/exception.h>
#include <parquet/metadata.h>
#include <parquet/statistics.h>

#include "base/check.h"
#include "parquet/bound.h"
#include "parquet/hybrid_encoder.h"

namespace weir::parquet {

namespace {

namespace pq = ::parquet;

// Longer strings are left out of a chunk's statistics, where readers may take them for exact, and
// cut in a page's.
constexpr std::size_t kLongestStatistic = 1024;
constexpr std::size_t kPageStatistic = 64;
// Pages of a flat column start at multiples of this, so that validity bits can be copied as bytes.
constexpr std::size_t kPageStep = 64;
constexpr std::size_t kMostRowsOfPage = 128U << 10;

std::shared_ptr<::arrow::Buffer> Wrap(const Buffer<std::uint8_t>& bytes) {
  return std::make_shared<::arrow::Buffer>(bytes.data(), static_cast<std::int64_t>(bytes.size()));
}

bool IsText(const Type& type) {
  return type.kind == TypeKind::kString || type.kind == TypeKind::kBinary;
}

pq::EncodedStatistics ChunkStatistics(const Type& type, const ValueRange& range,
                                      std::int64_t nulls) {
  pq::EncodedStatistics statistics;
  statistics.set_null_count(nulls);
  if (range.empty) return statistics;
  std::string low = PlainLow(type, range);
  std::string high = PlainHigh(type, range);
  if (low.size() <= kLongestStatistic) {
    statistics.set_min(std::move(low));
    statistics.is_min_value_exact = true;
  }
  if (high.size() <= kLongestStatistic) {
    statistics.set_max(std::move(high));
    statistics.is_max_value_exact = true;
  }
  return statistics;
}

pq::EncodedStatistics PageStatistics(const Type& type, const ValueRange& range,
                                     std::int64_t nulls) {
  pq::EncodedStatistics statistics = ChunkStatistics(type, range, nulls);
  if (range.empty || !IsText(type)) return statistics;
  statistics.ClearMinMax();
  const bool is_string = type.kind == TypeKind::kString;
  auto high = is_string ? RoundedUpText(range.high_text, kPageStatistic)
                        : RoundedUpBytes(range.high_text, kPageStatistic);
  if (!high) return statistics;
  const MetricsMode cut{.kind = MetricsMode::Kind::kTruncate, .length = kPageStatistic};
  std::string low = *LowerBound(type, range, cut);
  statistics.is_min_value_exact = low.size() == range.low_text.size();
  statistics.is_max_value_exact = *high == range.high_text;
  statistics.set_min(std::move(low));
  statistics.set_max(std::move(*high));
  return statistics;
}

}  // namespace

ChunkWriter::ChunkWriter(std::size_t page_bytes, std::size_t dictionary_bytes)
    : page_bytes_(page_bytes), dictionary_bytes_(dictionary_bytes) {
  PARQUET_ASSIGN_OR_THROW(compressed_, ::arrow::AllocateResizableBuffer(0));
}
ChunkWriter::~ChunkWriter() = default;

ChunkSummary ChunkWriter::Write(const LeafPath& path, const LeafData& leaf, pq::PageWriter& pager,
                                pq::ColumnChunkMetaDataBuilder& metadata) {
  ChunkSummary summary{.entries = static_cast<std::int64_t>(leaf.entries),
                       .nulls = static_cast<std::int64_t>(leaf.entries - leaf.values),
                       .range = {}};
  encoder_.Prepare(leaf, dictionary_bytes_);
  if (encoder_.has_dictionary()) {
    const pq::DictionaryPage page(Wrap(encoder_.dictionary()),
                                  static_cast<std::int32_t>(encoder_.dictionary_entries()),
                                  pq::Encoding::PLAIN);
    summary.plain_bytes += pager.WriteDictionaryPage(page);
  }
  const std::size_t page_entries = EntriesPerPage(leaf);
  Page page;
  do {
    page = NextPage(path, leaf, page, page_entries);
    const ValueRange range = ranges_.Find(leaf, page.first_value, page.values);
    summary.plain_bytes += WritePage(path, leaf, page, pager, range);
    summary.range.Merge(range);
  } while (page.first_entry + page.entries < leaf.entries);
  metadata.SetStatistics(ChunkStatistics(path.type, summary.range, summary.nulls));
  pager.Close(encoder_.has_dictionary(), /*fallback=*/false);
  return summary;
}

std::size_t ChunkWriter::EntriesPerPage(const LeafData& leaf) const {
  const std::size_t bytes_per_entry_1024 =
      encoder_.estimated_bytes() * 1024 / std::max<std::size_t>(1, leaf.entries) + 1;
  const std::size_t entries = page_bytes_ * 1024 / bytes_per_entry_1024;
  return std::clamp(entries / kPageStep * kPageStep, kPageStep, kMostRowsOfPage);
}

ChunkWriter::Page ChunkWriter::NextPage(const LeafPath& path, const LeafData& leaf,
                                        const Page& last, std::size_t page_entries) const {
  Page page{.row = last.row,
            .first_entry = last.first_entry + last.entries,
            .first_value = last.first_value + last.values};
  std::size_t end = std::min(leaf.entries, page.first_entry + page_entries);
  if (leaf.definitions.empty()) {
    page.row = page.first_entry;
    page.entries = end - page.first_entry;
    if (leaf.value_rows.empty()) {
      page.values = leaf.values == 0 ? 0 : page.entries;
    } else {
      const std::uint32_t* from = leaf.value_rows.begin() + page.first_value;
      page.values = static_cast<std::size_t>(
          std::lower_bound(from, leaf.value_rows.end(), static_cast<std::uint32_t>(end)) - from);
    }
    return page;
  }
  // A page holds whole rows: it ends where the next entry starts a new one.
  const auto starts_row = [&](std::size_t entry) {
    return leaf.repetitions.empty() || leaf.repetitions[entry] == 0;
  };
  while (end < leaf.entries && !starts_row(end)) ++end;
  page.entries = end - page.first_entry;
  for (std::size_t entry = last.first_entry; entry < page.first_entry; ++entry) {
    page.row += starts_row(entry) ? 1 : 0;
  }
  const auto* definitions = leaf.definitions.begin() + page.first_entry;
  page.values = static_cast<std::size_t>(std::count(
      definitions, definitions + page.entries, static_cast<std::uint8_t>(path.max_definition)));
  return page;
}

void ChunkWriter::AppendLevels(const LeafPath& path, const LeafData& leaf, const Page& page) {
  const auto append = [&](auto&& levels) {
    const std::size_t start = page_.size();
    page_.Extend(sizeof(std::uint32_t));
    levels();
    const auto size = static_cast<std::uint32_t>(page_.size() - start - sizeof(std::uint32_t));
    std::memcpy(page_.data() + start, &size, sizeof size);
  };
  if (path.max_repetition > 0) {
    append([&] {
      AppendHybrid(leaf.repetitions.data() + page.first_entry, page.entries,
                   BitWidth(static_cast<std::uint32_t>(path.max_repetition)), page_);
    });
  }
  if (path.max_definition == 0) return;
  append([&] {
    if (!leaf.definitions.empty()) {
      AppendHybrid(leaf.definitions.data() + page.first_entry, page.entries,
                   BitWidth(static_cast<std::uint32_t>(path.max_definition)), page_);
    } else if (page.values == page.entries || page.values == 0) {
      AppendRun(page.values == 0 ? 0 : 1, page.entries, 1, page_);
    } else {
      AppendHybridBits(leaf.column->validity(), page.first_entry, page.entries, page_);
    }
  });
}

std::int64_t ChunkWriter::WritePage(const LeafPath& path, const LeafData& leaf, const Page& page,
                                    pq::PageWriter& pager, const ValueRange& range) {
  page_.clear();
  AppendLevels(path, leaf, page);
  encoder_.Append(page.first_value, page.values, page_);
  std::shared_ptr<::arrow::Buffer> bytes = Wrap(page_);
  if (pager.has_compressor()) {
    pager.Compress(*bytes, compressed_.get());
    bytes = compressed_;
  }
  pq::EncodedStatistics statistics =
      PageStatistics(path.type, range, static_cast<std::int64_t>(page.entries - page.values));
  statistics.all_null_value = page.values == 0;
  const pq::DataPageV1 data_page(
      bytes, static_cast<std::int32_t>(page.entries),
      encoder_.has_dictionary() ? pq::Encoding::RLE_DICTIONARY : pq::Encoding::PLAIN,
      pq::Encoding::RLE, pq::Encoding::RLE, static_cast<std::int64_t>(page_.size()),
      std::move(statistics), static_cast<std::int64_t>(page.row));
  return pager.WriteDataPage(data_page);
}

}  // namespace weir::parquet
