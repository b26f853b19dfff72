#pragma once
// For the tests of this folder: rows as text and random rows of any schema.

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/random.h"
#include "record/batch.h"

namespace weir::parquet::test {

inline Field FieldOf(std::string name, Type type, bool required = false, int id = 0) {
  return {
      .name = std::move(name), .type = std::move(type), .required = required, .id = id, .doc = {}};
}

/// One value as text: what two columns must agree on.
inline std::string Text(const Column& column, std::size_t row) {
  if (column.IsNull(row)) return "null";
  switch (column.type().kind) {
    case TypeKind::kBoolean:
      return column.Boolean(row) ? "true" : "false";
    case TypeKind::kInt:
    case TypeKind::kDate:
      return std::to_string(column.Int(row));
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return std::to_string(column.Long(row));
    case TypeKind::kFloat:
      return std::to_string(column.Float(row));
    case TypeKind::kDouble:
      return std::to_string(column.Double(row));
    case TypeKind::kDecimal:
      return DecimalToString(column.Decimal(row), column.type().scale);
    case TypeKind::kString:
    case TypeKind::kBinary:
      return "'" + HexEncode(column.String(row)) + "'";
    case TypeKind::kUuid: {
      const auto uuid = column.Uuid(row);
      return HexEncode({reinterpret_cast<const char*>(uuid.data()), uuid.size()});
    }
    case TypeKind::kStruct: {
      std::string text = "{";
      for (const Column& child : column.children()) text += Text(child, row) + ";";
      return text + "}";
    }
    case TypeKind::kList:
    case TypeKind::kMap: {
      std::string text = "[";
      for (std::int32_t i = column.item_begin(row); i < column.item_begin(row + 1); ++i) {
        for (const Column& child : column.children()) {
          text += Text(child, static_cast<std::size_t>(i)) + ":";
        }
        text += ";";
      }
      return text + "]";
    }
  }
  return {};
}

inline std::string RowText(const std::vector<Column>& columns, std::size_t row) {
  std::string text;
  for (const Column& column : columns) text += Text(column, row) + " | ";
  return text;
}

inline std::vector<std::string> RowTexts(const Batch& batch) {
  std::vector<std::string> rows;
  for (std::size_t row = 0; row < batch.rows(); ++row) rows.push_back(RowText(batch.columns, row));
  return rows;
}

/// Random values; few or many distinct ones, and nulls where allowed.
class RandomRows {
 public:
  /// map_items: more than one may give equal keys, which most readers refuse.
  RandomRows(std::uint64_t seed, double nulls, std::uint64_t distinct, std::uint64_t map_items = 1)
      : random_(seed), nulls_(nulls), distinct_(distinct), map_items_(map_items) {}

  void Append(Column& column, bool required) {
    if (!required && random_.Chance(nulls_)) return column.AppendNull();
    const std::uint64_t seed = random_.Below(distinct_) * 0x9e3779b97f4a7c15U;
    switch (column.type().kind) {
      case TypeKind::kBoolean:
        return column.AppendBoolean((seed >> 60 & 1) != 0);
      case TypeKind::kInt:
      case TypeKind::kDate:
        return column.AppendInt(static_cast<std::int32_t>(seed));
      case TypeKind::kLong:
      case TypeKind::kTimestamp:
        return column.AppendLong(static_cast<std::int64_t>(seed >> 8));
      case TypeKind::kFloat:
        return column.AppendFloat(static_cast<float>(static_cast<std::int32_t>(seed)));
      case TypeKind::kDouble:
        return column.AppendDouble(static_cast<double>(static_cast<std::int64_t>(seed >> 16)));
      case TypeKind::kDecimal: {
        Int128 limit = 1;
        for (int i = 0; i < column.type().precision; ++i) limit *= 10;
        const Int128 wide = static_cast<Int128>(seed) << 64 | static_cast<Int128>(seed);
        return column.AppendDecimal(wide % limit);
      }
      case TypeKind::kString:
        return column.AppendString("é-" + std::to_string(seed).substr(0, seed % 21));
      case TypeKind::kBinary:
        return column.AppendString({reinterpret_cast<const char*>(&seed), seed % 9});
      case TypeKind::kUuid: {
        std::uint8_t uuid[16] = {};
        std::memcpy(uuid + 3, &seed, sizeof seed);
        return column.AppendUuid(uuid);
      }
      case TypeKind::kStruct:
        AppendChildren(column);
        return column.AppendStruct();
      case TypeKind::kList:
      case TypeKind::kMap: {
        const bool is_map = column.type().kind == TypeKind::kMap;
        const std::size_t items = random_.Below(is_map ? map_items_ + 1 : 4);
        for (std::size_t i = 0; i < items; ++i) AppendChildren(column);
        return column.AppendList(items);
      }
    }
  }

  Batch Rows(const Schema& schema, std::size_t rows, bool dictionaries = false) {
    Batch batch(std::make_shared<const Schema>(schema));
    for (std::size_t i = 0; i < batch.columns.size(); ++i) {
      if (dictionaries) UseDictionaries(batch.columns[i]);
      for (std::size_t row = 0; row < rows; ++row) {
        Append(batch.columns[i], schema.fields[i].required);
      }
    }
    for (std::uint32_t row = 0; row < rows; ++row) batch.records.push_back(row);
    return batch;
  }

 private:
  static void UseDictionaries(Column& column) {
    if (column.type().kind == TypeKind::kString || column.type().kind == TypeKind::kBinary) {
      column.UseDictionary(std::make_shared<Dictionary>());
    }
    for (Column& child : column.children()) UseDictionaries(child);
  }
  void AppendChildren(Column& column) {
    for (std::size_t i = 0; i < column.children().size(); ++i) {
      Append(column.children()[i], column.type().children[i].required);
    }
  }

  Random random_;
  double nulls_;
  std::uint64_t distinct_;
  std::uint64_t map_items_;
};

}  // namespace weir::parquet::test
