#pragma once
// What the decoder tests share: contracts in few words, records from texts, rows shown as text.
// Only tests include this.

#include <string>
#include <string_view>
#include <vector>

#include "codec/json_decoder.h"

namespace weir::codec {

/// A contract of the given fields, none required.
Contract ContractOf(std::vector<Field> fields);
Field FieldOf(std::string name, Type type, bool required = false);

/// Values side by side with their records, as a log would hand them out.
std::vector<LogRecord> RecordsOf(const std::vector<std::string>& values);

/// "null", "true", "42", "18.00", "'text'", "2026-09-01T10:00:00Z", "{a: 1}", "[1, 2]", "{'k': 1}".
std::string Show(const Column& column, std::size_t row);

/// The outcome for each record in order: the row as "name=value name=value" without nulls and
/// without the ingestion column, or "!reason /pointer: message".
enum class Reader { kFast, kSlow };
std::vector<std::string> Outcomes(JsonDecoder& decoder, const std::vector<std::string>& values,
                                  Reader reader);

/// The outcome of one record, checked to be the same by both readers.
std::string OutcomeOf(const Contract& contract, const std::string& value, JsonLimits limits = {});

}  // namespace weir::codec
