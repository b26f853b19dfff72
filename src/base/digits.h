#pragma once
// Digits: how whole numbers are written for people, everywhere the same. JSON and CSV get them
// plain.

#include <cstdint>
#include <string>

namespace weir {

/// 1234567 as "1 234 567".
std::string GroupDigits(std::int64_t number);

}  // namespace weir
