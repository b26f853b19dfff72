#pragma once
// StateObject: the operator state that one epoch leaves behind, state/<writer>/<E>.
//
// Sections, one a partition that changed and one for what combines partitions, each a base or a
// delta, so that one durable put an epoch serves all of them and a partition can still be read
// alone. Bytes: "WEIRSTAT", version, sections (scope, kind, parts), CRC-32 of all before it. A part
// is the state of one operator under its name; the operator knows the format of its bytes.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/offsets.h"

namespace weir::state {

struct StateSection {
  std::optional<Partition> partition;  // nullopt: what combines partitions
  bool base = false;
  std::map<std::string, std::string> parts;  // by operator, "dedupe"
  std::size_t bytes() const;
};

std::string EncodeState(const std::vector<StateSection>& sections);
/// kCorrupt WEIR0504 for damage, kUnsupported for a newer version.
Result<std::vector<StateSection>> DecodeState(std::string_view bytes);

}  // namespace weir::state
