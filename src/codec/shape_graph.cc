#include "codec/shape_graph.h"

#include <cstring>
#include <functional>
#include <utility>

#include "base/check.h"

namespace weir::codec {

namespace {

constexpr std::size_t kMaxLiteral = 2048;         // bytes
constexpr std::size_t kMaxLiterals = 256U << 10;  // bytes of all
constexpr int kMaxMissedRecords = 4096;  // that could not be learned, before starting afresh
constexpr std::size_t kMaxMembers = ShapeGraph::kMaxKeys;

// From the value's first byte that a literal does not hold to the byte behind the value.
struct Extent {
  const char* begin;
  const char* end;
};

Extent ExtentOf(const JsonValue& value) {
  const char* begin = value.text.data();
  const char* end = begin + value.text.size();
  return {begin, value.kind == JsonKind::kString ? end + 1 : end};
}

ShapeGraph::Next NextOf(JsonKind kind) {
  switch (kind) {
    case JsonKind::kString:
      return ShapeGraph::Next::kText;
    case JsonKind::kObject:
    case JsonKind::kArray:
      return ShapeGraph::Next::kNested;
    default:
      return ShapeGraph::Next::kScalar;
  }
}

}  // namespace

ShapeGraph::ShapeGraph(std::size_t fields) : fields_(fields), nodes_(kMaxKeys + 1) {}

void ShapeGraph::Forget() {
  for (Node& node : nodes_) node.edges = 0;
  literals_.clear();
  unknown_keys_.clear();
  too_many_keys_ = 0;
}

// The number of a member's key, or -1 where there is none left.
int ShapeGraph::KeyNumber(const JsonMember& member, int field) {
  if (field >= 0) return field;
  const std::size_t used = fields_ + unknown_keys_.size();
  const std::string key(member.key.text);
  const auto found = unknown_keys_.find(key);
  if (found != unknown_keys_.end()) return found->second;
  // Two spellings of one key would get two numbers, and a repetition pass unseen.
  if (used >= kMaxKeys || member.key.escaped) return -1;
  unknown_keys_.emplace(key, static_cast<int>(used));
  return static_cast<int>(used);
}

// Whether a record with these keys in this order, and nulls at the same places, came by lately. A
// producer that shuffles its keys would else fill the graph with what never comes again.
bool ShapeGraph::SeenBefore(const std::vector<JsonMember>& members,
                            const std::vector<int>& field_of) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t shape = members.size();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool null = members[i].value.kind == JsonKind::kNull;
    auto key = static_cast<std::uint64_t>(field_of[i] + 1) * 2 + (null ? 1 : 0);
    if (field_of[i] < 0) key ^= std::hash<std::string_view>()(members[i].key.text) << 1;
    shape = (shape ^ key) * kOdd;
    shape ^= shape >> 29;
  }
  std::uint64_t& slot = lately_[shape % lately_.size()];
  return std::exchange(slot, shape) == shape;
}

void ShapeGraph::Learn(std::string_view record, const std::vector<JsonMember>& members,
                       const std::vector<int>& field_of) {
  if (fields_ > kMaxKeys || members.size() > kMaxMembers) return;
  if (!SeenBefore(members, field_of)) return;
  if (literals_.size() > kMaxLiterals || too_many_keys_ > kMaxMissedRecords) Forget();
  const char* from = record.data();
  std::size_t node = kStart;
  KeySet keys;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const int key = KeyNumber(members[i], field_of[i]);
    if (key < 0) {
      ++too_many_keys_;
      return;
    }
    keys.Add(static_cast<std::size_t>(key));
    const JsonValue& value = members[i].value;
    if (value.kind == JsonKind::kNull) continue;
    const Extent extent = ExtentOf(value);
    Edge edge;
    edge.next = NextOf(value.kind);
    edge.field = field_of[i] < 0 ? kNoField : static_cast<std::uint16_t>(field_of[i]);
    edge.node = static_cast<std::uint16_t>(key + 1);
    edge.keys = keys;
    AddEdge(node, {from, static_cast<std::size_t>(extent.begin - from)}, edge);
    node = static_cast<std::size_t>(key) + 1;
    from = extent.end;
    keys = KeySet{};
  }
  Edge last;
  last.keys = keys;
  AddEdge(node, {from, static_cast<std::size_t>(record.data() + record.size() - from)}, last);
}

void ShapeGraph::AddEdge(std::size_t index, std::string_view literal, Edge edge) {
  if (literal.size() > kMaxLiteral) return;
  Node& node = nodes_[index];
  for (std::size_t i = 0; i < node.edges; ++i) {
    const Edge& known = node.edge[i];
    if (known.next == edge.next && known.size == literal.size() &&
        std::memcmp(literals_.data() + known.literal, literal.data(), literal.size()) == 0) {
      return;
    }
  }
  std::size_t place = node.edges;
  if (place == kMaxEdges) {
    // The rarest edge gives way, but only once it was asked to as often as it was of use.
    place = kMaxEdges - 1;
    if (node.edge[place].hits > 1) {
      node.edge[place].hits /= 2;
      return;
    }
  } else {
    ++node.edges;
  }
  edge.literal = static_cast<std::uint32_t>(literals_.size());
  edge.size = static_cast<std::uint32_t>(literal.size());
  edge.hits = 1;
  literals_.Append(literal.data(), literal.size());
  node.edge[place] = edge;
}

}  // namespace weir::codec
