#pragma once
// EventOperators: the event-time half of an epoch: which valid rows are late or doubles, what the
// windows, sessions, funnels and counts of users make of the others, and the state they leave.
//
// The operators themselves are pure (stream/); this is their wiring. Admit() takes the valid rows
// of a batch, Cut() evaluates the watermark, closes what it closes and saves the state. One thread.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/pipeline_spec.h"
#include "connect/data_file.h"
#include "record/batch.h"
#include "record/log_record.h"
#include "record/rejection.h"
#include "state/claim.h"
#include "state/state_log.h"
#include "stream/event_clock.h"
#include "stream/event_row.h"

namespace weir::engine {

/// Among the sizes of a sessions table: keys that came in more than one partition since the process
/// started.
inline constexpr const char* kKeysInSeveral = "keys_in_several_partitions";

/// Verdicts on the valid rows of one batch; each row is in exactly one of the first three.
struct Admission {
  std::vector<stream::EventRow> first;       // on time and not seen before
  std::vector<stream::EventRow> duplicates;  // on time, but their key is held
  std::vector<stream::EventRow> late;        // missed at least one table
  std::vector<std::string> missed;           // for each late row: the tables, "a, b"
  std::map<std::pair<Partition, Offset>, Micros>
      floors;  // of records with which a partition joined

  void Clear();
};

/// What a cut gives one table of the operators.
struct OperatorOutput {
  Batch rows;
  std::vector<connect::RowsWhere> replaced;
  std::map<Partition, std::int64_t> final_rows;  // by partition; what combines them is on the first
  std::map<Partition, std::int64_t> open_rows;   // of partitions whose open rows were given anew

  explicit OperatorOutput(std::shared_ptr<const Schema> schema) : rows(std::move(schema)) {}
};

/// The wall clock's side of a cut.
struct CutInput {
  std::int64_t epoch = 0;
  Micros running = 0;  // running time of this process, monotonic
  Micros now = 0;
  std::map<Partition, stream::SourceState> source;
  bool close_all = false;  // `--final-watermark`
};

/// What a replay must know of the run that it repeats: nothing is decided by a clock, and nothing
/// is closed that was not closed there.
struct ReplayTarget {
  std::map<Partition, Offset> ends;  // where it stood
  std::set<Partition> idle;          // that did not hold the pipeline watermark there
  Micros watermark = kNoWatermark;   // of the pipeline there
};

struct OperatorCut {
  std::map<Partition, PartitionClock> clocks;
  std::map<Partition, state::StateChain> chains;
  state::SharedStanding shared;
  std::vector<Decision> decisions;
};

class EventOperators {
 public:
  virtual ~EventOperators() = default;

  /// nullptr when the pipeline has no watermark. Restores the state that the claim names.
  /// kRefused WEIR0209 when rules changed under it, WEIR0213 when it is finished; kCorrupt
  /// WEIR0504.
  static Result<std::unique_ptr<EventOperators>> Make(const config::PipelineSpec& spec,
                                                      const Schema& rows, state::StateLog& log,
                                                      const std::string& writer,
                                                      const state::Claim& claim, Micros running,
                                                      const std::optional<ReplayTarget>& replay);

  /// Drops rows from the future out of `good_rows` and rejects them.
  virtual void RejectFuture(const Batch& batch, Micros ingestion_time,
                            std::vector<std::uint32_t>* good_rows,
                            std::vector<Rejection>* rejected) = 0;
  /// floors: of these records, as they were decided before; in their order.
  virtual void Admit(const Batch& batch, std::span<const LogRecord> records,
                     std::span<const std::uint32_t> good_rows, std::span<const RecordFloor> floors,
                     Admission* out) = 0;

  virtual void AddPartition(Partition partition, Micros running) = 0;
  /// Whether a cut is due although no record came: a partition went idle, silence moved the clock.
  virtual bool CutIsDue(const CutInput& input) const = 0;
  /// kInvalidInput WEIR0505 when the state has outgrown its memory.
  virtual Result<OperatorCut> Cut(const CutInput& input) = 0;
  /// By table name: what is to be written of the epoch at hand. Rows may be taken at any time
  /// behind an Admit; all else is of the last Cut.
  virtual std::map<std::string, OperatorOutput>& outputs() = 0;
  /// After the record of the last Cut is put.
  virtual Status CollectState() = 0;

  /// "0 windows closed, 37 open, held by partition 3 at 10:04": for the summary of a bounded run.
  virtual std::string DescribeOpen() const = 0;
};

}  // namespace weir::engine
