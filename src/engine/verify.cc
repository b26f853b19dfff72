#include "engine/verify.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/applier.h"
#include "engine/history.h"
#include "engine/table_proof.h"
#include "engine/twin_table.h"
#include "state/state_log.h"

namespace weir::engine {
namespace {

void CheckChain(const History& history, VerifyReport& report) {
  const RetainedRecord* previous = nullptr;
  for (const RetainedRecord& retained : history.records) {
    const auto& record = retained.record;
    if (previous != nullptr && previous->record.writer == record.writer &&
        previous->record.epoch + 1 == record.epoch && record.previous_hash != previous->hash)
      report.findings.push_back(fmt::format("epoch {} of writer {} does not follow from epoch {}",
                                            record.epoch, record.writer, previous->record.epoch));
    previous = &retained;
  }
}

void CheckLedger(const History& history, VerifyReport& report) {
  report.ledger = history.total();
  for (const auto& [partition, standing] : history.standings)
    if (!standing.total.balanced())
      report.findings.push_back(
          fmt::format("the ledger of partition {} does not balance", partition.value()));
  for (const RetainedRecord& retained : history.records)
    for (const auto& [partition, part] : retained.record.partitions)
      if (!part.counts.balanced())
        report.findings.push_back(fmt::format("epoch {}, partition {}: the ledger does not balance",
                                              retained.record.epoch, partition.value()));
}

// A record is valid or refused, never both.
config::TableFrom OtherSide(config::TableFrom from) {
  return from == config::TableFrom::kValid ? config::TableFrom::kInvalid
                                           : config::TableFrom::kValid;
}

// Epochs that are decided and that some table does not show yet.
std::int64_t CountUnapplied(const History& history,
                            const std::map<std::string, TableExpectation>& expectations) {
  std::set<std::pair<std::string, std::int64_t>> unapplied;
  for (const RetainedRecord& retained : history.records) {
    const auto& record = retained.record;
    for (const auto& [name, epoch] : record.tables) {
      auto expected = expectations.find(name);
      if (expected == expectations.end()) continue;
      for (const auto& [partition, part] : record.partitions)
        if (record.PositionOf(partition) > expected->second.ShownAt(record.topic, partition))
          unapplied.insert({record.writer, record.epoch});
    }
  }
  return static_cast<std::int64_t>(unapplied.size());
}

}  // namespace

bool VerifyReport::ok() const {
  return findings.empty() && std::ranges::none_of(tables, [](const TableProof& proof) {
           return proof.verdict == Verdict::kWrong;
         });
}

Result<VerifyReport> Verify(const config::PipelineSpec& spec, io::Store& state,
                            connect::Catalog& catalog, const StoreOpener& open_store) {
  state::StateLog log(state);
  WEIR_ASSIGN_OR_RETURN(auto history, ReadHistory(log));
  VerifyReport report;
  report.pipeline = history.claim.pipeline;
  report.epochs_retained = static_cast<std::int64_t>(history.records.size());
  CheckChain(history, report);
  CheckLedger(history, report);

  WEIR_ASSIGN_OR_RETURN(auto tables,
                        OpenTables(spec, catalog, open_store, MissingTable::kIsAnError));
  std::map<std::string, TableExpectation> expectations;
  std::map<config::TableFrom, OffsetsSeen> offsets;
  for (OpenTable& table : tables) {
    auto [entry, inserted] =
        expectations.emplace(table.name, TableExpectation(history, table.name, *table.at_start));
    WEIR_ASSIGN_OR_RETURN(auto proof,
                          ProveTable(history, table, entry->second, offsets[table.spec.from],
                                     offsets[OtherSide(table.spec.from)]));
    if (auto* twin = dynamic_cast<TwinTable*>(table.table.get())) {
      WEIR_ASSIGN_OR_RETURN(const auto differences, twin->Disagreements(*table.at_start));
      for (const std::string& difference : differences)
        report.findings.push_back(fmt::format("table {}: {}", table.name, difference));
    }
    report.tables.push_back(std::move(proof));
  }
  report.epochs_unapplied = CountUnapplied(history, expectations);
  return report;
}

}  // namespace weir::engine
