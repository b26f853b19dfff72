#pragma once
// Reads where the rows of a table come from: `from`, or one operator with its rules. Each column
// and event type that a rule names is checked against the contract at its place.

#include <optional>

#include "config/pipeline_spec.h"
#include "config/section.h"
#include "record/type.h"

namespace weir::config {

struct TableRows {
  bool known = false;  // whether the table says, rightly, where its rows come from
  Place place;         // of what says so
  bool own_horizon = false;
  Place dedupe;
};

/// Fills `from`, `coordinates`, `dedupe` and the operator's rules of `table`. What is wrong is
/// reported. contract: nullptr when it could not be read; columns are then not checked.
TableRows ReadRows(Section& section, const Contract* contract, TableSpec& table);

/// "source", "windows": the key or value of the pipeline file that stands for it.
std::string_view NameOf(TableFrom from);
/// Whether a key of the table's mapping stands for it, and not a value of `from`.
bool IsOperator(TableFrom from);

}  // namespace weir::config
