#pragma once
// JsonDecoder: records of one JSON object each -> columns of a contract, exactly and fast.
//
// What is accepted, type by type, is docs/CONTRACT.md. The rules of the contract (required,
// allowed, bounds, event types) are not applied here but by stream::Validator. The schema of the
// batches is TableSchema(contract).
//
// The engine calls Decode with some thousand records at a time:
//   Batch batch(decoder.schema());
//   batch.Clear();
//   decoder.Decode(log_batch.records, now, &batch, &rejected);
// and copies the rows it wants into its table buffers (Column::AppendRows: codes are copied where
// the dictionary objects are the same). Dictionaries live across batches until ResetDictionaries,
// which the owner of the table buffers calls when it starts a row group. A buffer that was filled
// before then keeps the old objects alive, and the decoder never touches those again.
//
// One decoder serves one thread. No errors: a bad record is a Rejection and never touches its
// neighbours.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/time.h"
#include "record/batch.h"
#include "record/contract.h"
#include "record/log_record.h"
#include "record/rejection.h"

namespace weir::codec {

struct JsonLimits {
  std::size_t max_record_bytes = 1U << 20;
  int max_depth = 64;  // the record's own object is level 1
};

class JsonDecoder {
 public:
  /// A contract that passed Check().
  explicit JsonDecoder(const Contract& contract, JsonLimits limits = {});
  ~JsonDecoder();
  JsonDecoder(const JsonDecoder&) = delete;
  JsonDecoder& operator=(const JsonDecoder&) = delete;

  const std::shared_ptr<const Schema>& schema() const;

  /// Appends a row for each good record and a Rejection for each bad one, both in the order of the
  /// records, whose index they carry (counted from first_record). Records without a value
  /// (tombstones) are passed over. The ingestion column gets `ingestion_time`. A batch that comes
  /// in empty gets the dictionaries of the moment.
  void Decode(std::span<const LogRecord> records, Micros ingestion_time, Batch* out,
              std::vector<Rejection>* rejected, std::uint32_t first_record = 0);

  /// The same by the strict reader alone: what Decode is tested against.
  void DecodeSlow(std::span<const LogRecord> records, Micros ingestion_time, Batch* out,
                  std::vector<Rejection>* rejected, std::uint32_t first_record = 0);

  /// From the next empty batch on, strings go to fresh dictionaries.
  void ResetDictionaries();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::codec
