#pragma once
// RecordDecoder: records of one encoding -> columns of a contract. What the engine sees of
// src/codec.
//
// The schema of the batches is TableSchema(contract). Decode appends a row for each good record and
// a Rejection for each bad one, both in the order of the records, whose index they carry; records
// without a value are passed over. One decoder serves one thread.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/schema_registry.h"
#include "record/batch.h"
#include "record/contract.h"
#include "record/log_record.h"
#include "record/rejection.h"

namespace weir::codec {

class RecordDecoder {
 public:
  virtual ~RecordDecoder() = default;
  virtual const std::shared_ptr<const Schema>& schema() const = 0;
  /// Fetches what these records need. kUnavailable: to be tried again, nothing was decoded.
  virtual Status Prepare(std::span<const LogRecord> records) = 0;
  virtual void Decode(std::span<const LogRecord> records, Micros ingestion_time, Batch* out,
                      std::vector<Rejection>* rejected) = 0;
  /// From the next empty batch on, strings go to fresh dictionaries.
  virtual void ResetDictionaries() = 0;
};

/// Values are JSON texts.
std::unique_ptr<RecordDecoder> NewJsonRecordDecoder(const Contract& contract);

/// What becomes of a value whose schema id the registry does not know.
enum class UnknownSchema { kQuarantine, kRetry };

/// Values are framed with the id of a schema: Avro, Protobuf or JSON, as the registry says. An id
/// is asked for once; one that is not known is asked for again with the next batch that has it.
std::unique_ptr<RecordDecoder> NewFramedRecordDecoder(const Contract& contract,
                                                      std::unique_ptr<SchemaRegistry> registry,
                                                      UnknownSchema unknown);

/// Framed values as JSON texts, for who looks at events without decoding them.
class ValueTexts {
 public:
  virtual ~ValueTexts() = default;
  /// The text lives until the next call; what cannot be read is empty. Errors: of the registry.
  virtual Result<std::string_view> Of(std::string_view value) = 0;
};
std::unique_ptr<ValueTexts> NewValueTexts(const Contract& contract,
                                          std::unique_ptr<SchemaRegistry> registry);

}  // namespace weir::codec
