// Any bytes as an event. The fast and the strict reader must agree on the row or on the refusal,
// and both with nlohmann/json, which shares nothing with them, on what is JSON and on plain values.

#include "codec/json_decoder.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

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

// What nlohmann/json makes of it; nullopt where its judgement does not count: it takes a zero byte
// for the end, and has no numbers beyond a double.
std::optional<nlohmann::json> Peer(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error&) {
    return nlohmann::json(nlohmann::json::value_t::discarded);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

void CheckSameNumber(const nlohmann::json& number, std::int64_t ours) {
  if (number.is_number_float()) {
    WEIR_CHECK(number.get<double>() == static_cast<double>(ours));
  } else {
    WEIR_CHECK(number.get<std::int64_t>() == ours);
  }
}

// Spellings that the contract allows beyond JSON's own (a number in quotes) are not compared.
void CheckSameValue(const nlohmann::json& peer, const Column& ours) {
  if (peer.is_null()) {
    WEIR_CHECK(ours.IsNull(0));
    return;
  }
  switch (ours.type().kind) {
    case TypeKind::kString:
      if (peer.is_string()) WEIR_CHECK(ours.String(0) == peer.get_ref<const std::string&>());
      break;
    case TypeKind::kBoolean:
      if (peer.is_boolean()) WEIR_CHECK(ours.Boolean(0) == peer.get<bool>());
      break;
    case TypeKind::kInt:
      if (peer.is_number()) CheckSameNumber(peer, ours.Int(0));
      break;
    case TypeKind::kLong:
      if (peer.is_number()) CheckSameNumber(peer, ours.Long(0));
      break;
    case TypeKind::kDouble:
      if (peer.is_number()) WEIR_CHECK(ours.Double(0) == peer.get<double>());
      break;
    case TypeKind::kDecimal:
      if (peer.is_number()) {
        const double value = static_cast<double>(ours.Decimal(0)) / 100;
        WEIR_CHECK(std::abs(value - peer.get<double>()) <= 1e-9 * std::max(1.0, std::abs(value)));
      }
      break;
    default:
      break;
  }
}

void CheckSameAsPeer(std::string_view text, const Outcome& ours) {
  const auto peer = Peer(text);
  if (!peer) return;
  if (!ours.rejected.empty()) {
    switch (ours.rejected[0].reason) {
      case RejectReason::kEmpty:
      case RejectReason::kMalformed:
      case RejectReason::kTrailingData:
      case RejectReason::kInvalidUtf8:
        WEIR_CHECK(peer->is_discarded());
        break;
      default:
        break;
    }
    return;
  }
  WEIR_CHECK(peer->is_object());
  const Schema& schema = *ours.batch.schema;
  for (std::size_t at = 0; at < schema.fields.size(); ++at) {
    const auto found = peer->find(schema.fields[at].name);
    if (found != peer->end()) CheckSameValue(*found, ours.batch.columns[at]);
  }
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
  CheckSameAsPeer(*record.value, fast);
  return 0;
}
