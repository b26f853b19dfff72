#include "state/contract_entry.h"

#include "base/own_json.h"
#include "state/state_json.h"

namespace weir::state {
namespace {

using Json = nlohmann::json;

constexpr int kFormat = 1;

}  // namespace

std::string Encode(const ContractEntry& entry) {
  Json from = Json::object();
  for (const auto& [partition, offset] : entry.from)
    from[std::to_string(partition.value())] = offset.value();
  const Json json = {{"format", kFormat},  {"number", entry.number}, {"hash", entry.hash},
                     {"text", entry.text}, {"writer", entry.writer}, {"claim", entry.claim},
                     {"time", entry.time}, {"from", std::move(from)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<ContractEntry> DecodeContractEntry(std::string_view bytes) {
  try {
    const Json json = ParseOwnJson(bytes);
    if (json.at("format").get<int>() > kFormat)
      return Unsupported("a contract of a newer version of Weir", ErrorCode::kStateCorrupt);
    ContractEntry entry;
    json.at("number").get_to(entry.number);
    json.at("hash").get_to(entry.hash);
    json.at("text").get_to(entry.text);
    json.at("writer").get_to(entry.writer);
    json.at("claim").get_to(entry.claim);
    json.at("time").get_to(entry.time);
    for (const auto& [key, offset] : json.at("from").items())
      entry.from[PartitionKey(key)] = Offset(offset.get<std::int64_t>());
    return entry;
  } catch (const std::exception& error) {
    return Corrupt(std::string("a recorded contract cannot be read: ") + error.what(),
                   ErrorCode::kStateCorrupt);
  }
}

}  // namespace weir::state
