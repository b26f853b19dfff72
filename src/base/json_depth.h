#pragma once
// How deep JSON text nests, told without parsing it: what walks a document recurses, so text from
// outside is refused before a parser sees it.

#include <string_view>

namespace weir {

/// Whether brackets outside strings nest at most `limit` deep. The text need not be valid JSON.
bool NestsAtMost(std::string_view json, int limit);

}  // namespace weir
