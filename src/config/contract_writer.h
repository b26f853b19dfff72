#pragma once
// ContractWriter: a contract as YAML; reading the text gives the same contract. Pure functions.

#include <functional>
#include <string>
#include <string_view>

#include "config/yaml_writer.h"
#include "record/contract.h"

namespace weir::config {

/// What is written in place of a text, given its key path below the contract ("fields.id.doc").
using ShownText = std::function<std::string(std::string_view key_path, std::string_view text)>;

/// All keys with their defaults, below whatever the writer has open.
void WriteContract(const Contract& contract, const ShownText& shown, YamlWriter& yaml);

/// A contract file for people: nothing that is a default, short types in one line.
std::string ContractText(const Contract& contract);

/// Lower-case hex SHA-256 over all that the contract says.
std::string ContractHash(const Contract& contract);

}  // namespace weir::config
