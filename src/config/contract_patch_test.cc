#include "config/contract_patch.h"

#include <gtest/gtest.h>

namespace weir::config {
namespace {

ContractField Coupon() {
  ContractField field;
  field.field.name = "coupon";
  return field;
}

TEST(ContractPatch, AddsALineBehindTheLastField) {
  EXPECT_EQ(
      PatchWithField("name: shop\nfields:\n  id: string  # the key\n  at:\n    type: timestamp\n"
                     "\n# What each type needs.\nevent_types:\n  view: {}\n",
                     "c.yaml", Coupon()),
      "--- c.yaml\n+++ c.yaml\n@@ -3,6 +3,7 @@\n"
      "   id: string  # the key\n   at:\n     type: timestamp\n+  coupon: string\n"
      " \n # What each type needs.\n event_types:\n");
}

TEST(ContractPatch, WritesRulesOverSeveralLines) {
  ContractField field = Coupon();
  field.field.name = "seen_at";
  field.field.type = Type::Of(TypeKind::kTimestamp);
  field.timestamp_format = TimestampFormat::kEpochMillis;
  EXPECT_EQ(PatchWithField("contract:\n    fields:\n        id: string\n", "p.yaml", field),
            "--- p.yaml\n+++ p.yaml\n@@ -1,3 +1,6 @@\n"
            " contract:\n     fields:\n         id: string\n"
            "+        seen_at:\n+          type: timestamp\n+          format: epoch_ms\n");
}

TEST(ContractPatch, FieldsInBracesHaveNoLineOfTheirOwn) {
  EXPECT_EQ(PatchWithField("fields: {id: string}\n", "c.yaml", Coupon()), "");
  EXPECT_EQ(PatchWithField("{}", "c.yaml", Coupon()), "");
}

}  // namespace
}  // namespace weir::config
