#include "parquet/file_schema.h"

#include <algorithm>
#include <optional>

#include <parquet/schema.h>
#include <parquet/types.h>

#include "parquet/decimal_storage.h"

namespace weir::parquet {

namespace {

namespace pq = ::parquet;
using pq::LogicalType;
using pq::Repetition;
using pq::schema::GroupNode;
using pq::schema::NodePtr;
using pq::schema::NodeVector;
using pq::schema::PrimitiveNode;

NodePtr NodeOf(const Field& field);

NodeVector NodesOf(const std::vector<Field>& fields) {
  NodeVector nodes;
  for (const Field& field : fields) nodes.push_back(NodeOf(field));
  return nodes;
}

struct Physical {
  pq::Type::type type;
  int length = -1;
};

Physical PhysicalOf(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBoolean:
      return {pq::Type::BOOLEAN};
    case TypeKind::kInt:
    case TypeKind::kDate:
      return {pq::Type::INT32};
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return {pq::Type::INT64};
    case TypeKind::kFloat:
      return {pq::Type::FLOAT};
    case TypeKind::kDouble:
      return {pq::Type::DOUBLE};
    case TypeKind::kDecimal:
      switch (DecimalStorageOf(type.precision)) {
        case DecimalStorage::kInt32:
          return {pq::Type::INT32};
        case DecimalStorage::kInt64:
          return {pq::Type::INT64};
        case DecimalStorage::kFixedBytes:
          break;
      }
      return {pq::Type::FIXED_LEN_BYTE_ARRAY, static_cast<int>(DecimalWidth(type.precision))};
    case TypeKind::kUuid:
      return {pq::Type::FIXED_LEN_BYTE_ARRAY, 16};
    default:
      return {pq::Type::BYTE_ARRAY};
  }
}

std::shared_ptr<const LogicalType> LogicalOf(const Type& type) {
  switch (type.kind) {
    case TypeKind::kDate:
      return LogicalType::Date();
    case TypeKind::kTimestamp:
      return LogicalType::Timestamp(type.zoned, LogicalType::TimeUnit::MICROS);
    case TypeKind::kDecimal:
      return LogicalType::Decimal(type.precision, type.scale);
    case TypeKind::kString:
      return LogicalType::String();
    case TypeKind::kUuid:
      return LogicalType::UUID();
    default:
      return LogicalType::None();
  }
}

NodePtr NodeOf(const Field& field) {
  const auto repetition = field.required ? Repetition::REQUIRED : Repetition::OPTIONAL;
  switch (field.type.kind) {
    case TypeKind::kStruct:
      return GroupNode::Make(field.name, repetition, NodesOf(field.type.children), nullptr,
                             field.id);
    case TypeKind::kList:
    case TypeKind::kMap: {
      const bool is_list = field.type.kind == TypeKind::kList;
      const NodePtr repeated = GroupNode::Make(is_list ? "list" : "key_value", Repetition::REPEATED,
                                               NodesOf(field.type.children));
      return GroupNode::Make(field.name, repetition, {repeated},
                             is_list ? LogicalType::List() : LogicalType::Map(), field.id);
    }
    default: {
      const Physical physical = PhysicalOf(field.type);
      return PrimitiveNode::Make(field.name, repetition, LogicalOf(field.type), physical.type,
                                 physical.length, field.id);
    }
  }
}

std::optional<Type> TypeOf(const pq::schema::Node& node);

// Fields of a group; nullopt when one has a type that we do not have and `all` is asked for.
std::optional<std::vector<Field>> FieldsOf(const GroupNode& group, bool all) {
  std::vector<Field> fields;
  for (int i = 0; i < group.field_count(); ++i) {
    const pq::schema::Node& node = *group.field(i);
    auto type = TypeOf(node);
    if (!type && all) return std::nullopt;
    if (!type) continue;
    fields.push_back({.name = node.name(),
                      .type = *std::move(type),
                      .required = node.is_required(),
                      .id = std::max(0, node.field_id()),
                      .doc = {}});
  }
  return fields;
}

std::optional<Type> GroupTypeOf(const GroupNode& group) {
  const bool is_list = group.logical_type()->is_list();
  const bool is_map = group.logical_type()->is_map();
  if (is_list || is_map) {
    if (group.field_count() != 1 || !group.field(0)->is_repeated() || !group.field(0)->is_group()) {
      return std::nullopt;
    }
    auto items = FieldsOf(static_cast<const GroupNode&>(*group.field(0)), /*all=*/true);
    if (!items || items->size() != (is_list ? 1 : 2)) return std::nullopt;
    Type type = Type::Of(is_list ? TypeKind::kList : TypeKind::kMap);
    type.children = *std::move(items);
    return type;
  }
  auto fields = FieldsOf(group, /*all=*/true);
  if (!fields || fields->empty()) return std::nullopt;
  return Type::Struct(*std::move(fields));
}

std::optional<Type> AnnotatedTypeOf(const LogicalType& logical) {
  if (logical.is_date()) return Type::Of(TypeKind::kDate);
  if (logical.is_UUID()) return Type::Of(TypeKind::kUuid);
  if (logical.is_string() || logical.is_enum() || logical.is_JSON()) {
    return Type::Of(TypeKind::kString);
  }
  if (logical.is_decimal()) {
    const auto& decimal = static_cast<const pq::DecimalLogicalType&>(logical);
    if (decimal.precision() > 38) return std::nullopt;
    return Type::Decimal(decimal.precision(), decimal.scale());
  }
  if (logical.is_timestamp()) {
    Type type = Type::Of(TypeKind::kTimestamp);
    type.zoned = static_cast<const pq::TimestampLogicalType&>(logical).is_adjusted_to_utc();
    return type;
  }
  if (logical.is_int()) {
    const auto& whole = static_cast<const pq::IntLogicalType&>(logical);
    const int bits = whole.bit_width() + (whole.is_signed() ? 0 : 1);
    if (bits > 64) return std::nullopt;
    return Type::Of(bits > 32 ? TypeKind::kLong : TypeKind::kInt);
  }
  return std::nullopt;
}

std::optional<Type> TypeOf(const pq::schema::Node& node) {
  if (node.is_repeated()) return std::nullopt;  // a list of the oldest style
  if (node.is_group()) return GroupTypeOf(static_cast<const GroupNode&>(node));
  const LogicalType& logical = *node.logical_type();
  if (!logical.is_none()) return AnnotatedTypeOf(logical);
  switch (static_cast<const PrimitiveNode&>(node).physical_type()) {
    case pq::Type::BOOLEAN:
      return Type::Of(TypeKind::kBoolean);
    case pq::Type::INT32:
      return Type::Of(TypeKind::kInt);
    case pq::Type::INT64:
      return Type::Of(TypeKind::kLong);
    case pq::Type::INT96:
      return Type::Of(TypeKind::kTimestamp);
    case pq::Type::FLOAT:
      return Type::Of(TypeKind::kFloat);
    case pq::Type::DOUBLE:
      return Type::Of(TypeKind::kDouble);
    case pq::Type::BYTE_ARRAY:
    case pq::Type::FIXED_LEN_BYTE_ARRAY:
      return Type::Of(TypeKind::kBinary);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::shared_ptr<pq::schema::GroupNode> FileSchema(const Schema& schema) {
  const NodePtr root = GroupNode::Make("table", Repetition::REQUIRED, NodesOf(schema.fields));
  return std::static_pointer_cast<GroupNode>(root);
}

Schema SchemaOf(const pq::SchemaDescriptor& file) {
  return {.fields = *FieldsOf(*file.group_node(), /*all=*/false)};
}

}  // namespace weir::parquet
