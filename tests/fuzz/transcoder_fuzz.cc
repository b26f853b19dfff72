// Any bytes as a framed value, by an Avro and by a Protobuf schema: what becomes a text must be one
// JSON object, and nothing may take more work or memory than its size allows.

#include "codec/transcoder.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "codec/json_scanner.h"

namespace {

using weir::codec::SchemaType;

constexpr const char* kAvroSchema = R"({"type":"record","name":"e","fields":[
  {"name":"id","type":"string"},
  {"name":"at","type":{"type":"long","logicalType":"timestamp-millis"}},
  {"name":"price","type":["null",{"type":"bytes","logicalType":"decimal","precision":20,
    "scale":4}]},
  {"name":"ids","type":{"type":"array","items":{"type":"fixed","name":"u","size":16,
    "logicalType":"uuid"}}},
  {"name":"more","type":{"type":"map","values":["null","double","e"]}},
  {"name":"kind","type":{"type":"enum","name":"k","symbols":["a","b"]}}]})";
constexpr const char* kProtoSchema = R"(syntax = "proto3";
  import "google/protobuf/timestamp.proto";
  import "google/protobuf/struct.proto";
  message Event {
    string id = 1;
    google.protobuf.Timestamp at = 2;
    repeated Event more = 3;
    map<int64, double> numbers = 4;
    google.protobuf.Struct any = 5;
    bytes raw = 6;
  })";

weir::Contract TheContract() {
  weir::Contract contract;
  for (const char* name : {"id", "at", "price"}) {
    weir::ContractField field;
    field.field.name = name;
    contract.fields.push_back(field);
  }
  contract.fields[1].field.type = weir::Type::Of(weir::TypeKind::kTimestamp);
  contract.fields[2].field.type = weir::Type::Decimal(20, 4);
  return contract;
}

void Try(weir::codec::Transcoder& transcoder, std::string_view payload) {
  std::string json;
  weir::Rejection rejection;
  if (!transcoder.Transcode(payload, &json, &rejection)) return;
  weir::codec::JsonScanner scanner(2 * weir::codec::kMaxTranscodeDepth);
  const auto fault = scanner.Scan(json);
  // Texts are checked by the reader behind; what stands around them must be right.
  WEIR_CHECK(!fault || fault->reason == weir::RejectReason::kInvalidUtf8 ||
             fault->reason == weir::RejectReason::kDuplicateKey);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const weir::Contract kContract = TheContract();
  static const auto kAvro =
      weir::codec::NewAvroTranscoder({SchemaType::kAvro, kAvroSchema, {}}, kContract).value();
  static const auto kProto =
      weir::codec::NewProtobufTranscoder({SchemaType::kProtobuf, kProtoSchema, {}}, kContract)
          .value();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Try(*kAvro, bytes);
  Try(*kProto, bytes);
  return 0;
}
