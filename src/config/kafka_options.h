#pragma once
// Settings of the Kafka client that a pipeline may pass through, by librdkafka's own names.
//
// A closed list: a misspelt or useless setting is found before the program runs, and settings that
// Weir needs for itself cannot be changed behind its back. Constant data.

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::config {

enum class OptionKind { kText, kInteger, kBoolean, kChoice, kPath, kSecret };

struct KafkaOption {
  std::string_view name;
  OptionKind kind = OptionKind::kText;
  std::string_view doc;
  std::string_view choices = {};  // kChoice, "a|b"
  std::int64_t min = 0;           // kInteger
  std::int64_t max = std::numeric_limits<std::int32_t>::max();
};

/// In the order of their names.
std::span<const KafkaOption> KafkaOptions();
const KafkaOption* FindKafkaOption(std::string_view name);

/// Why a setting is Weir's own and what to use instead; empty when it is not.
std::string_view ReservedKafkaOption(std::string_view name);

/// The value as the client spells it (choices ignore case). kInvalidInput WEIR0104 says what is
/// wrong, quoting the value unless it is a secret.
Result<std::string> ReadKafkaOption(const KafkaOption& option, const std::string& value);

}  // namespace weir::config
