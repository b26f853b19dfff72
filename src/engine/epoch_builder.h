#pragma once
// EpochBuilder: from raw records to the files of one epoch.
//
// Add() decodes, validates, asks the event-time operators, routes rows to the table writers and
// keeps the ledger; Cut() finishes the files and hands over all that the epoch record says. One
// thread. Every file is named in the journal before it exists.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/pipeline_spec.h"
#include "connect/data_file.h"
#include "engine/event_operators.h"
#include "engine/open_table.h"
#include "parquet/table_writer.h"
#include "record/log_record.h"
#include "state/epoch_record.h"
#include "state/standing.h"
#include "state/state_log.h"

namespace weir::engine {

/// What one epoch holds, before it is decided.
struct EpochContent {
  std::map<Partition, state::LedgerCounts> counts;                // partitions that had records
  std::map<std::string, std::vector<connect::DataFile>> files;    // tables that got rows
  std::map<std::string, std::map<Partition, std::int64_t>> rows;  // that stay
  std::map<std::string, std::vector<connect::RowsWhere>> replaced;
  std::map<std::string, std::map<Partition, std::int64_t>> open_rows;  // that the next may replace
  std::optional<OperatorCut> operators;
  std::vector<state::DroppedRow> dropped;  // examples of the duplicates
  /// Files of the above that parquet::FinishFiles must see before the epoch is decided.
  std::vector<parquet::UnfinishedFile> unfinished;
};

class EpochBuilder {
 public:
  virtual ~EpochBuilder() = default;

  /// tables, log, operators: must outlive the builder. operators: nullptr without event time.
  /// writer: names files and journals.
  static Result<std::unique_ptr<EpochBuilder>> Make(const config::PipelineSpec& spec,
                                                    std::vector<OpenTable>& tables,
                                                    state::StateLog& log, EventOperators* operators,
                                                    const std::string& writer);

  /// Starts epoch number `epoch`; the one before was cut.
  virtual void Begin(std::int64_t epoch) = 0;
  /// Fetches what these records need to be decoded. kUnavailable: to be tried again.
  virtual Status Prepare(const LogBatch& batch) = 0;
  /// Of records that were prepared. kInvalidInput WEIR0601 for a bad record under `on_error: fail`:
  /// the epoch must be given up.
  virtual Status Add(const LogBatch& batch, Micros ingestion_time) = 0;
  virtual std::int64_t records() const = 0;  // of the open epoch
  virtual std::int64_t bytes() const = 0;
  virtual Result<EpochContent> Cut(const CutInput& input) = 0;
  /// Whether the files are in a store across a network, so that their uploads may go on while the
  /// next epoch is read.
  virtual bool uploads() const = 0;
};

}  // namespace weir::engine
