#include "codec/block_decoder.h"

#include <bit>
#include <utility>

#include "codec/json_decoder.h"
#include "codec/scalar_value.h"

namespace weir::codec {

namespace {

using Bits = std::uint64_t;

constexpr Bits BitOf(std::size_t row) { return Bits{1} << row; }

// Calls read(value, row) for each row that has a value; returns the rows where it failed.
template <typename Read>
Bits ForEach(const RowBlock::Values& values, Read read) {
  Bits bad = 0;
  for (Bits rest = values.present; rest != 0; rest &= rest - 1) {
    const auto row = static_cast<std::size_t>(std::countr_zero(rest));
    const bool text = (values.text & BitOf(row)) != 0;
    const JsonValue value{values.texts[row], text ? JsonKind::kString : values.kinds[row], false};
    if (read(value, row) != ScalarFault::kNone) bad |= BitOf(row);
  }
  return bad;
}

bool IsNested(TypeKind kind) { return Type::Of(kind).is_nested(); }

}  // namespace

BlockDecoder::Target::Target(const ContractField& field, UnknownFields unknown)
    : plan(PlanOf(field, unknown)) {
  // Rows are offered one by one to what has no array of fixed width.
  if (IsNested(plan.type.kind)) nested = std::make_unique<Column>(plan.type);
}

BlockDecoder::BlockDecoder(const Contract& contract, const JsonLimits& limits, RowDecoder* rows,
                           MatchShape match)
    : max_record_bytes_(limits.max_record_bytes),
      keep_unknown_(contract.unknown_fields == UnknownFields::kKeep),
      rows_(rows),
      match_(match),
      graph_(contract.fields.size()),
      block_(contract.fields.size()),
      scanner_(limits.max_depth),
      walk_{&graph_, &block_, &scanner_} {
  for (const ContractField& field : contract.fields) {
    targets_.emplace_back(field, contract.unknown_fields);
  }
  const Schema schema = TableSchema(contract);
  ingestion_column_ = *schema.IndexOf(IngestionColumn(contract));
  unknown_column_ = schema.fields.size() - 1;
}

void BlockDecoder::Decode(std::span<const LogRecord> records, Micros ingestion_time, Batch* out,
                          std::vector<Rejection>* rejected, std::uint32_t first_record) {
  ingestion_time_ = ingestion_time;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!records[i].value) continue;
    numbers_[size_] = first_record + static_cast<std::uint32_t>(i);
    Find(*records[i].value);
    if (++size_ == RowBlock::kRows) Flush(out, rejected);
  }
  if (size_ != 0) Flush(out, rejected);
}

void BlockDecoder::Find(std::string_view record) {
  records_[size_] = record;
  if (record.size() > max_record_bytes_) {
    bad_ |= BitOf(size_);
  } else if (match_ == nullptr || !match_(walk_, record, size_)) {
    block_.ClearRow(size_);
    FindStrictly(record, size_);
  }
}

void BlockDecoder::FindStrictly(std::string_view record, std::size_t row) {
  Rejection rejection;
  if (!rows_->Find(record, &rejection) || !rows_->others().empty()) {
    bad_ |= BitOf(row);
    return;
  }
  for (std::size_t i = 0; i < targets_.size(); ++i) block_.Set(i, row, rows_->values()[i]);
  graph_.Learn(record, rows_->members(), rows_->field_of());
}

void BlockDecoder::Flush(Batch* out, std::vector<Rejection>* rejected) {
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (i != ingestion_column_) bad_ |= ConvertField(targets_[i], block_.field(i));
  }
  std::size_t begin = 0;
  for (Bits rest = bad_; rest != 0; rest &= rest - 1) {
    const auto row = static_cast<std::size_t>(std::countr_zero(rest));
    AppendGood(out, begin, row);
    begin = row + 1;
    Rejection rejection;
    if (rows_->Decode(records_[row], ingestion_time_, out, &rejection)) {
      out->records.push_back(numbers_[row]);
    } else {
      rejection.record = numbers_[row];
      rejected->push_back(std::move(rejection));
    }
  }
  AppendGood(out, begin, size_);
  block_.Clear();
  size_ = 0;
  bad_ = 0;
}

// Returns the rows whose value the field refuses.
BlockDecoder::Bits BlockDecoder::ConvertField(Target& target, const RowBlock::Values& values) {
  switch (target.plan.type.kind) {
    case TypeKind::kString:
      return values.present & ~values.text;
    case TypeKind::kBoolean:
      return ForEach(values,
                     [out = target.fixed<std::uint8_t>()](const JsonValue& value, auto row) {
                       return ReadBoolean(value, out + row);
                     });
    case TypeKind::kInt:
      return ForEach(values,
                     [out = target.fixed<std::int32_t>()](const JsonValue& value, auto row) {
                       return ReadInt(value, out + row);
                     });
    case TypeKind::kLong:
      return ForEach(values,
                     [out = target.fixed<std::int64_t>()](const JsonValue& value, auto row) {
                       return ReadLong(value, out + row);
                     });
    case TypeKind::kFloat:
      return ForEach(values, [out = target.fixed<float>()](const JsonValue& value, auto row) {
        return ReadFloat(value, out + row);
      });
    case TypeKind::kDouble:
      return ForEach(values, [out = target.fixed<double>()](const JsonValue& value, auto row) {
        return ReadDouble(value, out + row);
      });
    case TypeKind::kDecimal:
      return ForEach(values, [&, out = target.fixed<Int128>()](const JsonValue& value, auto row) {
        return ReadDecimal(value, target.plan.type, out + row);
      });
    case TypeKind::kDate:
      return ForEach(values,
                     [out = target.fixed<std::int32_t>()](const JsonValue& value, auto row) {
                       return ReadDate(value, out + row);
                     });
    case TypeKind::kTimestamp:
      return ForEach(values, [&, out = target.fixed<Micros>()](const JsonValue& value, auto row) {
        return ReadTimestamp(value, target.plan, out + row);
      });
    case TypeKind::kUuid:
      return ForEach(values, [out = target.fixed<Uuid>()](const JsonValue& value, auto row) {
        return ReadUuid(value, out + row);
      });
    default:
      return ConvertNested(target, values);
  }
}

BlockDecoder::Bits BlockDecoder::ConvertNested(Target& target, const RowBlock::Values& values) {
  Column& column = *target.nested;
  column.Clear();
  Bits bad = 0;
  for (std::size_t row = 0; row < size_; ++row) {
    JsonValue value;
    if ((values.present & BitOf(row)) != 0) {
      const bool text = (values.text & BitOf(row)) != 0;
      value = JsonValue{values.texts[row], text ? JsonKind::kString : values.kinds[row], false};
    }
    if (writer_.Append(value, target.plan, &column)) continue;
    column.Truncate(row);
    column.AppendNull();
    bad |= BitOf(row);
  }
  return bad;
}

void BlockDecoder::AppendGood(Batch* out, std::size_t begin, std::size_t end) {
  if (begin == end) return;
  const std::size_t n = end - begin;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (i != ingestion_column_) AppendField(i, begin, n, &out->columns[i]);
  }
  const Bits all = ~Bits{0} >> (RowBlock::kRows - n);
  std::int64_t times[RowBlock::kRows];
  std::fill_n(times, n, ingestion_time_);
  out->columns[ingestion_column_].AppendBlock(times, all, n);
  if (keep_unknown_) {
    for (std::size_t row = 0; row < n; ++row) out->columns[unknown_column_].AppendNull();
  }
  out->records.insert(out->records.end(), numbers_ + begin, numbers_ + end);
}

void BlockDecoder::AppendField(std::size_t field, std::size_t begin, std::size_t n,
                               Column* column) {
  Target& target = targets_[field];
  const RowBlock::Values& values = block_.field(field);
  const Bits valid = (values.present >> begin) & (~Bits{0} >> (RowBlock::kRows - n));
  switch (target.plan.type.kind) {
    case TypeKind::kString:
      return column->AppendTextBlock(values.texts + begin, valid, n);
    case TypeKind::kBoolean:
      return column->AppendBlock(target.fixed<std::uint8_t>() + begin, valid, n);
    case TypeKind::kInt:
    case TypeKind::kDate:
      return column->AppendBlock(target.fixed<std::int32_t>() + begin, valid, n);
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return column->AppendBlock(target.fixed<std::int64_t>() + begin, valid, n);
    case TypeKind::kFloat:
      return column->AppendBlock(target.fixed<float>() + begin, valid, n);
    case TypeKind::kDouble:
      return column->AppendBlock(target.fixed<double>() + begin, valid, n);
    case TypeKind::kDecimal:
    case TypeKind::kUuid:
      return column->AppendBlock(target.fixed<Int128>() + begin, valid, n);
    default:
      break;
  }
  nested_rows_.clear();
  for (std::size_t row = begin; row < begin + n; ++row) {
    nested_rows_.push_back(static_cast<std::uint32_t>(row));
  }
  column->AppendRows(*target.nested, nested_rows_);
}

}  // namespace weir::codec
