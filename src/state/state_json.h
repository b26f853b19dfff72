#pragma once
// JSON forms of the pieces that claims and epoch records share. Private to src/state.
// Readers throw nlohmann exceptions on damage; the Decode functions turn them into errors.

#include <nlohmann/json.hpp>

#include "connect/data_file.h"
#include "state/standing.h"

namespace weir::state {

nlohmann::json ToJson(Position position);
Position PositionFrom(const nlohmann::json& json);

nlohmann::json ToJson(const LedgerCounts& counts);
LedgerCounts LedgerFrom(const nlohmann::json& json);

nlohmann::json ToJson(const PartitionStanding& standing);
PartitionStanding StandingFrom(const nlohmann::json& json);

nlohmann::json ToJson(const SharedStanding& shared);
SharedStanding SharedFrom(const nlohmann::json& json);

nlohmann::json ToJson(const Decision& decision);
Decision DecisionFrom(const nlohmann::json& json);

nlohmann::json ToJson(const connect::RowsWhere& rows);
connect::RowsWhere RowsWhereFrom(const nlohmann::json& json);

nlohmann::json ToJson(const connect::DataFile& file);
connect::DataFile DataFileFrom(const nlohmann::json& json);

/// The partition number that a JSON object key spells.
Partition PartitionKey(const std::string& key);

}  // namespace weir::state
