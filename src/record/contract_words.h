#pragma once
// ContractWords: how a contract file spells the choices of record/contract.h. Reader, writer, JSON
// Schema and messages all take the words from here.

#include <optional>
#include <string_view>

#include "record/contract.h"

namespace weir {

std::string_view ToString(TimestampFormat format);
std::string_view ToString(UnknownFields unknown);

/// nullopt: the word is none of the choices.
std::optional<TimestampFormat> TimestampFormatOf(std::string_view word);
std::optional<UnknownFields> UnknownFieldsOf(std::string_view word);

}  // namespace weir
