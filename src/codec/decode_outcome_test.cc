#include "codec/decode_outcome.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace weir::codec {

Contract ContractOf(std::vector<Field> fields) {
  Contract contract;
  contract.name = "test";
  for (Field& field : fields) {
    contract.fields.emplace_back();
    contract.fields.back().field = std::move(field);
  }
  return contract;
}

Field FieldOf(std::string name, Type type, bool required) {
  return Field{.name = std::move(name), .type = std::move(type), .required = required, .doc = {}};
}

std::vector<LogRecord> RecordsOf(const std::vector<std::string>& values) {
  std::vector<LogRecord> records;
  for (const std::string& value : values) {
    LogRecord record;
    record.offset = Offset(static_cast<std::int64_t>(records.size()));
    record.value = value;
    records.push_back(record);
  }
  return records;
}

namespace {

std::string ShowUuid(std::span<const std::uint8_t, 16> uuid) {
  std::string text;
  for (std::uint8_t byte : uuid) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string ShowItems(const Column& column, std::size_t row) {
  const bool map = column.type().kind == TypeKind::kMap;
  std::string text;
  for (auto i = column.item_begin(row); i < column.item_begin(row + 1); ++i) {
    if (!text.empty()) text += ", ";
    const auto item = static_cast<std::size_t>(i);
    text += Show(column.children()[0], item);
    if (map) text += ": " + Show(column.children()[1], item);
  }
  return map ? "{" + text + "}" : "[" + text + "]";
}

std::string ShowStruct(const Column& column, std::size_t row) {
  std::string text;
  for (std::size_t i = 0; i < column.children().size(); ++i) {
    if (!text.empty()) text += ", ";
    text += column.type().children[i].name + ": " + Show(column.children()[i], row);
  }
  return "{" + text + "}";
}

}  // namespace

std::string Show(const Column& column, std::size_t row) {
  if (column.IsNull(row)) return "null";
  switch (column.type().kind) {
    case TypeKind::kBoolean:
      return column.Boolean(row) ? "true" : "false";
    case TypeKind::kInt:
      return std::to_string(column.Int(row));
    case TypeKind::kLong:
      return std::to_string(column.Long(row));
    case TypeKind::kFloat:
      return std::to_string(column.Float(row));
    case TypeKind::kDouble: {
      char text[40];
      std::snprintf(text, sizeof(text), "%.17g", column.Double(row));
      return text;
    }
    case TypeKind::kDecimal:
      return DecimalToString(column.Decimal(row), column.type().scale);
    case TypeKind::kDate:
      return FormatDay(column.Int(row));
    case TypeKind::kTimestamp:
      return FormatTime(column.Long(row));
    case TypeKind::kString:
    case TypeKind::kBinary:
      return "'" + std::string(column.String(row)) + "'";
    case TypeKind::kUuid:
      return ShowUuid(column.Uuid(row));
    case TypeKind::kStruct:
      return ShowStruct(column, row);
    case TypeKind::kList:
    case TypeKind::kMap:
      return ShowItems(column, row);
  }
  return {};
}

std::vector<std::string> Outcomes(JsonDecoder& decoder, const std::vector<std::string>& values,
                                  Reader reader) {
  constexpr Micros kNow = 1'788'256'800'000'000;
  Batch batch(decoder.schema());
  std::vector<Rejection> rejected;
  const std::vector<LogRecord> records = RecordsOf(values);
  if (reader == Reader::kFast) {
    decoder.Decode(records, kNow, &batch, &rejected);
  } else {
    decoder.DecodeSlow(records, kNow, &batch, &rejected);
  }
  std::vector<std::string> outcomes(values.size(), "nothing");
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    std::string text;
    for (std::size_t i = 0; i < batch.columns.size(); ++i) {
      const Column& column = batch.columns[i];
      EXPECT_EQ(column.size(), batch.rows());
      const std::string& name = decoder.schema()->fields[i].name;
      if (name == "ingestion_time") {
        EXPECT_EQ(column.Long(row), kNow);
      } else if (!column.IsNull(row)) {
        text += (text.empty() ? "" : " ") + name + "=" + Show(column, row);
      }
    }
    outcomes[batch.records[row]] = text;
  }
  for (const Rejection& rejection : rejected) {
    EXPECT_EQ(outcomes[rejection.record], "nothing") << "both a row and a rejection";
    outcomes[rejection.record] = "!" + std::string(ToString(rejection.reason)) + " " +
                                 rejection.pointer + ": " + rejection.message;
  }
  return outcomes;
}

std::string OutcomeOf(const Contract& contract, const std::string& value, JsonLimits limits) {
  JsonDecoder decoder(contract, limits);
  std::string slow = Outcomes(decoder, {value}, Reader::kSlow)[0];
  // Three times the same, so that what was learned from the first is used for the others.
  for (const std::string& fast : Outcomes(decoder, {value, value, value}, Reader::kFast)) {
    EXPECT_EQ(fast, slow) << value.substr(0, 200);
  }
  return slow;
}

}  // namespace weir::codec
