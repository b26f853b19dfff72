// Any bytes as an event. The fast and the strict reader must agree on the row or on the refusal.

#include "codec/json_decoder.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace {

using namespace weir;

ContractField FieldOf(const char* name, Type type) {
  ContractField field;
  field.field.name = name;
  field.field.type = std::move(type);
  return field;
}

// One field of each type that a contract can name, nested ones too.
Contract MakeContract() {
  Contract contract;
  contract.name = "fuzz";
  const Type text = Type::Of(TypeKind::kString);
  Field color;
  color.name = "c";
  color.type = text;
  Field size;
  size.name = "n";
  size.type = Type::Of(TypeKind::kInt);
  size.required = true;
  contract.fields = {FieldOf("s", text),
                     FieldOf("i", Type::Of(TypeKind::kInt)),
                     FieldOf("l", Type::Of(TypeKind::kLong)),
                     FieldOf("d", Type::Of(TypeKind::kDouble)),
                     FieldOf("b", Type::Of(TypeKind::kBoolean)),
                     FieldOf("p", Type::Decimal(10, 2)),
                     FieldOf("t", Type::Of(TypeKind::kTimestamp)),
                     FieldOf("day", Type::Of(TypeKind::kDate)),
                     FieldOf("u", Type::Of(TypeKind::kUuid)),
                     FieldOf("o", Type::Struct({color, size})),
                     FieldOf("a", Type::List(Type::Of(TypeKind::kLong))),
                     FieldOf("m", Type::Map(text, Type::Of(TypeKind::kDouble)))};
  contract.unknown_fields = UnknownFields::kKeep;
  return contract;
}

struct Outcome {
  Batch batch;
  std::vector<Rejection> rejected;
};

void CheckSameCell(const Column& a, const Column& b, std::size_t row) {
  WEIR_CHECK(a.IsNull(row) == b.IsNull(row));
  if (a.IsNull(row)) return;
  switch (a.type().kind) {
    case TypeKind::kString:
      WEIR_CHECK(a.String(row) == b.String(row));
      break;
    case TypeKind::kBoolean:
      WEIR_CHECK(a.Boolean(row) == b.Boolean(row));
      break;
    case TypeKind::kInt:
    case TypeKind::kDate:
      WEIR_CHECK(a.Int(row) == b.Int(row));
      break;
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      WEIR_CHECK(a.Long(row) == b.Long(row));
      break;
    case TypeKind::kDouble:
      WEIR_CHECK(a.Double(row) == b.Double(row));
      break;
    case TypeKind::kDecimal:
      WEIR_CHECK(a.Decimal(row) == b.Decimal(row));
      break;
    case TypeKind::kStruct:
      for (std::size_t at = 0; at < a.children().size(); ++at) {
        CheckSameCell(a.children()[at], b.children()[at], row);
      }
      break;
    case TypeKind::kList:
    case TypeKind::kMap:
      WEIR_CHECK(a.item_begin(row + 1) == b.item_begin(row + 1));
      for (auto item = a.item_begin(row); item < a.item_begin(row + 1); ++item) {
        for (std::size_t at = 0; at < a.children().size(); ++at) {
          CheckSameCell(a.children()[at], b.children()[at], static_cast<std::size_t>(item));
        }
      }
      break;
    default:
      break;
  }
}

void CheckSame(const Outcome& fast, const Outcome& slow) {
  WEIR_CHECK(fast.batch.rows() == slow.batch.rows());
  WEIR_CHECK(fast.batch.rows() + fast.rejected.size() == 1);
  for (std::size_t at = 0; at < fast.batch.columns.size() && fast.batch.rows() == 1; ++at) {
    CheckSameCell(fast.batch.columns[at], slow.batch.columns[at], 0);
  }
  WEIR_CHECK(fast.rejected.size() == slow.rejected.size());
  if (fast.rejected.empty()) return;
  WEIR_CHECK(fast.rejected[0].reason == slow.rejected[0].reason);
  WEIR_CHECK(fast.rejected[0].pointer == slow.rejected[0].pointer);
  WEIR_CHECK(fast.rejected[0].message == slow.rejected[0].message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static codec::JsonDecoder decoder(MakeContract());
  LogRecord record;
  record.value = std::string_view(reinterpret_cast<const char*>(data), size);
  Outcome fast{Batch(decoder.schema()), {}};
  Outcome slow{Batch(decoder.schema()), {}};
  decoder.ResetDictionaries();
  decoder.Decode({&record, 1}, 0, &fast.batch, &fast.rejected);
  decoder.DecodeSlow({&record, 1}, 0, &slow.batch, &slow.rejected);
  CheckSame(fast, slow);
  return 0;
}
