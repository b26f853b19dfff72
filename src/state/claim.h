#pragma once
// Claim: the full map partition -> owner. Claims form a chain; the newest one is in force.
//
// Stored as claims/<n>, put once and never changed. Claim numbers only grow. Decode errors as for
// epoch records.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "state/standing.h"

namespace weir::state {

struct ClaimEntry {
  std::string owner;       // writer id; empty: nobody
  std::int64_t since = 0;  // the claim at which this owner got it
  PartitionStanding start;
  bool operator==(const ClaimEntry&) const = default;
};

struct Claim {
  std::int64_t number = 0;
  std::string pipeline;
  std::string writer;  // who put it
  std::string nonce;
  std::string previous_hash;  // SHA-256 of the claim before; empty for the first
  std::string topic;
  std::string topic_id;
  std::string cluster_id;
  std::string config_hash;
  std::string contract;         // hash of the one that the writer reads by ...
  std::string contract_before;  // ... and of that of the claim before; empty: not known
  Micros time = 0;
  std::map<std::string, std::string> table_uuids;  // of the tables that the writer opened
  std::map<Partition, ClaimEntry> partitions;
  SharedStanding shared;  // where what combines the partitions starts
};

std::string Encode(const Claim& claim);
Result<Claim> DecodeClaim(std::string_view bytes);

}  // namespace weir::state
