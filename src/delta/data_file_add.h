#pragma once
// A finished file as an action that adds it, and back.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "connect/data_file.h"
#include "delta/action.h"
#include "delta/layout.h"
#include "io/store.h"

namespace weir::delta {

AddFile AddOf(const Layout& layout, const connect::DataFile& file, std::int64_t now_ms);

/// The path of a file below the table's location becomes relative to it. Rows that the statistics
/// do not count are counted in the file itself, where it can be reached.
Result<connect::DataFile> DataFileOf(const Layout& layout, const AddFile& file, io::Store& store,
                                     const std::string& folder, const std::string& location);

}  // namespace weir::delta
