#pragma once
// FieldProfile: what the fields of events look like, whether the contract knows them or not: which
// kinds of values each producer sends under a name, how often, and where it began. Memory is
// bounded whatever the events are: so many fields, producers and kinds, and one short example of
// each; what is beyond is only counted. Top level only, as unknown fields are kept. One thread.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codec/json_scanner.h"
#include "record/contract.h"
#include "record/log_record.h"

namespace weir::codec {

/// Kinds of values that can be told apart without a contract.
enum class ValueKind {
  kNull,
  kBoolean,
  kInteger,  // whole, and no likely time
  kSeconds,  // whole, 2001 to 2286 as seconds since 1970
  kMillis,   // the same years as milliseconds
  kMicros,   // and as microseconds
  kNumber,   // with a fraction or an exponent
  kText,
  kNumberText,  // a text that spells a number
  kTimeText,    // an RFC 3339 time with a zone
  kDateText,
  kUuidText,
  kObject,
  kList,
};
std::string_view ToString(ValueKind kind);
ValueKind KindOf(const JsonValue& value);

struct KindCount {
  std::int64_t count = 0;
  Partition partition;  // of the first one
  Offset offset;
  std::string example;  // printable and cut
};

/// One field of one producer.
struct FieldUse {
  std::map<ValueKind, KindCount> kinds;
};

class FieldProfile {
 public:
  static constexpr std::size_t kMaxFields = 1'000;
  static constexpr std::size_t kMaxProducers = 100;
  /// What producers beyond the limit are called together.
  static constexpr std::string_view kOthers = "(others)";

  FieldProfile();

  /// One value that is a JSON object; anything else is counted as unreadable.
  void Observe(std::string_view json, const LogRecord& record, std::string_view producer);

  /// By field, then producer.
  const std::map<std::string, std::map<std::string, FieldUse>>& fields() const { return fields_; }
  std::int64_t records() const { return records_; }
  std::int64_t unreadable() const { return unreadable_; }
  /// Uses of fields beyond the limit.
  std::int64_t beyond() const { return beyond_; }

 private:
  JsonScanner scanner_;
  std::map<std::string, std::map<std::string, FieldUse>> fields_;
  std::map<std::string, std::int64_t, std::less<>> producers_;
  std::int64_t records_ = 0;
  std::int64_t unreadable_ = 0;
  std::int64_t beyond_ = 0;
};

/// Whether a value of this kind is one of the field; null always is.
bool Fits(ValueKind kind, const ContractField& field);

/// Whether two kinds under one name are a drift: a number that became a text, seconds that became
/// milliseconds. Not: null, and whole numbers beside fractions. `may_be_time`: the name says
/// that numbers of the field are times; else the size of a number says nothing.
bool AreDrift(ValueKind a, ValueKind b, bool may_be_time);

/// Whether a name sounds like a time: "event_time", "created_at", "ts".
bool SoundsLikeTime(std::string_view name);

/// The type that a field would have in the contract, with a timestamp's format; `kinds`: of all
/// producers. kInvalidInput where there is no one type.
Result<ContractField> ProposeField(const std::string& name,
                                   const std::map<ValueKind, KindCount>& kinds);

}  // namespace weir::codec
