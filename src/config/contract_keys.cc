#include "config/keys.h"

namespace weir::config {
namespace {

using enum ValueKind;

constexpr KeyDescriptor kContractTable[] = {
    {.key = "name", .kind = kText, .doc = "the contract's name", .required = true},
    {.key = "version",
     .kind = kCount,
     .doc = "the contract's version; quarantined rows carry it",
     .fallback = "1",
     .min = 1,
     .max = 1'000'000},
    {.key = "event_type",
     .kind = kText,
     .doc = "the field that holds the event's type; required with `event_types`"},
    {.key = "event_time",
     .kind = kText,
     .doc = "the field that holds the event's time, a required timestamp"},
    {.key = "unknown_fields",
     .kind = kChoice,
     .doc = "fields of an event that the contract does not name: left out, kept as JSON texts in "
            "one map column, or a reason to refuse the event",
     .fallback = "ignore",
     .choices = "ignore|keep|reject"},
    {.key = "unknown_column",
     .kind = kText,
     .doc = "the name of that map column",
     .fallback = "unknown_fields"},
    {.key = "fields",
     .kind = kNamed,
     .doc = "the fields by name, in the order of the table's columns; a type, or a mapping of the "
            "type and rules",
     .required = true,
     .shorthand = "the field's type",
     .mapping = &kFieldKeys},
    {.key = "event_types",
     .kind = kNamed,
     .doc = "the event types there are, and what each needs besides the required fields; an event "
            "of another type is invalid",
     .mapping = &kEventTypeKeys},
};

constexpr std::string_view kTypeDoc =
    "string, int, long, double, boolean, decimal(p,s), timestamp, date, uuid, list<T>, "
    "map<string,T>; or struct, list, map with the keys below";

constexpr KeyDescriptor kFieldTable[] = {
    {.key = "type", .kind = kText, .doc = kTypeDoc, .required = true},
    {.key = "required",
     .kind = kBoolean,
     .doc = "the value must be there and not null",
     .fallback = "false"},
    {.key = "not_blank",
     .kind = kBoolean,
     .doc = "string: not empty and not only white space",
     .fallback = "false"},
    {.key = "allowed", .kind = kTexts, .doc = "string: the only values there may be"},
    {.key = "min", .kind = kText, .doc = "number, date or timestamp: the least value"},
    {.key = "max", .kind = kText, .doc = "number, date or timestamp: the greatest value"},
    {.key = "pattern",
     .kind = kText,
     .doc = "string: a regular expression (RE2) that the whole value must match"},
    {.key = "format",
     .kind = kChoice,
     .doc = "timestamp: ISO text with a zone, or a number of seconds, milliseconds or "
            "microseconds since 1970",
     .fallback = "iso",
     .choices = "iso|epoch_s|epoch_ms|epoch_us"},
    {.key = "assume_utc",
     .kind = kBoolean,
     .doc = "timestamp: a text without zone is UTC instead of an error",
     .fallback = "false"},
    {.key = "from",
     .kind = kChoice,
     .doc = "`ingestion`: not read from the event but filled with the time when Weir took it in",
     .choices = "ingestion"},
    {.key = "doc", .kind = kText, .doc = "the comment of the column"},
    {.key = "fields",
     .kind = kNamed,
     .doc = "struct: its fields",
     .shorthand = "the field's type",
     .mapping = &kNestedKeys},
    {.key = "items",
     .kind = kMapping,
     .doc = "list: its items",
     .shorthand = "the items' type",
     .mapping = &kNestedKeys},
    {.key = "key", .kind = kText, .doc = "map: the type of its keys, always string"},
    {.key = "value",
     .kind = kMapping,
     .doc = "map: its values",
     .shorthand = "the values' type",
     .mapping = &kNestedKeys},
};

constexpr std::string_view kNestedRules = "rules inside structs, lists and maps";

constexpr KeyDescriptor kNestedTable[] = {
    {.key = "type", .kind = kText, .doc = kTypeDoc, .required = true},
    {.key = "required",
     .kind = kBoolean,
     .doc = "the value must be there and not null",
     .fallback = "false"},
    {.key = "doc", .kind = kText, .doc = "the comment of the field"},
    {.key = "fields",
     .kind = kNamed,
     .doc = "struct: its fields",
     .shorthand = "the field's type",
     .mapping = &kNestedKeys},
    {.key = "items",
     .kind = kMapping,
     .doc = "list: its items",
     .shorthand = "the items' type",
     .mapping = &kNestedKeys},
    {.key = "key", .kind = kText, .doc = "map: the type of its keys, always string"},
    {.key = "value",
     .kind = kMapping,
     .doc = "map: its values",
     .shorthand = "the values' type",
     .mapping = &kNestedKeys},
    {.key = "not_blank", .kind = kLater, .doc = kNestedRules},
    {.key = "allowed", .kind = kLater, .doc = kNestedRules},
    {.key = "min", .kind = kLater, .doc = kNestedRules},
    {.key = "max", .kind = kLater, .doc = kNestedRules},
    {.key = "pattern", .kind = kLater, .doc = kNestedRules},
    {.key = "format", .kind = kLater, .doc = kNestedRules},
    {.key = "assume_utc", .kind = kLater, .doc = kNestedRules},
};

constexpr KeyDescriptor kEventTypeTable[] = {
    {.key = "needs", .kind = kTexts, .doc = "fields that must be there and not null"},
};

}  // namespace

constinit const MappingDescriptor kContractKeys = {
    .name = "contract",
    .title = "The contract",
    .doc = "What an event must look like, in a file of its own or under `contract`.",
    .keys = kContractTable};
constinit const MappingDescriptor kFieldKeys = {
    .name = "field",
    .title = "fields.NAME",
    .doc = "A field and its rules, `name: type` for short.",
    .keys = kFieldTable};
constinit const MappingDescriptor kNestedKeys = {
    .name = "nested",
    .title = "Nested values",
    .doc = "A field of a struct, the items of a list, the values of a map.",
    .keys = kNestedTable};
constinit const MappingDescriptor kEventTypeKeys = {.name = "event_type",
                                                    .title = "event_types.NAME",
                                                    .doc = "An event type.",
                                                    .keys = kEventTypeTable};

}  // namespace weir::config
