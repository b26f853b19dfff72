#pragma once
// Actions as rows of a checkpoint and back: a column an action, of which one in each row is not
// null.

#include <memory>

#include "base/result.h"
#include "delta/action.h"
#include "record/batch.h"
#include "record/type.h"

namespace weir::delta {

/// The columns that Weir reads and writes, with field ids.
const std::shared_ptr<const Schema>& CheckpointSchema();

/// kCorrupt WEIR0405 for rows that lack what every such action has.
Result<LogCommit> ActionsOf(const Batch& batch);

/// Appends one row; Batch::records is not filled.
void AppendAction(const Protocol& protocol, Batch& batch);
void AppendAction(const Metadata& metadata, Batch& batch);
void AppendAction(const Transaction& transaction, Batch& batch);
void AppendAction(const RemoveFile& file, Batch& batch);
void AppendAction(const AddFile& file, Batch& batch);

}  // namespace weir::delta
