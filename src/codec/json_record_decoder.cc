#include "codec/json_decoder.h"
#include "codec/record_decoder.h"

namespace weir::codec {
namespace {

class JsonRecordDecoder final : public RecordDecoder {
 public:
  explicit JsonRecordDecoder(const Contract& contract) : decoder_(contract) {}

  const std::shared_ptr<const Schema>& schema() const override { return decoder_.schema(); }
  Status Prepare(std::span<const LogRecord>) override { return Ok(); }
  void Decode(std::span<const LogRecord> records, Micros ingestion_time, Batch* out,
              std::vector<Rejection>* rejected) override {
    decoder_.Decode(records, ingestion_time, out, rejected);
  }
  void ResetDictionaries() override { decoder_.ResetDictionaries(); }

 private:
  JsonDecoder decoder_;
};

}  // namespace

std::unique_ptr<RecordDecoder> NewJsonRecordDecoder(const Contract& contract) {
  return std::make_unique<JsonRecordDecoder>(contract);
}

}  // namespace weir::codec
