#pragma once
// Contract: what an event must look like. Fields with types and rules, needs of each event type,
// and what happens to fields that it does not name. Read from YAML by config/, used by codec/
// (types) and stream/ (rules). A plain value; checked once by Check() and immutable afterwards.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/type.h"

namespace weir {

/// How the text or number of a timestamp field is read.
enum class TimestampFormat {
  kIso,           // RFC 3339 with zone, as text
  kEpochSeconds,  // a JSON number or text of one
  kEpochMillis,
  kEpochMicros,
};

/// A bound of min or max, in the units of the field's type.
struct Bound {
  Int128 number = 0;  // int, long, decimal (unscaled at the field's scale), date, timestamp
  double real = 0;    // double
  std::string text;   // as the contract spells it, for messages
};

struct ContractField {
  Field field;             // `required` here: the value must be there and not null
  bool not_blank = false;  // string: not empty and not only white space
  std::vector<std::string> allowed;
  std::optional<Bound> min;
  std::optional<Bound> max;
  std::string pattern;  // RE2, must match the whole value; empty = none
  TimestampFormat timestamp_format = TimestampFormat::kIso;
  bool assume_utc = false;      // a timestamp without zone is UTC instead of refused
  bool from_ingestion = false;  // filled with the time when Weir took the record in
};

/// Fields that events of one type need besides the required ones.
struct EventTypeRule {
  std::string event_type;
  std::vector<std::string> needs;
};

enum class UnknownFields { kIgnore, kKeep, kReject };

struct Contract {
  std::string name;
  int version = 1;
  std::vector<ContractField> fields;  // in the order of the table's columns
  std::string event_type_field;       // empty: no event types
  std::vector<EventTypeRule> event_types;
  UnknownFields unknown_fields = UnknownFields::kIgnore;
  std::string unknown_column = "unknown_fields";  // map<string, string> of JSON texts, with kKeep
  std::string event_time_field;  // the field that carries the event time; empty: none

  std::optional<std::size_t> IndexOf(std::string_view field_name) const;
};

/// Errors: kInvalidInput (WEIR0106) naming the field and what contradicts.
Status Check(const Contract& contract);

/// The columns that a table of valid rows has, without ids: the fields in their order, the
/// ingestion column in its place or last, the unknown column after them.
Schema TableSchema(const Contract& contract);

/// Name of the ingestion column: the field marked from_ingestion, else "ingestion_time".
std::string IngestionColumn(const Contract& contract);

}  // namespace weir
