#include "state/claim.h"

#include "base/own_json.h"
#include "state/state_json.h"

namespace weir::state {
namespace {

using Json = nlohmann::json;

constexpr int kFormat = 1;

Claim ClaimFrom(const Json& json) {
  Claim claim;
  json.at("number").get_to(claim.number);
  json.at("pipeline").get_to(claim.pipeline);
  json.at("writer").get_to(claim.writer);
  json.at("nonce").get_to(claim.nonce);
  json.at("previous_hash").get_to(claim.previous_hash);
  json.at("topic").get_to(claim.topic);
  json.at("topic_id").get_to(claim.topic_id);
  json.at("cluster_id").get_to(claim.cluster_id);
  json.at("config_hash").get_to(claim.config_hash);
  claim.contract = json.value("contract", "");
  claim.contract_before = json.value("contract_before", "");
  json.at("time").get_to(claim.time);
  json.at("table_uuids").get_to(claim.table_uuids);
  for (const auto& [key, entry] : json.at("partitions").items())
    claim.partitions[PartitionKey(key)] = {entry.at("owner").get<std::string>(),
                                           entry.at("since").get<std::int64_t>(),
                                           StandingFrom(entry.at("start"))};
  if (auto shared = json.find("shared"); shared != json.end()) claim.shared = SharedFrom(*shared);
  return claim;
}

}  // namespace

std::string Encode(const Claim& claim) {
  Json partitions = Json::object();
  for (const auto& [partition, entry] : claim.partitions)
    partitions[std::to_string(partition.value())] = {
        {"owner", entry.owner}, {"since", entry.since}, {"start", ToJson(entry.start)}};
  Json json = {{"format", kFormat},
               {"number", claim.number},
               {"pipeline", claim.pipeline},
               {"writer", claim.writer},
               {"nonce", claim.nonce},
               {"previous_hash", claim.previous_hash},
               {"topic", claim.topic},
               {"topic_id", claim.topic_id},
               {"cluster_id", claim.cluster_id},
               {"config_hash", claim.config_hash},
               {"contract", claim.contract},
               {"contract_before", claim.contract_before},
               {"time", claim.time},
               {"table_uuids", claim.table_uuids},
               {"partitions", std::move(partitions)}};
  if (claim.shared != SharedStanding()) json["shared"] = ToJson(claim.shared);
  return json.dump();
}

Result<Claim> DecodeClaim(std::string_view bytes) {
  try {
    Json json = ParseOwnJson(bytes);
    if (json.at("format").get<int>() > kFormat)
      return Unsupported("a claim of a newer version of Weir", ErrorCode::kStateCorrupt);
    return ClaimFrom(json);
  } catch (const std::exception& error) {
    return Corrupt(std::string("a claim cannot be read: ") + error.what(),
                   ErrorCode::kStateCorrupt);
  }
}

}  // namespace weir::state
