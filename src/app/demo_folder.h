#pragma once
// DemoFolder: the folder that `weir demo` works in: the retail pipeline, its log, state and lake.
//
// A folder that is empty or not there is used; one that an earlier demo made is cleared first, of
// what that demo made and nothing else; any other is refused.

#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace weir::app {

struct DemoFolder {
  std::string path;      // absolute
  std::string pipeline;  // the pipeline file in it
};

/// kRefused for a folder that holds something else; kRefused WEIR0211 while a demo works in it;
/// kRefused WEIR0502 when it cannot be written.
/// `lake_format`: iceberg, delta or both, as `lake.format`. `object_store`: "s3://bucket/prefix",
/// below which state and lake get a place of their own; empty: they are folders too.
Result<DemoFolder> PrepareDemoFolder(const std::string& path,
                                     const std::string& lake_format = "iceberg",
                                     const std::string& object_store = {});

/// Writes a text file into the folder.
Status WriteTextFile(const std::string& path, std::string_view text);

}  // namespace weir::app
