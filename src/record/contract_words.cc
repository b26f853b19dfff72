#include "record/contract_words.h"

#include <utility>

namespace weir {
namespace {

constexpr std::pair<TimestampFormat, std::string_view> kTimestampFormats[] = {
    {TimestampFormat::kIso, "iso"},
    {TimestampFormat::kEpochSeconds, "epoch_s"},
    {TimestampFormat::kEpochMillis, "epoch_ms"},
    {TimestampFormat::kEpochMicros, "epoch_us"}};

constexpr std::pair<UnknownFields, std::string_view> kUnknownFields[] = {
    {UnknownFields::kIgnore, "ignore"},
    {UnknownFields::kKeep, "keep"},
    {UnknownFields::kReject, "reject"}};

template <typename Words, typename Value>
std::string_view WordOf(const Words& words, Value value) {
  for (const auto& [known, word] : words) {
    if (known == value) return word;
  }
  return {};
}

template <typename Value, std::size_t kCount>
std::optional<Value> ValueOf(const std::pair<Value, std::string_view> (&words)[kCount],
                             std::string_view word) {
  for (const auto& [value, known] : words) {
    if (known == word) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view ToString(TimestampFormat format) { return WordOf(kTimestampFormats, format); }
std::string_view ToString(UnknownFields unknown) { return WordOf(kUnknownFields, unknown); }

std::optional<TimestampFormat> TimestampFormatOf(std::string_view word) {
  return ValueOf(kTimestampFormats, word);
}

std::optional<UnknownFields> UnknownFieldsOf(std::string_view word) {
  return ValueOf(kUnknownFields, word);
}

}  // namespace weir
