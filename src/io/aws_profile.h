#pragma once
// The profile files of the AWS tools: "[name]" or "[profile name]", then "key = value" lines.
// Pure: texts in, values out; a line that means nothing is skipped. Bounded by the caller.

#include <map>
#include <string>
#include <string_view>

namespace weir::io {

using AwsProfile = std::map<std::string, std::string>;

/// The settings of one profile; empty when the text has none of that name.
AwsProfile ReadAwsProfile(std::string_view text, std::string_view name);

}  // namespace weir::io
