#include "iceberg/new_table.h"

#include <array>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "connect/partition_path.h"
#include "connect/transform.h"
#include "iceberg/schema_json.h"
#include "iceberg/spec_json.h"

namespace weir::iceberg {
namespace {

constexpr int kFirstPartitionId = 1000;

// Names of columns that engines add to every table.
constexpr std::array<std::string_view, 7> kReservedNames = {"_file",
                                                            "_pos",
                                                            "_deleted",
                                                            "_spec_id",
                                                            "_partition",
                                                            "_row_id",
                                                            "_last_updated_sequence_number"};

// What the definition does not say. Old metadata files are removed at once: a commit a second would
// make a hundred thousand a day.
const std::map<std::string, std::string>& DefaultProperties() {
  static const std::map<std::string, std::string> kProperties = {
      {"write.parquet.compression-codec", "zstd"},
      {"write.metadata.delete-after-commit.enabled", "true"},
      {"write.metadata.previous-versions-max", "20"}};
  return kProperties;
}

Status CheckNames(const std::vector<Field>& fields) {
  std::set<std::string> seen;
  for (const Field& field : fields) {
    if (field.name.empty()) return InvalidInput("a column has no name");
    if (!seen.insert(field.name).second) {
      return InvalidInput(fmt::format("two columns are named {}", field.name));
    }
    for (std::string_view reserved : kReservedNames) {
      if (field.name == reserved) {
        return Unsupported(fmt::format("the column name {} is reserved by Iceberg", field.name),
                           ErrorCode::kTableUnsupported);
      }
    }
    if (field.type.kind == TypeKind::kStruct) WEIR_TRY(CheckNames(field.type.children));
  }
  return Ok();
}

Result<const Field*> SourceOf(const Schema& schema, const connect::TableDefinition& definition,
                              std::size_t i) {
  const int id = definition.partition_by[i].source_id;
  if (const Field* field = id != 0 ? connect::FindField(schema.fields, id) : nullptr) return field;
  const std::string name =
      i < definition.partition_sources.size() ? definition.partition_sources[i] : "";
  if (const auto index = schema.IndexOf(name)) return &schema.fields[*index];
  return InvalidInput(fmt::format("partition_by names the column {}, which does not exist", name));
}

std::string DefaultName(const std::string& source, connect::Transform transform) {
  switch (transform) {
    case connect::Transform::kIdentity:
      return source;
    case connect::Transform::kTruncate:
      return source + "_trunc";
    case connect::Transform::kBucket:
      return source + "_bucket";
    default:
      return source + "_" + connect::ToString(transform, 0);
  }
}

Result<connect::PartitionSpec> SpecOf(const Schema& schema,
                                      const connect::TableDefinition& definition) {
  connect::PartitionSpec spec;
  std::set<std::string> names;
  for (std::size_t i = 0; i < definition.partition_by.size(); ++i) {
    connect::PartitionField field = definition.partition_by[i];
    WEIR_ASSIGN_OR_RETURN(const Field* source, SourceOf(schema, definition, i));
    if (auto type = connect::TransformedType(field.transform, field.width, source->type); !type) {
      return WithContext(std::move(type).error(), "partition_by " + source->name);
    }
    field.source_id = source->id;
    field.field_id = kFirstPartitionId + static_cast<int>(i);
    if (field.name.empty()) field.name = DefaultName(source->name, field.transform);
    const bool is_identity_of_it =
        field.transform == connect::Transform::kIdentity && field.name == source->name;
    if ((schema.IndexOf(field.name) && !is_identity_of_it) || !names.insert(field.name).second) {
      return InvalidInput(fmt::format("the partition field name {} is taken", field.name));
    }
    spec.fields.push_back(std::move(field));
  }
  return spec;
}

Result<connect::SortOrder> OrderOf(const Schema& schema,
                                   const connect::TableDefinition& definition) {
  connect::SortOrder order;
  for (const std::string& name : definition.sort_by) {
    const auto index = schema.IndexOf(name);
    if (!index) {
      return InvalidInput(fmt::format("sort_by names the column {}, which does not exist", name));
    }
    if (schema.fields[*index].type.is_nested()) {
      return InvalidInput(fmt::format("sort_by cannot use the nested column {}", name));
    }
    order.fields.push_back({.source_id = schema.fields[*index].id});
  }
  if (!order.fields.empty()) order.order_id = 1;
  return order;
}

Result<Json> PropertiesOf(const connect::TableDefinition& definition) {
  std::map<std::string, std::string> properties = DefaultProperties();
  for (const auto& [key, value] : definition.properties) {
    if (key != "format-version") {
      properties[key] = value;
    } else if (value != "2") {
      return Unsupported(
          fmt::format("format-version {}: Weir makes tables of format version 2", value),
          ErrorCode::kTableUnsupported);
    }
  }
  Json json = Json::object();
  for (const auto& [key, value] : properties) json.push_back({key, value});
  return json;
}

}  // namespace

Result<std::string> NewTableMetadata(const connect::TableDefinition& definition,
                                     const std::string& location, std::int64_t now_ms) {
  Schema schema = definition.schema;
  WEIR_TRY(CheckNames(schema.fields));
  const int last_column_id = AssignFieldIds(schema);
  WEIR_ASSIGN_OR_RETURN(const connect::PartitionSpec spec, SpecOf(schema, definition));
  WEIR_ASSIGN_OR_RETURN(const connect::SortOrder order, OrderOf(schema, definition));
  WEIR_ASSIGN_OR_RETURN(Json properties, PropertiesOf(definition));
  Json orders = Json::array();
  if (order.order_id != 0) orders.push_back(SortOrderToJson({}));
  orders.push_back(SortOrderToJson(order));
  const int last_partition_id = kFirstPartitionId - 1 + static_cast<int>(spec.fields.size());
  const Json json = {{"format-version", 2},
                     {"table-uuid", NewUuid()},
                     {"location", location},
                     {"last-sequence-number", 0},
                     {"last-updated-ms", now_ms},
                     {"last-column-id", last_column_id},
                     {"current-schema-id", 0},
                     {"schemas", Json::array({SchemaToJson(schema, 0)})},
                     {"default-spec-id", 0},
                     {"partition-specs", Json::array({SpecToJson(spec)})},
                     {"last-partition-id", last_partition_id},
                     {"default-sort-order-id", order.order_id},
                     {"sort-orders", std::move(orders)},
                     {"properties", std::move(properties)},
                     {"current-snapshot-id", -1},
                     {"refs", Json::object()},
                     {"snapshots", Json::array()},
                     {"statistics", Json::array()},
                     {"partition-statistics", Json::array()},
                     {"snapshot-log", Json::array()},
                     {"metadata-log", Json::array()}};
  return DumpJson(json);
}

}  // namespace weir::iceberg
