#include "engine/history.h"

#include <algorithm>

#include "base/bytes.h"
#include "engine/ownership.h"

namespace weir::engine {

state::LedgerCounts History::total() const {
  state::LedgerCounts total;
  for (const auto& [partition, standing] : standings) total += standing.total;
  return total;
}

const state::EpochRecord* History::newest() const {
  const state::EpochRecord* newest = nullptr;
  for (const auto& retained : records)
    if (retained.record.writer == claim.writer &&
        (newest == nullptr || retained.record.epoch > newest->epoch))
      newest = &retained.record;
  return newest;
}

state::SharedStanding History::shared() const {
  const auto* record = newest();
  return record != nullptr ? record->shared : claim.shared;
}

Result<History> ReadHistory(state::StateLog& log) {
  WEIR_ASSIGN_OR_RETURN(auto claim, log.NewestClaim());
  if (!claim) return NotFound(log.store().Describe() + " holds no state of a pipeline");
  History history{.claim = std::move(*claim), .records = {}, .standings = {}};
  WEIR_ASSIGN_OR_RETURN(auto writers, log.Writers());
  std::vector<SealedLog> logs;
  for (const auto& [writer, objects] : writers) {
    WEIR_ASSIGN_OR_RETURN(auto slots, log.Slots(writer));
    SealedLog as_read{.writer = writer, .seal_at = 0, .records = {}};
    for (std::int64_t slot : slots) {
      auto entry = log.ReadSlot(writer, slot);
      if (!entry && entry.error().kind == ErrorKind::kNotFound) continue;  // collected meanwhile
      if (!entry) return std::move(entry).error();
      auto* record = std::get_if<state::EpochRecord>(&*entry);
      if (record == nullptr) continue;
      as_read.records.push_back(*record);
      std::string hash = Sha256Hex(state::Encode(*record));
      history.records.push_back({std::move(*record), std::move(hash)});
    }
    logs.push_back(std::move(as_read));
  }
  history.standings = StandingsOf(history.claim, logs);
  return history;
}

}  // namespace weir::engine
