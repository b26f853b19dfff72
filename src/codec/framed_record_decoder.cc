#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "codec/json_decoder.h"
#include "codec/record_decoder.h"
#include "codec/transcoder.h"

namespace weir::codec {
namespace {

constexpr std::size_t kMaxSchemas = 1'000;
constexpr std::size_t kTextsAtOnce = std::size_t{16} << 20;
constexpr std::size_t kMaxValueBytes = std::size_t{1} << 20;

// What is known of a schema id.
struct KnownSchema {
  std::unique_ptr<Transcoder> transcoder;  // nullptr: values are JSON texts, or see `fault`
  std::string fault;                       // why values of it cannot be read
  bool passes = false;                     // the fault: asked for again with the next batch
};

// The schemas that were asked for.
class SchemaCache {
 public:
  SchemaCache(Contract contract, std::unique_ptr<SchemaRegistry> registry, UnknownSchema unknown)
      : contract_(std::move(contract)), registry_(std::move(registry)), unknown_(unknown) {}

  void ForgetFaults() {
    std::erase_if(schemas_, [](const auto& entry) { return entry.second.passes; });
    if (schemas_.size() > kMaxSchemas) schemas_.clear();
  }

  /// kUnavailable: to be tried again.
  Status Learn(std::uint32_t id) {
    if (schemas_.contains(id)) return Ok();
    auto schema = registry_->ById(id);
    if (!schema && schema.error().kind == ErrorKind::kNotFound) {
      if (unknown_ == UnknownSchema::kRetry)
        return Unavailable(schema.error().message, ErrorCode::kSourceUnavailable);
      schemas_[id] = {.transcoder = nullptr, .fault = schema.error().message, .passes = true};
      return Ok();
    }
    if (!schema) return std::move(schema).error();
    KnownSchema known;
    if (schema->type != SchemaType::kJson) {
      auto transcoder = schema->type == SchemaType::kAvro
                            ? NewAvroTranscoder(*schema, contract_)
                            : NewProtobufTranscoder(*schema, contract_);
      if (transcoder) {
        known.transcoder = std::move(transcoder).value();
      } else {
        known.fault = fmt::format("schema {}: {}", id, transcoder.error().message);
      }
    }
    schemas_[id] = std::move(known);
    return Ok();
  }

  /// Appends the text of a value whose schema was learned; false: the rejection says why not.
  bool Append(std::string_view value, std::string* text, Rejection* rejection) {
    const auto framed = Unframe(value);
    if (value.size() > kMaxValueBytes)
      return Refuse(rejection, RejectReason::kTooLarge, "the value is larger than 1 MiB");
    if (value.empty()) return Refuse(rejection, RejectReason::kEmpty, "the value is empty");
    if (!framed) {
      rejection->expected = "a zero byte and a schema id";
      return Refuse(rejection, RejectReason::kMalformed,
                    "the value does not begin with a schema id");
    }
    KnownSchema& known = schemas_.at(framed->schema_id);
    if (!known.fault.empty()) {
      rejection->expected = "a schema of the registry";
      rejection->actual = std::to_string(framed->schema_id);
      return Refuse(rejection, RejectReason::kUnknownSchema, known.fault);
    }
    if (known.transcoder) {
      const std::size_t begin = text->size();
      if (known.transcoder->Transcode(framed->payload, text, rejection)) return true;
      text->resize(begin);
      return false;
    }
    if (framed->payload.empty())
      return Refuse(rejection, RejectReason::kEmpty, "nothing follows the schema id");
    text->append(framed->payload);
    return true;
  }

 private:
  const Contract contract_;
  std::unique_ptr<SchemaRegistry> registry_;
  UnknownSchema unknown_;
  std::map<std::uint32_t, KnownSchema> schemas_;
};

class FramedRecordDecoder final : public RecordDecoder {
 public:
  FramedRecordDecoder(const Contract& contract, std::unique_ptr<SchemaRegistry> registry,
                      UnknownSchema unknown)
      : schemas_(contract, std::move(registry), unknown),
        decoder_(contract,
                 {.max_record_bytes = 2 * kMaxTranscodedBytes, .max_depth = kMaxTranscodeDepth}) {}

  const std::shared_ptr<const Schema>& schema() const override { return decoder_.schema(); }

  Status Prepare(std::span<const LogRecord> records) override {
    schemas_.ForgetFaults();
    for (const LogRecord& record : records) {
      const auto framed = record.value ? Unframe(*record.value) : std::nullopt;
      if (framed) WEIR_TRY(schemas_.Learn(framed->schema_id));
    }
    return Ok();
  }

  void Decode(std::span<const LogRecord> records, Micros ingestion_time, Batch* out,
              std::vector<Rejection>* rejected) override {
    json_.assign(records.begin(), records.end());
    const std::size_t before = rejected->size();
    for (std::size_t done = 0; done < records.size();)
      done = DecodeSome(done, ingestion_time, out, rejected);
    std::stable_sort(rejected->begin() + static_cast<std::ptrdiff_t>(before), rejected->end(),
                     [](const auto& a, const auto& b) { return a.record < b.record; });
  }

  void ResetDictionaries() override { decoder_.ResetDictionaries(); }

 private:
  // As many records as give a bounded text; returns where the next ones begin. Texts come first and
  // views into them afterwards, since the buffer moves while it grows.
  std::size_t DecodeSome(std::size_t begin, Micros ingestion_time, Batch* out,
                         std::vector<Rejection>* rejected) {
    text_.clear();
    ends_.clear();
    std::size_t end = begin;
    for (; end < json_.size() && text_.size() < kTextsAtOnce; ++end) {
      if (json_[end].value) ToJson(static_cast<std::uint32_t>(end), rejected);
      ends_.push_back(text_.size());
    }
    std::size_t from = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t to = ends_[i - begin];
      if (to > from) json_[i].value = std::string_view(text_).substr(from, to - from);
      from = to;
    }
    decoder_.Decode(std::span(json_).subspan(begin, end - begin), ingestion_time, out, rejected,
                    static_cast<std::uint32_t>(begin));
    return end;
  }

  // Appends the text of a value; without one the record is passed over by the JSON reader.
  void ToJson(std::uint32_t index, std::vector<Rejection>* rejected) {
    const std::string_view value = *json_[index].value;
    json_[index].value.reset();
    Rejection rejection{
        .record = index, .pointer = {}, .expected = {}, .actual = {}, .message = {}};
    if (!schemas_.Append(value, &text_, &rejection)) rejected->push_back(std::move(rejection));
  }

  SchemaCache schemas_;
  JsonDecoder decoder_;

  // Reused for every batch.
  std::string text_;
  std::vector<std::size_t> ends_;
  std::vector<LogRecord> json_;
};

class FramedTexts final : public ValueTexts {
 public:
  FramedTexts(const Contract& contract, std::unique_ptr<SchemaRegistry> registry)
      : schemas_(contract, std::move(registry), UnknownSchema::kQuarantine) {}

  Result<std::string_view> Of(std::string_view value) override {
    text_.clear();
    if (const auto framed = Unframe(value)) WEIR_TRY(schemas_.Learn(framed->schema_id));
    Rejection ignored;
    if (!schemas_.Append(value, &text_, &ignored)) text_.clear();
    return std::string_view(text_);
  }

 private:
  SchemaCache schemas_;
  std::string text_;
};

}  // namespace

std::unique_ptr<RecordDecoder> NewFramedRecordDecoder(const Contract& contract,
                                                      std::unique_ptr<SchemaRegistry> registry,
                                                      UnknownSchema unknown) {
  return std::make_unique<FramedRecordDecoder>(contract, std::move(registry), unknown);
}

std::unique_ptr<ValueTexts> NewValueTexts(const Contract& contract,
                                          std::unique_ptr<SchemaRegistry> registry) {
  return std::make_unique<FramedTexts>(contract, std::move(registry));
}

}  // namespace weir::codec
