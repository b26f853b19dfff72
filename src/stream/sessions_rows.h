#pragma once
// SessionRows: a session as a row of the sessions table. Not thread safe.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
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

  /// Makes an empty batch ready. What repeats goes into dictionaries.
  void Begin(Batch* out) const;
  struct Row {
    std::string_view key;  // ValueBytes of the session's key
    const Session* session = nullptr;
  };
  void Append(std::span<const Row> rows, const SharedTexts& texts, bool open, Batch* out);

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
    bool is_plain = true;  // no text, or one of too many distinct values for a dictionary
  };
  void LookAtDictionaries(Batch* out);
  void AppendColumn(Place place, std::span<const Row> block, const SharedTexts& texts, bool open,
                    Column* column);
  void AppendIds(std::span<const Row> block, Column* column);
  void AppendCounts(std::span<const Row> block, const SharedTexts& texts, Column* column);
  void AppendOrderValue(const Session& session, Column* column) const;
  std::int32_t CodeOf(SharedTexts::Id type, std::string_view text, Dictionary* dictionary);

  std::vector<Place> places_;  // by column
  Type key_type_;
  bool has_event_types_;
  bool has_order_value_;
  int price_scale_;
  std::string id_;                   // while it is put together
  std::vector<TypeCount> counts_;    // of the session at hand
  std::vector<std::int32_t> codes_;  // of types by their ids, where they were seen
};

SessionFacts FactsOf(const Session& session);

}  // namespace weir::stream
