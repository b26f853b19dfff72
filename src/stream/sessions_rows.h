#pragma once
// SessionRows: a session as a row of the sessions table. Not thread safe.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/batch.h"
#include "record/operator_rules.h"
#include "stream/sessions.h"
#include "stream/sessions_session.h"

namespace weir::stream {

class SessionRows {
 public:
  /// `columns`: SessionColumns(contract, rules).
  SessionRows(const Schema& columns, const SessionRules& rules, bool has_event_types,
              int price_scale);

  /// Makes an empty batch ready. What repeats in nearly all rows goes into a dictionary.
  void Begin(Batch* out) const;
  /// key: ValueBytes of the session's key.
  void Append(std::string_view key, const Session& session, const SharedTexts& texts, bool open,
              Batch* out);

 private:
  enum class Noun {
    kKey,
    kId,
    kStart,
    kEnd,
    kDuration,
    kEvents,
    kCounts,
    kValue,  // of the first or last row: a number of session.values
    kBounce,
    kOrderValue,
    kOpen,
    kPartition,
  };
  struct Place {
    Noun noun = Noun::kKey;
    std::size_t value = 0;
  };
  void AppendId(std::string_view key, const Session& session, Column* column);
  void AppendCounts(const Session& session, const SharedTexts& texts, Column* column);
  void AppendOrderValue(const Session& session, Column* column) const;
  void AppendField(Place place, std::string_view key, const Session& session,
                   const SharedTexts& texts, bool open, Column* column);

  std::vector<Place> places_;  // by column
  Type key_type_;
  bool has_event_types_;
  bool has_order_value_;
  int price_scale_;
  std::string id_;                                                  // while it is put together
  std::vector<std::pair<std::string_view, std::uint64_t>> counts_;  // of the session at hand
};

SessionFacts FactsOf(const Session& session);

}  // namespace weir::stream
