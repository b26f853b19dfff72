#pragma once
// Whether Weir understands all that a table asks of its readers or writers. What it does not is
// refused by name, never passed over. Pure functions.

#include "base/result.h"
#include "delta/action.h"
#include "delta/layout.h"

namespace weir::delta {

/// kUnsupported WEIR0403 naming the feature.
Status CheckReadable(const Protocol& protocol, const Metadata& metadata);
Status CheckWritable(const Protocol& protocol, const Metadata& metadata, const Layout& layout);

/// The protocol of a new table with these columns: (1,2) wherever that is enough.
Protocol ProtocolFor(const Schema& schema);

/// "interval 7 days" in microseconds; nullopt for what is no such span (months have no length).
std::optional<std::int64_t> ParseInterval(std::string_view text);

}  // namespace weir::delta
