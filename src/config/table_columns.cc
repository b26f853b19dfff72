#include "config/table_columns.h"

#include <string>
#include <utility>

#include "base/check.h"
#include "record/operator_rules.h"

namespace weir::config {
namespace {

Field Column(std::string name, Type type, bool required) {
  return {.name = std::move(name), .type = std::move(type), .required = required, .doc = {}};
}
Field Required(std::string name, TypeKind kind) {
  return Column(std::move(name), Type::Of(kind), true);
}
Field Optional(std::string name, TypeKind kind) {
  return Column(std::move(name), Type::Of(kind), false);
}

void AppendCoordinates(Schema& schema) {
  schema.fields.push_back(Required("topic", TypeKind::kString));
  schema.fields.push_back(Required("partition", TypeKind::kInt));
  schema.fields.push_back(Required("offset", TypeKind::kLong));
}

Schema SourceColumns() {
  Schema schema;
  AppendCoordinates(schema);
  schema.fields.push_back(Optional("timestamp", TypeKind::kTimestamp));
  schema.fields.push_back(Required("timestamp_ms", TypeKind::kLong));
  schema.fields.push_back(Required("timestamp_type", TypeKind::kString));
  schema.fields.push_back(Optional("key", TypeKind::kBinary));
  schema.fields.push_back(Optional("value", TypeKind::kBinary));
  Type header =
      Type::Struct({Required("name", TypeKind::kString), Optional("value", TypeKind::kBinary)});
  schema.fields.push_back(Column("headers", Type::List(std::move(header), true), false));
  schema.fields.push_back(Required("ingestion_time", TypeKind::kTimestamp));
  schema.fields.push_back(Optional("watermark_floor", TypeKind::kTimestamp));
  return schema;
}

Schema InvalidColumns() {
  Schema schema;
  for (const char* name : {"reason", "message", "pointer", "expected", "actual"}) {
    schema.fields.push_back(Required(name, TypeKind::kString));
  }
  schema.fields.push_back(Optional("key", TypeKind::kBinary));
  schema.fields.push_back(Optional("value", TypeKind::kBinary));
  AppendCoordinates(schema);
  schema.fields.push_back(Required("stage", TypeKind::kString));
  schema.fields.push_back(Required("contract_version", TypeKind::kInt));
  schema.fields.push_back(Required("fingerprint", TypeKind::kString));
  schema.fields.push_back(Required("ingestion_time", TypeKind::kTimestamp));
  schema.fields.push_back(Required("status", TypeKind::kString));
  return schema;
}

}  // namespace

Schema TableColumns(const PipelineSpec& spec, const TableSpec& table) {
  switch (table.from) {
    case TableFrom::kSource:
    case TableFrom::kValid:
    case TableFrom::kInvalid:
      break;
    case TableFrom::kLate:
      return LateColumns(spec.contract);
    case TableFrom::kWindows:
      return WindowColumns(spec.contract, *table.windows).value();
    case TableFrom::kSessions:
      return SessionColumns(spec.contract, *table.sessions).value();
    case TableFrom::kFunnel:
      return FunnelColumns();
    case TableFrom::kActiveUsers:
      return ActiveUserColumns();
    case TableFrom::kSessionStats:
      return SessionStatsColumns();
    case TableFrom::kDecisions:
      return DecisionColumns();
  }
  return TableColumns(spec.contract, table.from, table.coordinates);
}

Schema TableColumns(const Contract& contract, TableFrom from, bool coordinates) {
  if (from == TableFrom::kSource) return SourceColumns();
  if (from == TableFrom::kInvalid) return InvalidColumns();
  WEIR_CHECK(from == TableFrom::kValid);
  Schema schema = TableSchema(contract);
  if (coordinates) AppendCoordinates(schema);
  return schema;
}

}  // namespace weir::config
