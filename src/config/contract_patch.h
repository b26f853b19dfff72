#pragma once
// ContractPatch: one more field for a contract, as a change of the text that a person wrote:
// comments and order stay. Pure function.

#include <string>
#include <string_view>

#include "record/contract.h"

namespace weir::config {

/// A unified diff that adds the field behind the last one, for `patch`. file: what it names. Empty
/// where the fields are not written one a line, so that the text must be written anew.
std::string PatchWithField(std::string_view text, const std::string& file,
                           const ContractField& field);

}  // namespace weir::config
