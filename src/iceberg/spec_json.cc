#include "iceberg/spec_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "connect/transform.h"

namespace weir::iceberg {
namespace {

Result<connect::PartitionField> FieldFromJson(const Json& json) {
  connect::PartitionField field;
  WEIR_ASSIGN_OR_RETURN(field.name, TextAt(json, "name"));
  WEIR_ASSIGN_OR_RETURN(field.field_id, IntAt(json, "field-id"));
  WEIR_ASSIGN_OR_RETURN(const std::string transform, TextAt(json, "transform"));
  const auto known = connect::ParseTransform(transform);
  if (!known || !FindLong(json, "source-id")) {
    return Unsupported(
        fmt::format("partition field {} uses the transform {}, which Weir does not know",
                    field.name, transform),
        ErrorCode::kTableUnsupported);
  }
  field.transform = known->transform;
  field.width = known->width;
  WEIR_ASSIGN_OR_RETURN(field.source_id, IntAt(json, "source-id"));
  return field;
}

}  // namespace

Result<connect::PartitionSpec> SpecFromJson(const Json& json) {
  connect::PartitionSpec spec;
  WEIR_ASSIGN_OR_RETURN(spec.spec_id, IntAt(json, "spec-id"));
  WEIR_ASSIGN_OR_RETURN(const Json* fields, ArrayAt(json, "fields"));
  for (const Json& item : *fields) {
    WEIR_ASSIGN_OR_RETURN(connect::PartitionField field, FieldFromJson(item));
    spec.fields.push_back(std::move(field));
  }
  return spec;
}

Json SpecFieldsToJson(const connect::PartitionSpec& spec) {
  Json fields = Json::array();
  for (const connect::PartitionField& field : spec.fields) {
    fields.push_back({{"name", field.name},
                      {"transform", connect::ToString(field.transform, field.width)},
                      {"source-id", field.source_id},
                      {"field-id", field.field_id}});
  }
  return fields;
}

Json SpecToJson(const connect::PartitionSpec& spec) {
  return {{"spec-id", spec.spec_id}, {"fields", SpecFieldsToJson(spec)}};
}

Result<connect::SortOrder> SortOrderFromJson(const Json& json) {
  connect::SortOrder order;
  WEIR_ASSIGN_OR_RETURN(order.order_id, IntAt(json, "order-id"));
  WEIR_ASSIGN_OR_RETURN(const Json* fields, ArrayAt(json, "fields"));
  for (const Json& item : *fields) {
    WEIR_ASSIGN_OR_RETURN(const std::string transform, TextAt(item, "transform"));
    const auto known = connect::ParseTransform(transform);
    if (!known || !FindLong(item, "source-id")) return connect::SortOrder{};
    connect::SortField field{.transform = known->transform, .width = known->width};
    WEIR_ASSIGN_OR_RETURN(field.source_id, IntAt(item, "source-id"));
    field.ascending = FindText(item, "direction").value_or("asc") != "desc";
    field.nulls_first = FindText(item, "null-order").value_or("nulls-first") != "nulls-last";
    order.fields.push_back(field);
  }
  return order;
}

Json SortOrderToJson(const connect::SortOrder& order) {
  Json fields = Json::array();
  for (const connect::SortField& field : order.fields) {
    fields.push_back({{"transform", connect::ToString(field.transform, field.width)},
                      {"source-id", field.source_id},
                      {"direction", field.ascending ? "asc" : "desc"},
                      {"null-order", field.nulls_first ? "nulls-first" : "nulls-last"}});
  }
  return {{"order-id", order.order_id}, {"fields", std::move(fields)}};
}

}  // namespace weir::iceberg
