#pragma once
// gzip, as other writers compress metadata files when write.metadata.compression-codec says so.

#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::iceberg {

/// kCorrupt WEIR0405 for anything but whole gzip members, or beyond a gigabyte.
Result<std::string> Gunzip(std::string_view bytes);

}  // namespace weir::iceberg
