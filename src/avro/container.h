#pragma once
// Object container files: a header with the schema and named texts, then blocks of records.
//
// Files are written and read whole, in memory; both codecs that every reader knows are there, null
// and deflate. Reading believes nothing: sizes, counts and the growth by decompression are bounded.
// Not thread safe.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "avro/decoder.h"
#include "avro/encoder.h"
#include "avro/schema.h"
#include "base/result.h"

namespace weir::avro {

enum class Codec { kNull, kDeflate };

/// Named texts of the header, in the order in which they are written.
using HeaderEntries = std::vector<std::pair<std::string, std::string>>;

class ContainerWriter {
 public:
  ContainerWriter(std::string_view schema_json, const HeaderEntries& entries, Codec codec);

  /// Where the next record is written; EndRecord() after each.
  Encoder& record() { return block_; }
  void EndRecord();
  /// The bytes so far, as far as blocks were closed: an estimate of the file's size.
  std::size_t size() const { return file_.size() + block_.size(); }
  /// The whole file. The writer is spent.
  std::string Finish();

 private:
  void CloseBlock();

  Codec codec_;
  std::string sync_;
  std::string file_;
  Encoder block_;
  std::int64_t records_in_block_ = 0;
};

/// A view of a container's bytes, which must outlive it.
class ContainerReader {
 public:
  /// Errors: kCorrupt; kUnsupported for a codec that is neither null nor deflate.
  static Result<ContainerReader> Open(std::string_view file);

  const Schema& schema() const { return schema_; }
  const std::string& schema_json() const { return entries_.at("avro.schema"); }
  /// A text of the header; nullptr when it is not there.
  const std::string* Find(const std::string& name) const;

  /// Calls `record` for each record; it must read exactly that from the decoder. Ends at its first
  /// error. kCorrupt.
  Status ForEach(const std::function<Status(Decoder&)>& record);

 private:
  Status ReadBlock(std::string_view payload, std::int64_t records,
                   const std::function<Status(Decoder&)>& record);

  Schema schema_;
  Codec codec_ = Codec::kNull;
  std::map<std::string, std::string> entries_;
  std::string sync_;
  std::string_view blocks_;
  std::string inflated_;
};

}  // namespace weir::avro
