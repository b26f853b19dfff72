#pragma once
// How wide a text is on a terminal. Wide characters (East Asian, emoji) take two columns, combining
// ones none. Pure functions over UTF-8; a byte that is no UTF-8 takes one column.

#include <string>
#include <string_view>

namespace weir::app {

int DisplayWidth(std::string_view text);

/// The text cut to so many columns, with an ellipsis in place of what is missing.
std::string CutToWidth(std::string_view text, int width);

}  // namespace weir::app
