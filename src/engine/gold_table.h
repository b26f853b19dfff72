#pragma once
// GoldTable: one table that an event-time operator fills: windows, sessions, funnel, active users,
// session statistics. Wires the pure operators of stream/ to the rows, outputs and state of an
// epoch. Private to EventOperators. One thread.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/pipeline_spec.h"
#include "engine/event_operators.h"
#include "engine/state_keeper.h"
#include "stream/sessions.h"

namespace weir::engine {

/// What the tables are told, in their order: sessions come before those that count sessions.
struct GoldCut {
  Micros watermark = kNoWatermark;
  std::vector<stream::SessionFacts> closed;  // filled by the sessions table

  // At a cut only:
  Partition home = {};                     // whose rows are those that combine partitions
  std::vector<stream::SessionFacts> open;  // where there is a funnel
};

class GoldTable {
 public:
  virtual ~GoldTable() = default;
  /// Takes the rows of a batch; those that come too late for it go to `late`, where there is one.
  virtual void Add(const Batch& batch, std::span<const stream::EventRow> rows,
                   std::vector<stream::EventRow>* late);
  /// Between cuts, and at the beginning of one: takes what is closed, and gives out what is final
  /// by now. Keeps memory small and in the cache.
  virtual void CloseEarly(GoldCut& cut, OperatorOutput& out) = 0;
  /// Behind CloseEarly: what only a cut does.
  virtual void Close(GoldCut& cut, OperatorOutput& out) = 0;

  /// Whose state changed or is there: partitions for sessions, nullopt for the others.
  virtual void Write(const StateKeeper::Scope& scope, bool base, StateKeeper::Parts& parts) = 0;
  virtual Status Read(const StateKeeper::Scope& scope, const StateKeeper::Parts& parts) = 0;

  virtual std::size_t bytes() const = 0;
  /// What the state holds, for people: "bytes", "keys", kKeysInSeveral.
  virtual std::map<std::string, std::int64_t> Sizes() const {
    return {{"bytes", static_cast<std::int64_t>(bytes())}};
  }
  /// "12 windows open"; empty when nothing is.
  virtual std::string DescribeOpen() const { return {}; }
};

/// `steps`: of the funnel over these sessions. nullptr for tables that no operator fills.
Result<std::unique_ptr<GoldTable>> MakeGoldTable(const config::PipelineSpec& spec,
                                                 const config::TableSpec& table, const Schema& rows,
                                                 std::shared_ptr<const Schema> columns);

/// The tables of a pipeline that operators fill, in the order in which they are closed.
std::vector<const config::TableSpec*> GoldTablesOf(const config::PipelineSpec& spec);

}  // namespace weir::engine
