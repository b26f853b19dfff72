#include "codec/row_decoder.h"

#include <string>
#include <utility>

#include "base/bytes.h"
#include "codec/json_decoder.h"
#include "codec/json_text.h"

namespace weir::codec {

namespace {

constexpr std::size_t kShownBytes = 80;

Rejection Refusal(RejectReason reason, std::string expected, std::string actual,
                  std::string message) {
  Rejection rejection;
  rejection.reason = reason;
  rejection.expected = std::move(expected);
  rejection.actual = std::move(actual);
  rejection.message = std::move(message);
  return rejection;
}

Rejection Refusal(StructureFault fault, std::string_view record) {
  const std::string at = " at byte " + std::to_string(fault.offset);
  const std::string there = Printable(record.substr(fault.offset), 40);
  switch (fault.reason) {
    case RejectReason::kEmpty:
      return Refusal(fault.reason, "a JSON object", "", fault.what);
    case RejectReason::kNotAnObject:
      return Refusal(fault.reason, "a JSON object", fault.what,
                     "the event must be a JSON object, not " + fault.what);
    case RejectReason::kTrailingData:
      return Refusal(fault.reason, "one JSON object", there, fault.what + at);
    case RejectReason::kDuplicateKey: {
      Rejection rejection = Refusal(fault.reason, "each key once", fault.what, fault.what);
      rejection.pointer = std::move(fault.pointer);
      return rejection;
    }
    case RejectReason::kTooDeep:
      return Refusal(fault.reason, "fewer levels", there, "the event is " + fault.what);
    default:
      return Refusal(fault.reason, fault.reason == RejectReason::kInvalidUtf8 ? "UTF-8" : "JSON",
                     there, "not valid JSON" + at + ": " + fault.what);
  }
}

}  // namespace

RowDecoder::RowDecoder(const Contract& contract, const JsonLimits& limits)
    : max_record_bytes_(limits.max_record_bytes),
      unknown_fields_(contract.unknown_fields),
      scanner_(limits.max_depth) {
  std::vector<std::string> names;
  for (const ContractField& field : contract.fields) {
    plans_.push_back(PlanOf(field, contract.unknown_fields));
    names.push_back(field.from_ingestion ? "" : field.field.name);
  }
  names_ = FieldNames(std::move(names));
  values_.resize(plans_.size());
  const Schema schema = TableSchema(contract);
  ingestion_ = *schema.IndexOf(IngestionColumn(contract));
  unknown_ = schema.fields.size() - 1;
}

bool RowDecoder::Decode(std::string_view value, Micros ingestion_time, Batch* batch,
                        Rejection* rejection) {
  if (!Find(value, rejection)) return false;
  const std::size_t rows = batch->rows();
  if (Append(ingestion_time, batch, rejection)) return true;
  for (Column& column : batch->columns) column.Truncate(rows);
  return false;
}

// Sorts the members of the record into values_ and others_.
bool RowDecoder::Find(std::string_view value, Rejection* rejection) {
  if (value.size() > max_record_bytes_) {
    const std::string size = std::to_string(value.size()) + " bytes";
    const std::string limit = "at most " + std::to_string(max_record_bytes_) + " bytes";
    *rejection = Refusal(RejectReason::kTooLarge, limit, size,
                         "the event has " + size + "; the limit is " + limit);
    return false;
  }
  if (auto fault = scanner_.Scan(value)) {
    *rejection = Refusal(*std::move(fault), value);
    return false;
  }
  for (JsonValue& slot : values_) slot = JsonValue{};
  others_.clear();
  field_of_.clear();
  for (const JsonMember& member : scanner_.members()) {  // NOLINT: no all_of, it collects
    const int field = names_.Find(scanner_.TextOf(member.key));
    field_of_.push_back(field);
    if (field >= 0) {
      values_[static_cast<std::size_t>(field)] = member.value;
      continue;
    }
    if (unknown_fields_ == UnknownFields::kReject) {
      const std::string_view key = scanner_.TextOf(member.key);
      *rejection = Refusal(RejectReason::kUnknownField, "a field of the contract",
                           Printable(member.value.text, kShownBytes),
                           Printable(key, kShownBytes) + " is no field of the contract");
      rejection->pointer = "/" + PointerStep(key);
      return false;
    }
    if (unknown_fields_ == UnknownFields::kKeep) others_.push_back(member);
  }
  return true;
}

bool RowDecoder::Append(Micros ingestion_time, Batch* batch, Rejection* rejection) {
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    if (i == ingestion_) continue;
    if (!writer_.Append(values_[i], plans_[i], &batch->columns[i])) {
      *rejection = writer_.TakeRejection();
      return false;
    }
  }
  batch->columns[ingestion_].AppendLong(ingestion_time);
  if (unknown_fields_ == UnknownFields::kKeep) AppendUnknown(&batch->columns[unknown_]);
  return true;
}

void RowDecoder::AppendUnknown(Column* column) {
  if (others_.empty()) return column->AppendNull();
  for (const JsonMember& member : others_) {
    column->children()[0].AppendString(scanner_.TextOf(member.key));
    std::string_view text = member.value.text;
    if (member.value.kind == JsonKind::kString) text = {text.data() - 1, text.size() + 2};
    column->children()[1].AppendString(text);
  }
  column->AppendList(others_.size());
}

}  // namespace weir::codec
