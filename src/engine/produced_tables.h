#pragma once
// What the engine itself writes into each kind of table: the columns, and how a record becomes a
// row. The valid and late tables' columns come from the contract; bronze and quarantine have fixed
// ones; what operators make comes as rows already.

#include <map>
#include <memory>
#include <span>
#include <string>

#include "config/pipeline_spec.h"
#include "connect/table.h"
#include "engine/event_operators.h"
#include "record/batch.h"
#include "record/log_record.h"
#include "record/rejection.h"

namespace weir::engine {

/// The columns that the pipeline produces for a table, without field ids.
Schema ProducedSchema(const config::PipelineSpec& spec, const config::TableSpec& table);

/// What a new table of this spec looks like, for `create: if_missing` and `weir tables create`.
Result<connect::TableDefinition> DefinitionOf(const config::PipelineSpec& spec,
                                              const config::TableSpec& table);

/// Topic and kind of timestamp are nearly always the same: an empty bronze batch keeps them once
/// from then on.
void UseBronzeDictionaries(Batch& bronze);
/// Appends one bronze row a record, tombstones included. floors: of records with which their
/// partition joined.
void AppendBronzeRows(std::span<const LogRecord> records, const std::string& topic,
                      Micros ingestion_time,
                      const std::map<std::pair<Partition, Offset>, Micros>& floors, Batch& bronze);

/// Appends the late rows of a decoded batch, with what they missed.
void AppendLateRows(const Batch& valid, const Admission& admission, const std::string& topic,
                    Batch& late);

/// Appends the quarantine row of one refused record.
void AppendQuarantineRow(const LogRecord& record, const Rejection& rejection,
                         const std::string& topic, int contract_version, Micros ingestion_time,
                         Batch& quarantine);

/// The columns topic, partition and offset of valid rows, which follow the contract's columns. They
/// are lent to the decoder's batch for the moment in which a table takes its rows.
class CoordinateColumns {
 public:
  CoordinateColumns();
  /// Fills them for the rows of the batch and puts them behind its columns.
  void LendTo(std::span<const LogRecord> records, const std::string& topic, Batch& valid);
  void TakeBackFrom(Batch& valid);

 private:
  std::vector<Column> columns_;
};

}  // namespace weir::engine
