// The only source that knows Protobuf's library: schemas come as .proto texts, so messages are
// dynamic ones.

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <google/protobuf/any.pb.h>
#include <google/protobuf/compiler/importer.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor_database.h>
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/wrappers.pb.h>

#include "base/bytes.h"
#include "base/time.h"
#include "codec/json_output.h"
#include "codec/transcoder.h"

namespace weir::codec {
namespace {

namespace pb = google::protobuf;

constexpr const char* kRootFile = "weir/registered.proto";
constexpr std::size_t kMaxText = std::size_t{4} << 20;
constexpr std::size_t kMaxIndexes = 32;
constexpr std::size_t kMaxMessageTypes = 256;

// The schema and what it imports, by the names of the imports.
class Texts final : public pb::compiler::SourceTree {
 public:
  explicit Texts(const RegisteredSchema& schema) {
    for (const SchemaReference& reference : schema.references)
      texts_[reference.name] = reference.text;
    texts_[kRootFile] = schema.text;
  }
  pb::io::ZeroCopyInputStream* Open(const std::string& name) override {
    const auto found = texts_.find(name);
    if (found == texts_.end()) return nullptr;
    return new pb::io::ArrayInputStream(found->second.data(),
                                        static_cast<int>(found->second.size()));
  }

 private:
  std::map<std::string, std::string> texts_;
};

// Keeps the first error.
class Errors final : public pb::DescriptorPool::ErrorCollector,
                     public pb::compiler::MultiFileErrorCollector {
 public:
  void AddError(const std::string& file, const std::string& element, const pb::Message*,
                ErrorLocation, const std::string& message) override {
    Note(file, file + ": " + element + ": " + message);
  }
  void AddError(const std::string& file, int line, int, const std::string& message) override {
    Note(file, fmt::format("{}:{}: {}", file, line + 1, message));
  }
  const std::string& first() const { return first_; }

 private:
  // The well-known files are looked for among the schema's own first.
  void Note(const std::string& file, const std::string& text) {
    if (first_.empty() && !file.starts_with("google/protobuf/")) first_ = Printable(text, 200);
  }
  std::string first_;
};

class ProtobufTranscoder final : public Transcoder {
 public:
  ProtobufTranscoder(const RegisteredSchema& schema, Contract contract)
      : texts_(schema),
        sources_(&texts_),
        known_(*pb::DescriptorPool::generated_pool()),
        database_(&sources_, &known_),
        pool_(&database_, &errors_),
        contract_(std::move(contract)) {
    sources_.RecordErrorsTo(&errors_);
    pool_.EnforceWeakDependencies(true);
  }

  Status Compile() {
    file_ = pool_.FindFileByName(kRootFile);
    if (file_ == nullptr) {
      return Unsupported("the .proto text cannot be used: " +
                         (errors_.first().empty() ? "an import is missing" : errors_.first()));
    }
    if (file_->message_type_count() == 0) return Unsupported("the .proto text has no message");
    return Ok();
  }

  bool Transcode(std::string_view payload, std::string* json, Rejection* rejection) override {
    begin_ = json->size();
    fault_ = Fault::kNone;
    rejection->expected = "a message of the Protobuf schema";
    std::vector<int> path;
    if (!ReadIndexes(&payload, &path)) {
      return Refuse(rejection, RejectReason::kMalformed, "the message indexes cannot be read");
    }
    pb::Message* message = MessageAt(path);
    if (message == nullptr) {
      return Refuse(rejection, RejectReason::kMalformed,
                    "the message indexes name no message of the schema");
    }
    if (payload.size() > kMaxText ||
        !message->ParseFromArray(payload.data(), static_cast<int>(payload.size()))) {
      return Refuse(rejection, RejectReason::kMalformed,
                    "the bytes are no message of the Protobuf schema");
    }
    Write(*message, json, 1);
    switch (fault_) {
      case Fault::kNone:
        return true;
      case Fault::kTooDeep:
        return Refuse(rejection, RejectReason::kTooDeep, "the value nests too deep");
      case Fault::kTooLarge:
        break;
    }
    return Refuse(rejection, RejectReason::kTooLarge, "the value is too large as text");
  }

 private:
  enum class Fault { kNone, kTooDeep, kTooLarge };

  static bool ReadZigZag(std::string_view* bytes, std::int64_t* out) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !bytes->empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes->front());
      bytes->remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << static_cast<unsigned>(shift);
      if ((byte & 0x80U) != 0) continue;
      *out = static_cast<std::int64_t>(value >> 1U) ^ -static_cast<std::int64_t>(value & 1U);
      return true;
    }
    return false;
  }

  // How many, then each; a zero alone is the first message.
  static bool ReadIndexes(std::string_view* bytes, std::vector<int>* path) {
    std::int64_t count = 0;
    if (!ReadZigZag(bytes, &count) || count < 0 || count > std::int64_t{kMaxIndexes}) return false;
    if (count == 0) path->push_back(0);
    for (; count > 0; --count) {
      std::int64_t index = 0;
      if (!ReadZigZag(bytes, &index) || index < 0 || index > 100'000) return false;
      path->push_back(static_cast<int>(index));
    }
    return true;
  }

  const pb::Descriptor* TopLevel(int index) const {
    return index < file_->message_type_count() ? file_->message_type(index) : nullptr;
  }

  // Counted as the text has them: what the library makes of a map field is no message of it.
  static const pb::Descriptor* Nested(const pb::Descriptor& parent, int index) {
    for (int i = 0; i < parent.nested_type_count(); ++i) {
      const pb::Descriptor* nested = parent.nested_type(i);
      if (!nested->options().map_entry() && index-- == 0) return nested;
    }
    return nullptr;
  }

  pb::Message* MessageAt(const std::vector<int>& path) {
    if (const auto found = types_.find(path); found != types_.end()) {
      return found->second.get();
    }
    if (types_.size() >= kMaxMessageTypes) types_.clear();
    const pb::Descriptor* at = nullptr;
    for (const int index : path) {
      at = at == nullptr ? TopLevel(index) : Nested(*at, index);
      if (at == nullptr) return nullptr;
    }
    std::unique_ptr<pb::Message> message(factory_.GetPrototype(at)->New());
    return types_.emplace(path, std::move(message)).first->second.get();
  }

  void Fail(Fault fault) {
    if (fault_ == Fault::kNone) fault_ = fault;
  }

  bool MayGoOn(const std::string& out, int depth) {
    if (depth > kMaxTranscodeDepth) Fail(Fault::kTooDeep);
    if (out.size() - begin_ > kMaxTranscodedBytes) Fail(Fault::kTooLarge);
    return fault_ == Fault::kNone;
  }

  void Write(const pb::Message& message, std::string* out, int depth) {
    WriteMessage(message, {}, out, depth, /*root=*/true);
  }

  // The name that the contract knows a field by: its own, or the one that it has in JSON.
  std::pair<std::string, Target> PlaceOf(const pb::FieldDescriptor& field, const Type* type,
                                         bool root) const {
    const auto place = [&](const std::string& name) {
      return root ? TargetOf(contract_, name) : TargetOf(type, name);
    };
    const std::string& own = field.name();
    if (const Target target = place(own); target.type != nullptr) return {own, target};
    const std::string& other = field.json_name();
    if (const Target target = place(other); target.type != nullptr) return {other, target};
    return {own, {}};
  }

  void WriteMessage(const pb::Message& message, Target target, std::string* out, int depth,
                    bool root = false) {
    if (!MayGoOn(*out, depth)) return;
    if (!root && WriteKnown(message, target, out)) return;
    const pb::Descriptor& type = *message.GetDescriptor();
    const pb::Reflection& reflection = *message.GetReflection();
    out->push_back('{');
    bool first = true;
    for (int i = 0; i < type.field_count() && fault_ == Fault::kNone; ++i) {
      const pb::FieldDescriptor& field = *type.field(i);
      const bool absent =
          !field.is_repeated() && field.has_presence() && !reflection.HasField(message, &field);
      if (absent) continue;
      if (!first) out->push_back(',');
      first = false;
      const auto [name, place] = PlaceOf(field, target.type, root);
      WriteText(name, out);
      out->push_back(':');
      if (field.is_map()) {
        WriteMap(message, field, place, out, depth);
      } else if (field.is_repeated()) {
        WriteList(message, field, place, out, depth);
      } else {
        WriteValue(message, field, -1, place, out, depth);
      }
    }
    out->push_back('}');
  }

  void WriteList(const pb::Message& message, const pb::FieldDescriptor& field, Target place,
                 std::string* out, int depth) {
    const int size = message.GetReflection()->FieldSize(message, &field);
    out->push_back('[');
    for (int i = 0; i < size && MayGoOn(*out, depth + 1); ++i) {
      if (i > 0) out->push_back(',');
      WriteValue(message, field, i, ItemOf(place.type), out, depth + 1);
    }
    out->push_back(']');
  }

  void WriteMap(const pb::Message& message, const pb::FieldDescriptor& field, Target place,
                std::string* out, int depth) {
    const pb::Reflection& reflection = *message.GetReflection();
    const pb::FieldDescriptor& key = *field.message_type()->map_key();
    const pb::FieldDescriptor& value = *field.message_type()->map_value();
    // Entries of one key are one on the wire: the last one counts.
    std::map<std::string, int> entries;
    for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
      std::string text;
      WriteValue(reflection.GetRepeatedMessage(message, &field, i), key, -1, {}, &text, depth);
      if (!text.starts_with('"')) text = '"' + text + '"';
      entries[std::move(text)] = i;
    }
    out->push_back('{');
    bool first = true;
    for (const auto& [text, index] : entries) {
      if (!MayGoOn(*out, depth + 1)) break;
      if (!first) out->push_back(',');
      first = false;
      out->append(text).push_back(':');
      WriteValue(reflection.GetRepeatedMessage(message, &field, index), value, -1,
                 ItemOf(place.type), out, depth + 1);
    }
    out->push_back('}');
  }

  // index: of a repeated field, else -1.
  void WriteValue(const pb::Message& message, const pb::FieldDescriptor& field, int index,
                  Target place, std::string* out, int depth) {
    const pb::Reflection& r = *message.GetReflection();
    const bool many = index >= 0;
    switch (field.cpp_type()) {
      case pb::FieldDescriptor::CPPTYPE_INT32:
        return WriteLong(
            many ? r.GetRepeatedInt32(message, &field, index) : r.GetInt32(message, &field), out);
      case pb::FieldDescriptor::CPPTYPE_INT64:
        return WriteLong(
            many ? r.GetRepeatedInt64(message, &field, index) : r.GetInt64(message, &field), out);
      case pb::FieldDescriptor::CPPTYPE_UINT32:
        return WriteLong(
            many ? r.GetRepeatedUInt32(message, &field, index) : r.GetUInt32(message, &field), out);
      case pb::FieldDescriptor::CPPTYPE_UINT64: {
        const fmt::format_int text(many ? r.GetRepeatedUInt64(message, &field, index)
                                        : r.GetUInt64(message, &field));
        out->append(text.data(), text.size());
        return;
      }
      case pb::FieldDescriptor::CPPTYPE_FLOAT:
        return WriteDouble(static_cast<double>(many ? r.GetRepeatedFloat(message, &field, index)
                                                    : r.GetFloat(message, &field)),
                           out);
      case pb::FieldDescriptor::CPPTYPE_DOUBLE:
        return WriteDouble(
            many ? r.GetRepeatedDouble(message, &field, index) : r.GetDouble(message, &field), out);
      case pb::FieldDescriptor::CPPTYPE_BOOL:
        out->append((many ? r.GetRepeatedBool(message, &field, index) : r.GetBool(message, &field))
                        ? "true"
                        : "false");
        return;
      case pb::FieldDescriptor::CPPTYPE_ENUM:
        return WriteEnum(
            field,
            many ? r.GetRepeatedEnumValue(message, &field, index) : r.GetEnumValue(message, &field),
            out);
      case pb::FieldDescriptor::CPPTYPE_STRING: {
        std::string scratch;
        return WriteText(many ? r.GetRepeatedStringReference(message, &field, index, &scratch)
                              : r.GetStringReference(message, &field, &scratch),
                         out);
      }
      case pb::FieldDescriptor::CPPTYPE_MESSAGE:
        return WriteMessage(
            many ? r.GetRepeatedMessage(message, &field, index) : r.GetMessage(message, &field),
            place, out, depth + 1);
    }
  }

  static void WriteEnum(const pb::FieldDescriptor& field, int number, std::string* out) {
    const pb::EnumValueDescriptor* value = field.enum_type()->FindValueByNumber(number);
    if (value == nullptr) return WriteLong(number, out);
    WriteText(value->name(), out);
  }

  // Messages that stand for plain values. False: an ordinary one.
  bool WriteKnown(const pb::Message& message, Target place, std::string* out) {
    const pb::Descriptor& type = *message.GetDescriptor();
    const std::string& name = type.full_name();
    const pb::Reflection& r = *message.GetReflection();
    if (name == "google.protobuf.Timestamp") {
      const std::int64_t seconds = r.GetInt64(message, type.FindFieldByName("seconds"));
      const int nanos = r.GetInt32(message, type.FindFieldByName("nanos"));
      constexpr std::int64_t kFarthest = 300'000'000'000;
      if (seconds > kFarthest || seconds < -kFarthest || nanos < 0 || nanos > 999'999'999) {
        WriteText("out of range", out);  // no time, whatever the contract wants
        return true;
      }
      WriteInstant(seconds * kMicrosPerSecond + nanos / 1000, place.type, place.format, out);
      return true;
    }
    if (name == "confluent.type.Decimal") return WriteConfluentDecimal(message, place, out);
    const bool wrapper = name.starts_with("google.protobuf.") && name.ends_with("Value") &&
                         type.field_count() == 1 && name != "google.protobuf.ListValue";
    if (wrapper) {
      WriteValue(message, *type.field(0), -1, place, out, 0);
      return true;
    }
    const bool as_json = name == "google.protobuf.Struct" || name == "google.protobuf.Value" ||
                         name == "google.protobuf.ListValue" || name == "google.protobuf.Duration";
    if (!as_json) return false;
    std::string text;
    if (!pb::util::MessageToJsonString(message, &text).ok()) return false;
    out->append(text);
    return true;
  }

  static bool WriteConfluentDecimal(const pb::Message& message, Target place, std::string* out) {
    const pb::Descriptor& type = *message.GetDescriptor();
    const pb::FieldDescriptor* value = type.FindFieldByName("value");
    const pb::FieldDescriptor* scale = type.FindFieldByName("scale");
    if (value == nullptr || scale == nullptr ||
        value->cpp_type() != pb::FieldDescriptor::CPPTYPE_STRING || value->is_repeated() ||
        scale->cpp_type() != pb::FieldDescriptor::CPPTYPE_INT32 || scale->is_repeated()) {
      return false;
    }
    std::string scratch;
    Int128 unscaled = 0;
    const int digits = message.GetReflection()->GetInt32(message, scale);
    if (digits < 0 || digits > 38 ||
        !ReadUnscaled(message.GetReflection()->GetStringReference(message, value, &scratch),
                      &unscaled)) {
      return false;
    }
    WriteDecimal(unscaled, digits, place.type, out);
    return true;
  }

  Texts texts_;
  Errors errors_;
  pb::compiler::SourceTreeDescriptorDatabase sources_;
  pb::DescriptorPoolDatabase known_;  // google/protobuf/*.proto
  pb::MergedDescriptorDatabase database_;
  pb::DescriptorPool pool_;
  pb::DynamicMessageFactory factory_;  // before the messages, which it outlives
  Contract contract_;
  const pb::FileDescriptor* file_ = nullptr;
  std::map<std::vector<int>, std::unique_ptr<pb::Message>> types_;  // filled anew for each value
  Fault fault_ = Fault::kNone;
  std::size_t begin_ = 0;
};

// The library names a file by what links it: without a use these would not be in the program.
[[maybe_unused]] const pb::Descriptor* const kWellKnown[] = {
    pb::Timestamp::descriptor(), pb::Duration::descriptor(), pb::Struct::descriptor(),
    pb::Any::descriptor(), pb::StringValue::descriptor()};

}  // namespace

Result<std::unique_ptr<Transcoder>> NewProtobufTranscoder(const RegisteredSchema& schema,
                                                          const Contract& contract) {
  std::size_t bytes = schema.text.size();
  for (const SchemaReference& reference : schema.references) bytes += reference.text.size();
  if (bytes > kMaxText) return Unsupported("the .proto texts are larger than 4 MiB");
  auto transcoder = std::make_unique<ProtobufTranscoder>(schema, contract);
  WEIR_TRY(transcoder->Compile());
  return std::unique_ptr<Transcoder>(std::move(transcoder));
}

}  // namespace weir::codec
