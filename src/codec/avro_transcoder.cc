#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "avro/decoder.h"
#include "avro/schema.h"
#include "base/time.h"
#include "codec/json_output.h"
#include "codec/transcoder.h"

namespace weir::codec {
namespace {

using avro::Decoder;
using avro::Kind;
using avro::Node;

enum class Logic { kNone, kDecimal, kDate, kInstant, kLocal, kUuid };

// How the values of one type of the writer's schema are written at one place of the contract.
struct Step {
  const Node* node = nullptr;
  Target target;
  Logic logic = Logic::kNone;
  std::int64_t unit = 1;              // instants: micros of one
  std::int64_t parts = 1;             // instants finer than micros: so many a micro
  std::vector<std::string> keys;      // record: `"name":` of each member
  std::vector<const Step*> children;  // record: members; union: branches; array, map: the item
};

// Makes the steps of a schema: one for each pair of type and place, so that types which hold
// themselves end where the contract does.
class Planner {
 public:
  Planner(const Contract& contract, std::deque<Step>& steps) : contract_(contract), steps_(steps) {}

  Result<const Step*> Root(const Node& node) {
    if (node.kind == Kind::kUnion) {
      for (const Node* branch : node.branches) {
        if (branch->kind != Kind::kNull && branch->kind != Kind::kRecord)
          return Unsupported("an event must be a record");
      }
    } else if (node.kind != Kind::kRecord) {
      return Unsupported("an event must be a record");
    }
    return Plan(node, {}, /*root=*/true);
  }

 private:
  Result<const Step*> Plan(const Node& node, Target target, bool root = false) {
    const auto key = std::pair(&node, target.type);
    if (const auto found = known_.find(key); !root && found != known_.end()) return found->second;
    constexpr std::size_t kMaxSteps = 20'000;
    if (steps_.size() >= kMaxSteps) return Unsupported("the schema is too large");
    Step& step = steps_.emplace_back();
    step.node = &node;
    step.target = target;
    if (!root) known_[key] = &step;
    SetLogic(step);
    switch (node.kind) {
      case Kind::kRecord:
        WEIR_TRY(PlanMembers(step, root));
        break;
      case Kind::kUnion:
        for (const Node* branch : node.branches) {
          WEIR_ASSIGN_OR_RETURN(const Step* child, Plan(*branch, target, root));
          step.children.push_back(child);
        }
        break;
      case Kind::kArray:
      case Kind::kMap: {
        WEIR_ASSIGN_OR_RETURN(const Step* child, Plan(node.item(), ItemOf(target.type)));
        step.children.push_back(child);
        break;
      }
      default:
        break;
    }
    return &step;
  }

  Status PlanMembers(Step& step, bool root) {
    const Node& node = *step.node;
    const Type* type = step.target.type;
    const auto place = [&](const std::string& name) {
      return root ? TargetOf(contract_, name) : TargetOf(type, name);
    };
    for (const avro::Member& member : node.members) {
      std::string name = member.name;
      // A field that was renamed still carries its old names: one that the contract knows, and that
      // no other field has now.
      if (place(name).type == nullptr) {
        for (const std::string& alias : member.aliases) {
          if (place(alias).type == nullptr || HasMember(node, alias)) continue;
          name = alias;
          break;
        }
      }
      WEIR_ASSIGN_OR_RETURN(const Step* child, Plan(*member.type, place(name)));
      std::string key;
      WriteText(name, &key);
      step.keys.push_back(key + ":");
      step.children.push_back(child);
    }
    return Ok();
  }

  static bool HasMember(const Node& node, const std::string& name) {
    return std::ranges::any_of(node.members,
                               [&](const avro::Member& member) { return member.name == name; });
  }

  static void SetLogic(Step& step) {
    const Node& node = *step.node;
    const std::string& logical = node.logical_type;
    const bool text = node.kind == Kind::kBytes || node.kind == Kind::kFixed;
    if (text && logical == "decimal" && node.precision > 0 && node.scale >= 0 &&
        node.scale <= node.precision && node.precision <= 38) {
      step.logic = Logic::kDecimal;
    } else if (node.kind == Kind::kInt && logical == "date") {
      step.logic = Logic::kDate;
    } else if (node.kind == Kind::kFixed && node.size == 16 && logical == "uuid") {
      step.logic = Logic::kUuid;
    } else if (node.kind == Kind::kLong) {
      const bool local = logical.starts_with("local-timestamp-");
      const std::string_view unit = std::string_view(logical).substr(local ? 6 : 0);
      if (unit == "timestamp-millis") step.unit = kMicrosPerMilli;
      if (unit == "timestamp-nanos") step.parts = 1000;
      if (unit == "timestamp-millis" || unit == "timestamp-micros" || unit == "timestamp-nanos")
        step.logic = local ? Logic::kLocal : Logic::kInstant;
    }
  }

  const Contract& contract_;
  std::deque<Step>& steps_;
  std::map<std::pair<const Node*, const Type*>, const Step*> known_;
};

class AvroTranscoder final : public Transcoder {
 public:
  AvroTranscoder(avro::Schema schema, Contract contract)
      : schema_(std::move(schema)), contract_(std::move(contract)) {}

  Status Plan() {
    WEIR_ASSIGN_OR_RETURN(root_, Planner(contract_, steps_).Root(schema_.root()));
    return Ok();
  }

  bool Transcode(std::string_view payload, std::string* json, Rejection* rejection) override {
    Decoder in(payload);
    fault_ = {};
    begin_ = json->size();
    Write(*root_, in, json, 1);
    if (fault_ == Fault::kNone && in.failed()) fault_ = Fault::kMalformed;
    if (fault_ == Fault::kNone && !in.rest().empty()) fault_ = Fault::kTrailing;
    return fault_ == Fault::kNone || RefuseFor(fault_, rejection);
  }

 private:
  enum class Fault { kNone, kMalformed, kTrailing, kTooDeep, kTooLarge };

  static bool RefuseFor(Fault fault, Rejection* rejection) {
    rejection->expected = "a value of the Avro schema";
    switch (fault) {
      case Fault::kTrailing:
        return Refuse(rejection, RejectReason::kTrailingData,
                      "bytes follow the value of the Avro schema");
      case Fault::kTooDeep:
        return Refuse(rejection, RejectReason::kTooDeep, "the value nests too deep");
      case Fault::kTooLarge:
        return Refuse(rejection, RejectReason::kTooLarge, "the value is too large as text");
      default:
        return Refuse(rejection, RejectReason::kMalformed,
                      "the bytes are no value of the Avro schema");
    }
  }

  void Fail(Decoder& in, Fault fault) {
    if (fault_ == Fault::kNone) fault_ = fault;
    in.Fail();
  }

  void Write(const Step& step, Decoder& in, std::string* out, int depth) {
    if (in.failed()) return;
    if (out->size() - begin_ > kMaxTranscodedBytes) return Fail(in, Fault::kTooLarge);
    if (depth > kMaxTranscodeDepth) return Fail(in, Fault::kTooDeep);
    const Node& node = *step.node;
    switch (node.kind) {
      case Kind::kNull:
        out->append("null");
        return;
      case Kind::kBoolean:
        out->append(in.Boolean() ? "true" : "false");
        return;
      case Kind::kInt:
      case Kind::kLong:
        return WriteNumber(step, in, out);
      case Kind::kFloat:
        return WriteDouble(static_cast<double>(in.Float()), out);
      case Kind::kDouble:
        return WriteDouble(in.Double(), out);
      case Kind::kBytes:
      case Kind::kString:
        return WriteBytes(step, in.Bytes(), in, out);
      case Kind::kFixed:
        return WriteBytes(step, in.Fixed(node.size), in, out);
      case Kind::kEnum: {
        const std::int64_t index = in.Long();
        if (index < 0 || static_cast<std::size_t>(index) >= node.symbols.size())
          return Fail(in, Fault::kMalformed);
        return WriteText(node.symbols[static_cast<std::size_t>(index)], out);
      }
      case Kind::kUnion: {
        const std::int64_t index = in.Long();
        if (index < 0 || static_cast<std::size_t>(index) >= step.children.size())
          return Fail(in, Fault::kMalformed);
        return Write(*step.children[static_cast<std::size_t>(index)], in, out, depth);
      }
      case Kind::kRecord:
        return WriteRecord(step, in, out, depth);
      case Kind::kArray:
      case Kind::kMap:
        return WriteItems(step, in, out, depth);
    }
  }

  void WriteNumber(const Step& step, Decoder& in, std::string* out) {
    const std::int64_t value = in.Long();
    const bool narrow = step.node->kind == Kind::kInt;
    if (narrow && (value < std::numeric_limits<std::int32_t>::min() ||
                   value > std::numeric_limits<std::int32_t>::max()))
      return Fail(in, Fault::kMalformed);
    const Type* target = step.target.type;
    if (step.logic == Logic::kDate) return WriteDate(value, target, out);
    if (step.logic == Logic::kNone || TakesWhole(target)) return WriteLong(value, out);
    // Beyond what any year of ours holds: as it stands, so that it is refused as a time.
    if (value > kFarthest / step.unit || value < -kFarthest / step.unit) {
      if (step.parts == 1) return WriteLong(value, out);
    }
    Micros micros = value * step.unit / step.parts;
    if (step.parts > 1 && value % step.parts < 0) --micros;
    if (step.logic == Logic::kLocal) return WriteLocal(micros, out);
    WriteInstant(micros, target, step.target.format, out);
  }

  void WriteBytes(const Step& step, std::string_view bytes, Decoder& in, std::string* out) {
    if (in.failed()) return;
    if (step.logic == Logic::kUuid) return WriteUuid(bytes, out);
    if (step.logic != Logic::kDecimal) return WriteText(bytes, out);
    Int128 unscaled = 0;
    if (!ReadUnscaled(bytes, &unscaled)) return Fail(in, Fault::kMalformed);
    WriteDecimal(unscaled, step.node->scale, step.target.type, out);
  }

  void WriteRecord(const Step& step, Decoder& in, std::string* out, int depth) {
    out->push_back('{');
    for (std::size_t i = 0; i < step.children.size() && !in.failed(); ++i) {
      if (i > 0) out->push_back(',');
      out->append(step.keys[i]);
      Write(*step.children[i], in, out, depth + 1);
    }
    out->push_back('}');
  }

  void WriteItems(const Step& step, Decoder& in, std::string* out, int depth) {
    const bool map = step.node->kind == Kind::kMap;
    out->push_back(map ? '{' : '[');
    bool first = true;
    in.ForEachItem([&] {
      if (!first) out->push_back(',');
      first = false;
      if (map) {
        WriteText(in.Bytes(), out);
        out->push_back(':');
      }
      Write(*step.children[0], in, out, depth + 1);
    });
    out->push_back(map ? '}' : ']');
  }

  // Micros of the years that times are written for; a little more than 0001 to 9999.
  static constexpr std::int64_t kFarthest = 300'000'000'000'000'000;

  avro::Schema schema_;
  Contract contract_;
  std::deque<Step> steps_;
  const Step* root_ = nullptr;
  Fault fault_ = Fault::kNone;
  std::size_t begin_ = 0;
};

}  // namespace

Result<std::unique_ptr<Transcoder>> NewAvroTranscoder(const RegisteredSchema& schema,
                                                      const Contract& contract) {
  std::vector<std::string> references;
  for (const SchemaReference& reference : schema.references) references.push_back(reference.text);
  WEIR_ASSIGN_OR_RETURN(auto parsed, avro::Schema::Parse(schema.text, references));
  auto transcoder = std::make_unique<AvroTranscoder>(std::move(parsed), contract);
  WEIR_TRY(transcoder->Plan());
  return std::unique_ptr<Transcoder>(std::move(transcoder));
}

}  // namespace weir::codec
