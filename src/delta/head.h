#pragma once
// Head: the small part of a table's state that a loaded version keeps for good: what a commit on
// top of it is judged by. Immutable.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "connect/table.h"
#include "delta/action.h"
#include "delta/layout.h"

namespace weir::delta {

struct Head {
  std::int64_t version = 0;
  Protocol protocol;
  std::shared_ptr<const Metadata> metadata;
  std::shared_ptr<const Layout> layout;
};

/// What a DeltaTable put into TableVersion::metadata.
const Head& HeadOf(const connect::TableVersion& version);

/// Why files that were written for `before` do not fit a table that is now as `now`; nullopt when
/// they do: columns may come, and lose that they are required.
std::optional<std::string> WhyNotFitting(const Layout& before, const Layout& now);

}  // namespace weir::delta
