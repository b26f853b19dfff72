#pragma once
// ContractText: what the contract commands share: a contract of a file that a person named, and
// changes of a contract in words.

#include <optional>
#include <string>
#include <vector>

#include "app/session.h"
#include "record/contract_diff.h"

namespace weir::app {

/// What was loaded. Without a contract everything wrong was printed already, and the command ends
/// with `exit_code`.
struct LoadedContract {
  std::optional<Contract> contract;
  int exit_code = 0;
};

/// A contract file or a pipeline file. Without a path: that of the session's pipeline file.
LoadedContract LoadContractFile(const std::optional<std::string>& path, Session& session);

/// "`coupon`: added, optional string (events and rows without it have null there)".
std::string ChangeText(const ContractChange& change);

/// All changes as a listing: for people the ways around what is breaking behind it.
void WriteChanges(const std::vector<ContractChange>& changes, Session& session);

}  // namespace weir::app
