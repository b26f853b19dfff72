#include "codec/json_decoder.h"

#include <utility>

#include "base/check.h"
#include "codec/block_decoder.h"
#include "codec/row_decoder.h"
#include "codec/text_columns.h"

namespace weir::codec {

class JsonDecoder::Impl {
 public:
  Impl(const Contract& contract, JsonLimits limits)
      : schema_(std::make_shared<const Schema>(TableSchema(contract))),
        rows_(contract, limits),
        blocks_(contract, limits, &rows_, BestMatchShape()),
        texts_(*schema_) {}

  const std::shared_ptr<const Schema>& schema() const { return schema_; }
  TextColumns& texts() { return texts_; }

  void Decode(std::span<const LogRecord> records, Micros ingestion_time, Batch* out,
              std::vector<Rejection>* rejected, std::uint32_t first_record) {
    texts_.Prepare(out);
    blocks_.Decode(records, ingestion_time, out, rejected, first_record);
    texts_.Note(*out);
  }

  void DecodeSlow(std::span<const LogRecord> records, Micros ingestion_time, Batch* out,
                  std::vector<Rejection>* rejected, std::uint32_t first_record) {
    texts_.Prepare(out);
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (!records[i].value) continue;
      const std::uint32_t record = first_record + static_cast<std::uint32_t>(i);
      Rejection rejection;
      if (rows_.Decode(*records[i].value, ingestion_time, out, &rejection)) {
        out->records.push_back(record);
      } else {
        rejection.record = record;
        rejected->push_back(std::move(rejection));
      }
    }
    texts_.Note(*out);
  }

 private:
  std::shared_ptr<const Schema> schema_;
  RowDecoder rows_;
  BlockDecoder blocks_;
  TextColumns texts_;
};

JsonDecoder::JsonDecoder(const Contract& contract, JsonLimits limits)
    : impl_(std::make_unique<Impl>(contract, limits)) {
  WEIR_CHECK(Check(contract).ok());
}

JsonDecoder::~JsonDecoder() = default;

const std::shared_ptr<const Schema>& JsonDecoder::schema() const { return impl_->schema(); }

void JsonDecoder::Decode(std::span<const LogRecord> records, Micros ingestion_time, Batch* out,
                         std::vector<Rejection>* rejected, std::uint32_t first_record) {
  impl_->Decode(records, ingestion_time, out, rejected, first_record);
}

void JsonDecoder::DecodeSlow(std::span<const LogRecord> records, Micros ingestion_time, Batch* out,
                             std::vector<Rejection>* rejected, std::uint32_t first_record) {
  impl_->DecodeSlow(records, ingestion_time, out, rejected, first_record);
}

void JsonDecoder::ResetDictionaries() { impl_->texts().Reset(); }

}  // namespace weir::codec
