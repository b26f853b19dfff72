#pragma once
// ContractEntry: a contract that came into force, and from which offsets on.
//
// Stored as contracts/<n>, put once and never changed or collected: the chain of them says by which
// contract every offset was read. An entry is put after the claim that starts with the contract and
// before the first epoch that was read by it.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "record/offsets.h"

namespace weir::state {

struct ContractEntry {
  std::int64_t number = 0;  // from 1
  std::string hash;         // tells contracts apart
  std::string text;         // of the contract file, as Weir writes it
  std::string writer;       // that started with it
  std::int64_t claim = 0;   // from which on it is in force
  Micros time = 0;
  std::map<Partition, Offset> from;  // partitions that came later: from their beginning
};

std::string Encode(const ContractEntry& entry);
/// kCorrupt, kUnsupported WEIR0504.
Result<ContractEntry> DecodeContractEntry(std::string_view bytes);

}  // namespace weir::state
