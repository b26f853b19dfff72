#pragma once
// StateLog: all objects of a pipeline's state location under their names: claims, writer logs with
// their seals, operator state, decisions, and the journal of files about to be written.
//
// It knows names, put-if-absent and the rule "mine means that the stored bytes are mine"; what the
// objects decide is the engine's business. Safe from several threads if the store is.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/store.h"
#include "state/claim.h"
#include "state/contract_entry.h"
#include "state/epoch_record.h"
#include "state/state_object.h"

namespace weir::state {

/// How a put-if-absent of ours ended, after looking at what is stored.
enum class PutVerdict {
  kMine,      // the stored bytes are ours, from this try or an earlier one
  kTheirs,    // somebody else's object is there
  kVanished,  // it was refused, and is gone now: collected after a seal
};

class StateLog {
 public:
  explicit StateLog(io::Store& store) : store_(store) {}

  // --- claims
  // --------------------------------------------------------------------------------------
  /// The newest claim; nullopt when there is none.
  Result<std::optional<Claim>> NewestClaim();
  /// Puts it as claims/<claim.number>. Unknown outcomes are looked up until they are known.
  Result<PutVerdict> PutClaim(const Claim& claim);
  Result<std::vector<std::int64_t>> ClaimNumbers();
  Status DeleteClaim(std::int64_t number);

  // --- contracts
  // -----------------------------------------------------------------------------------
  /// All that ever came into force, in their order.
  Result<std::vector<ContractEntry>> Contracts();
  /// The last of them; nullopt when none was recorded.
  Result<std::optional<ContractEntry>> NewestContract();
  /// Puts it as contracts/<entry.number>.
  Result<PutVerdict> PutContract(const ContractEntry& entry);

  // --- writer logs
  // ---------------------------------------------------------------------------------
  /// Slot numbers of a log that hold something, ascending.
  Result<std::vector<std::int64_t>> Slots(const std::string& writer);
  /// kNotFound when the slot is empty.
  Result<LogEntry> ReadSlot(const std::string& writer, std::int64_t epoch);
  Result<PutVerdict> PutSlot(const std::string& writer, std::int64_t epoch,
                             const std::string& bytes);
  Status DeleteSlot(const std::string& writer, std::int64_t epoch);
  /// All writers that left a log, a journal or state, with the number of their objects: 1 is a seal
  /// and nothing else.
  Result<std::map<std::string, std::size_t>> Writers();

  // --- journal
  // -------------------------------------------------------------------------------------
  /// Names files before they are created. Each is a full location (table location + path).
  Status PutJournal(const std::string& writer, std::int64_t epoch, int part,
                    const std::vector<std::string>& files);
  struct JournalEntry {
    std::int64_t epoch = 0;
    std::string key;
  };
  Result<std::vector<JournalEntry>> Journals(const std::string& writer);
  /// Those of one epoch: what a listing costs grows with the epochs in it.
  Result<std::vector<JournalEntry>> Journals(const std::string& writer, std::int64_t epoch);
  Result<std::vector<std::string>> ReadJournal(const JournalEntry& entry);
  Status DeleteJournal(const JournalEntry& entry);

  // --- operator state
  // ---------------------------------------------------------------------------------
  /// Durable before the record that names it.
  Status PutState(const std::string& writer, std::int64_t epoch, const std::string& bytes);
  Result<std::vector<StateSection>> ReadState(const std::string& writer, std::int64_t epoch);
  /// Numbers of the state objects of a writer, ascending.
  Result<std::vector<std::int64_t>> States(const std::string& writer);
  Status DeleteState(const std::string& writer, std::int64_t epoch);

  // --- decisions
  // ---------------------------------------------------------------------------------
  /// What the wall clock decided in one epoch; kept for ever, so that a replay decides the same.
  struct DecidedEpoch {
    std::string writer;
    std::int64_t epoch = 0;
    Micros time = 0;
    std::optional<Micros> watermark;  // of the pipeline after it
    std::vector<Decision> decisions;
  };
  /// Copies the decisions of a record out of the log, before it is collected. Repeatable.
  Status KeepDecisions(const EpochRecord& record);
  /// Those that were kept, in the order of their times.
  Result<std::vector<DecidedEpoch>> KeptDecisions();

  io::Store& store() { return store_; }

 private:
  Result<ContractEntry> ReadContract(std::int64_t number);
  Result<PutVerdict> PutUntilKnown(const std::string& key, const std::string& bytes);

  io::Store& store_;
};

}  // namespace weir::state
