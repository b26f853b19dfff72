#include "engine/produced_tables.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/bytes.h"
#include "config/table_columns.h"
#include "connect/transform.h"

namespace weir::engine {
namespace {

std::string_view TimestampTypeText(TimestampType type) {
  switch (type) {
    case TimestampType::kCreate:
      return "create";
    case TimestampType::kLogAppend:
      return "log_append";
    case TimestampType::kNone:
      break;
  }
  return "none";
}

// Milliseconds of the producer as microseconds; nullopt for "none" and for what overflows.
std::optional<Micros> RecordTime(std::int64_t timestamp_ms) {
  constexpr std::int64_t kLimit = INT64_MAX / kMicrosPerMilli;
  if (timestamp_ms == -1 || timestamp_ms > kLimit || timestamp_ms < -kLimit) return std::nullopt;
  return timestamp_ms * kMicrosPerMilli;
}

void AppendBinary(Column& column, const std::optional<std::string_view>& bytes) {
  if (bytes)
    column.AppendString(*bytes);
  else
    column.AppendNull();
}

// The same text so many times; in a dictionary column it is looked up once.
void AppendRepeated(Column& column, std::string_view text, std::size_t times) {
  if (times == 0) return;
  column.AppendString(text);
  std::array<std::int32_t, 64> codes;
  if (column.dictionary()) codes.fill(column.fixed<std::int32_t>()[column.size() - 1]);
  for (std::size_t left = times - 1; left > 0;) {
    if (!column.dictionary()) {
      column.AppendString(text);
      --left;
      continue;
    }
    const std::size_t n = std::min(left, codes.size());
    column.AppendBlock(codes.data(), ~std::uint64_t{0} >> (codes.size() - n), n);
    left -= n;
  }
}

void AppendTimestampTypes(Column& column, std::span<const LogRecord> records) {
  for (std::size_t at = 0; at < records.size();) {
    const TimestampType type = records[at].timestamp_type;
    std::size_t end = at + 1;
    while (end < records.size() && records[end].timestamp_type == type) ++end;
    AppendRepeated(column, TimestampTypeText(type), end - at);
    at = end;
  }
}

void AppendHeaders(Column& headers, std::span<const RecordHeader> values) {
  Column& item = headers.children()[0];
  for (const RecordHeader& header : values) {
    item.children()[0].AppendString(header.name);
    AppendBinary(item.children()[1], header.value);
    item.AppendStruct();
  }
  headers.AppendList(values.size());
}

// Which stage a reason belongs to: the parser judged bytes and types, the contract judged values.
std::string_view StageOf(RejectReason reason) {
  return reason >= RejectReason::kMissing ? "validate" : "decode";
}

// Groups rows with one cause: reason and place, not the value.
std::string Fingerprint(const Rejection& rejection) {
  return Sha256Hex(std::string(ToString(rejection.reason)) + '\n' + rejection.pointer + '\n' +
                   rejection.expected)
      .substr(0, 12);
}

}  // namespace

Schema ProducedSchema(const config::PipelineSpec& spec, const config::TableSpec& table) {
  return config::TableColumns(spec, table);
}

Result<connect::TableDefinition> DefinitionOf(const config::PipelineSpec& spec,
                                              const config::TableSpec& table) {
  connect::TableDefinition definition;
  WEIR_ASSIGN_OR_RETURN(definition.name, connect::ParseTableName(table.name));
  definition.schema = ProducedSchema(spec, table);
  for (const auto& by : table.partition_by) {
    const auto transform = connect::ParseTransform(
        by.width > 0 ? fmt::format("{}[{}]", by.transform, by.width) : by.transform);
    if (!transform)
      return InvalidInput(
          "partition transform `" + by.transform + "` of " + table.name + " is not known",
          ErrorCode::kPipelineInvalid);
    connect::PartitionField field;
    field.transform = transform->transform;
    field.width = by.width;
    definition.partition_by.push_back(field);
    definition.partition_sources.push_back(by.column);
  }
  definition.sort_by = table.sort_by;
  definition.properties = table.properties;
  return definition;
}

void UseBronzeDictionaries(Batch& bronze) {
  for (const std::size_t column : {0, 5}) {
    bronze.columns[column].UseDictionary(std::make_shared<Dictionary>());
  }
}

void AppendBronzeRows(std::span<const LogRecord> records, const std::string& topic,
                      Micros ingestion_time,
                      const std::map<std::pair<Partition, Offset>, Micros>& floors, Batch& bronze) {
  auto& columns = bronze.columns;
  AppendRepeated(columns[0], topic, records.size());
  AppendTimestampTypes(columns[5], records);
  std::uint32_t index = 0;
  for (const LogRecord& record : records) {
    columns[1].AppendInt(record.partition.value());
    columns[2].AppendLong(record.offset.value());
    if (auto time = RecordTime(record.timestamp_ms))
      columns[3].AppendLong(*time);
    else
      columns[3].AppendNull();
    columns[4].AppendLong(record.timestamp_ms);
    AppendBinary(columns[6], record.key);
    AppendBinary(columns[7], record.value);
    AppendHeaders(columns[8], record.headers);
    columns[9].AppendLong(ingestion_time);
    const auto floor =
        floors.empty() ? floors.end() : floors.find({record.partition, record.offset});
    if (floor != floors.end())
      columns[10].AppendLong(floor->second);
    else
      columns[10].AppendNull();
    bronze.records.push_back(index++);
  }
}

void AppendQuarantineRow(const LogRecord& record, const Rejection& rejection,
                         const std::string& topic, int contract_version, Micros ingestion_time,
                         Batch& quarantine) {
  auto& columns = quarantine.columns;
  columns[0].AppendString(ToString(rejection.reason));
  columns[1].AppendString(rejection.message);
  columns[2].AppendString(rejection.pointer);
  columns[3].AppendString(rejection.expected);
  columns[4].AppendString(rejection.actual);
  AppendBinary(columns[5], record.key);
  AppendBinary(columns[6], record.value);
  columns[7].AppendString(topic);
  columns[8].AppendInt(record.partition.value());
  columns[9].AppendLong(record.offset.value());
  columns[10].AppendString(StageOf(rejection.reason));
  columns[11].AppendInt(contract_version);
  columns[12].AppendString(Fingerprint(rejection));
  columns[13].AppendLong(ingestion_time);
  columns[14].AppendString("new");
  quarantine.records.push_back(rejection.record);
}

void AppendLateRows(const Batch& valid, const Admission& admission, const std::string& topic,
                    Batch& late) {
  std::vector<std::uint32_t> rows;
  for (const auto& row : admission.late) rows.push_back(row.row);
  std::size_t next = 0;
  for (; next < valid.columns.size(); ++next)
    late.columns[next].AppendRows(valid.columns[next], rows);
  for (std::size_t i = 0; i < admission.late.size(); ++i) {
    const auto& row = admission.late[i];
    late.columns[next].AppendString(topic);
    late.columns[next + 1].AppendInt(row.partition.value());
    late.columns[next + 2].AppendLong(row.offset.value());
    late.columns[next + 3].AppendLong(row.watermark);
    late.columns[next + 4].AppendLong((row.watermark - row.event_time) / kMicrosPerMilli);
    late.columns[next + 5].AppendString(admission.missed[i]);
    late.records.push_back(valid.records[row.row]);
  }
}

CoordinateColumns::CoordinateColumns() {
  columns_.emplace_back(Type::Of(TypeKind::kString)).UseDictionary(std::make_shared<Dictionary>());
  columns_.emplace_back(Type::Of(TypeKind::kInt));
  columns_.emplace_back(Type::Of(TypeKind::kLong));
}

void CoordinateColumns::LendTo(std::span<const LogRecord> records, const std::string& topic,
                               Batch& valid) {
  for (Column& column : columns_) column.Clear();
  for (std::uint32_t row : valid.records) {
    columns_[0].AppendString(topic);
    columns_[1].AppendInt(records[row].partition.value());
    columns_[2].AppendLong(records[row].offset.value());
  }
  for (Column& column : columns_) valid.columns.push_back(std::move(column));
}

void CoordinateColumns::TakeBackFrom(Batch& valid) {
  for (std::size_t i = columns_.size(); i-- > 0;) {
    columns_[i] = std::move(valid.columns.back());
    valid.columns.pop_back();
  }
}

}  // namespace weir::engine
