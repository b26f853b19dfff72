#include "engine/contract_record.h"

#include <fmt/format.h>

#include "base/fail_point.h"
#include "base/log.h"
#include "config/contract_file.h"
#include "config/contract_writer.h"
#include "record/contract_diff.h"

namespace weir::engine {

Result<std::optional<Contract>> ContractBefore(const std::optional<state::ContractEntry>& newest,
                                               const config::PipelineSpec& spec) {
  if (!newest || newest->hash == config::ContractHash(spec.contract))
    return std::optional<Contract>();
  auto read = config::ParseContractText(newest->text, fmt::format("contracts/{}", newest->number),
                                        config::ScriptedEnvironment());
  if (!read.contract)
    return Corrupt(fmt::format("recorded contract {} cannot be read: {}", newest->number,
                               read.diagnostics.ToStatus().error().message),
                   ErrorCode::kStateCorrupt);
  for (const ContractChange& change : DiffContracts(*read.contract, spec.contract)) {
    const std::string what =
        (change.path.empty() ? "" : "`" + change.path + "`: ") + change.message;
    if (change.compatible)
      log::Info("the contract changed", {{"change", what}});
    else
      log::Warn("the contract changed in a way that is not compatible", {{"change", what}});
  }
  return std::optional<Contract>(std::move(*read.contract));
}

Status RecordContract(state::StateLog& log, Clock& clock, const Contract& contract,
                      const state::Claim& claim) {
  const std::string hash = config::ContractHash(contract);
  // Who claimed before us may yet record another contract, whatever is recorded now.
  const bool changes = !claim.contract_before.empty() && claim.contract_before != hash;
  for (;;) {
    WEIR_ASSIGN_OR_RETURN(const auto newest, log.NewestContract());
    if (newest && newest->hash == hash && (!changes || newest->claim == claim.number)) return Ok();
    // Who was overtaken before it came to this reads nothing: its contract was never in force.
    WEIR_ASSIGN_OR_RETURN(const auto newest_claim, log.NewestClaim());
    if (newest_claim && newest_claim->number > claim.number) return Ok();
    state::ContractEntry entry{.number = newest ? newest->number + 1 : 1,
                               .hash = hash,
                               .text = config::ContractText(contract),
                               .writer = claim.writer,
                               .claim = claim.number,
                               .time = clock.Now(),
                               .from = {}};
    for (const auto& [partition, owner] : claim.partitions)
      entry.from[partition] = owner.start.next_offset;
    WEIR_ASSIGN_OR_RETURN(const auto verdict, log.PutContract(entry));
    Reach(FailPoint::kContractRecorded);
    if (verdict == state::PutVerdict::kMine) return Ok();
  }
}

}  // namespace weir::engine
