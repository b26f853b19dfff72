#include "codec/value_plan.h"

#include <utility>

namespace weir::codec {

namespace {

ValuePlan PlanOfType(std::string name, const Type& type, bool required, bool reject_unknown) {
  ValuePlan plan;
  plan.name = std::move(name);
  plan.type = type;
  plan.required = required;
  plan.reject_unknown = reject_unknown;
  std::vector<std::string> names;
  switch (type.kind) {
    case TypeKind::kStruct:
      for (const Field& child : type.children) {
        plan.children.push_back(PlanOfType(child.name, child.type, child.required, reject_unknown));
        names.push_back(child.name);
      }
      plan.names = FieldNames(std::move(names));
      plan.scratch.resize(plan.children.size());
      break;
    case TypeKind::kList:
    case TypeKind::kMap: {
      const Field& item = type.children.back();
      plan.children.push_back(PlanOfType("", item.type, item.required, reject_unknown));
      break;
    }
    default:
      break;
  }
  return plan;
}

}  // namespace

ValuePlan PlanOf(const ContractField& field, UnknownFields unknown) {
  ValuePlan plan =
      PlanOfType(field.field.name, field.field.type, false, unknown == UnknownFields::kReject);
  plan.timestamp_format = field.timestamp_format;
  plan.assume_utc = field.assume_utc;
  return plan;
}

}  // namespace weir::codec
