#pragma once
// Verify: do the tables hold exactly what the ledger says?
//
// Tables with the columns topic, partition and offset are read and proven row by row: no offset
// twice, none missing, counts as in the ledger. Others are judged by the retained epoch records
// (every file live exactly once, row counts right) and the cumulative ledger. What cannot be shown
// is said to be not provable, never called good. Reads only; may run beside a running pipeline.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/pipeline_spec.h"
#include "connect/table.h"
#include "engine/open_table.h"
#include "io/store.h"
#include "state/standing.h"

namespace weir::engine {

enum class ProofMethod { kOffsets, kFilesAndLedger };
enum class Verdict { kProven, kNotProvable, kWrong };

struct TableProof {
  std::string table;
  ProofMethod method = ProofMethod::kFilesAndLedger;
  Verdict verdict = Verdict::kProven;
  std::int64_t rows_found = 0;
  std::int64_t rows_expected = 0;     // by the ledger; -1 = unknown
  std::vector<std::string> findings;  // one sentence each: what is wrong or cannot be shown
};

struct VerifyReport {
  std::string pipeline;
  std::int64_t epochs_retained = 0;
  std::int64_t epochs_unapplied =
      0;                       // decided, not yet in all tables: normal for a stopped pipeline
  state::LedgerCounts ledger;  // cumulative, all partitions
  std::vector<std::string> findings;  // about the state itself
  std::vector<TableProof> tables;

  bool ok() const;
};

/// kNotFound when there is no state yet; storage and catalog errors.
Result<VerifyReport> Verify(const config::PipelineSpec& spec, io::Store& state,
                            connect::Catalog& catalog, const StoreOpener& open_store);

}  // namespace weir::engine
