#pragma once
// JSON documents that nobody but Weir writes: state, plans, keys. They are read by exceptions,
// since what is wrong with one is damage and ends its reading as a whole.

#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace weir {

/// Parses one JSON object of at most 256 MiB. No number in it has a fraction or an exponent, or
/// more than 64 bits, so that `get` by a whole type has a meaning. Throws a std::exception on
/// anything else.
nlohmann::json ParseOwnJson(std::string_view bytes);

}  // namespace weir
