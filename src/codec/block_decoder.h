#pragma once
// BlockDecoder: the fast reader. Does what RowDecoder does, for up to 64 records at a time: finds
// the values by learned shape where it can and by the strict reader else, converts them column by
// column, and appends whole blocks. A record with anything wrong in it goes to RowDecoder in its
// place in the order, which words the refusal.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "codec/row_block.h"
#include "codec/row_decoder.h"
#include "codec/shape_graph.h"
#include "codec/shape_matcher.h"
#include "codec/value_writer.h"
#include "record/batch.h"
#include "record/contract.h"
#include "record/log_record.h"

namespace weir::codec {

struct JsonLimits;

class BlockDecoder {
 public:
  /// `match` may be nullptr: then the strict reader finds all values.
  BlockDecoder(const Contract& contract, const JsonLimits& limits, RowDecoder* rows,
               MatchShape match);

  void Decode(std::span<const LogRecord> records, Micros ingestion_time, Batch* out,
              std::vector<Rejection>* rejected, std::uint32_t first_record);

 private:
  using Bits = std::uint64_t;

  // A field and its values of the block, converted. Strings need no conversion.
  struct Target {
    Target(const ContractField& field, UnknownFields unknown);
    template <typename T>
    T* fixed() {
      return reinterpret_cast<T*>(bytes.data());
    }

    ValuePlan plan;
    alignas(16) std::array<std::uint8_t, RowBlock::kRows * 16> bytes;  // fixed-width values
    std::unique_ptr<Column> nested;  // values of nested types, a row each
  };

  void Find(std::string_view record);
  void FindStrictly(std::string_view record, std::size_t row);
  Bits ConvertField(Target& target, const RowBlock::Values& values);
  Bits ConvertNested(Target& target, const RowBlock::Values& values);
  void Flush(Batch* out, std::vector<Rejection>* rejected);
  void AppendGood(Batch* out, std::size_t begin, std::size_t end);
  void AppendField(std::size_t field, std::size_t begin, std::size_t n, Column* column);

  const std::size_t max_record_bytes_;
  const bool keep_unknown_;
  RowDecoder* rows_;
  MatchShape match_;
  ShapeGraph graph_;
  RowBlock block_;
  JsonScanner scanner_;  // nested values
  const ShapeWalk walk_;
  std::vector<Target> targets_;  // by field
  std::size_t ingestion_column_;
  std::size_t unknown_column_;              // with UnknownFields::kKeep
  ValueWriter writer_;                      // nested values
  std::vector<std::uint32_t> nested_rows_;  // scratch

  // The block under way.
  Micros ingestion_time_ = 0;
  std::size_t size_ = 0;
  Bits bad_ = 0;  // rows that RowDecoder has to decide
  std::string_view records_[RowBlock::kRows];
  std::uint32_t numbers_[RowBlock::kRows] = {};
};

}  // namespace weir::codec
