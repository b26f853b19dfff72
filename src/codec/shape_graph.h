#pragma once
// ShapeGraph: what the records of a topic look like between their values, learned from records that
// the strict reader accepted.
//
// Producers write the same keys in the same order. The text from the end of one value to the start
// of the next (`","quantity":null,"price":`) is then one literal, and a record is a walk: at a node
// (the key whose value was read last) try the few literals that were seen there. A literal came out
// of well-formed JSON at the same place, so a record whose literals all match, and whose values are
// well formed, is well formed; that no key comes twice is seen from the keys that each literal
// holds.
//
// Nothing here depends on data but speed. Bounded: nodes, literals per node and bytes.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codec/json_value.h"
#include "record/buffer.h"

namespace weir::codec {

/// A set of keys by their number.
struct KeySet {
  std::uint64_t words[2] = {0, 0};
  void Add(std::size_t key) { words[key >> 6] |= std::uint64_t{1} << (key & 63); }
};

class ShapeGraph {
 public:
  static constexpr std::size_t kMaxKeys = 128;
  static constexpr std::size_t kMaxEdges = 8;
  static constexpr std::uint16_t kNoField = 0xFFFF;

  /// What stands behind a literal.
  enum class Next : std::uint8_t { kText, kScalar, kNested, kEnd };

  struct Edge {
    std::uint32_t literal = 0;  // where it starts in literals()
    std::uint32_t size = 0;
    std::uint32_t hits = 0;
    Next next = Next::kEnd;
    std::uint16_t field = kNoField;  // whose value follows; kNoField: one that nobody wants
    std::uint16_t node = 0;          // where the walk goes on behind the value
    KeySet keys;                     // in the literal, with the one whose value follows
  };

  struct Node {
    std::uint32_t edges = 0;
    std::array<Edge, kMaxEdges> edge;  // the frequent ones first
  };

  /// Fields have the numbers 0 to fields-1. With too many the graph stays empty.
  explicit ShapeGraph(std::size_t fields);

  /// Learns a record that the strict reader accepted. field_of[i]: the field of member i, or -1.
  void Learn(std::string_view record, const std::vector<JsonMember>& members,
             const std::vector<int>& field_of);

  Node& node(std::size_t index) { return nodes_[index]; }
  static constexpr std::size_t kStart = 0;

  /// Readable for Buffer::kSlack bytes behind each literal.
  const char* literals() const { return literals_.data(); }

  /// Counts a match of edge i and keeps frequent edges in front. Returns that edge.
  static const Edge* Hit(Node& node, std::size_t i) {
    Edge* edge = &node.edge[i];
    if (++edge->hits == kMaxHits) {
      for (Edge& each : node.edge) each.hits /= 2;
    }
    if (i == 0 || edge->hits <= node.edge[i - 1].hits) return edge;
    std::swap(*edge, node.edge[i - 1]);
    return &node.edge[i - 1];
  }

 private:
  static constexpr std::uint32_t kMaxHits = 1U << 20;

  bool SeenBefore(const std::vector<JsonMember>& members, const std::vector<int>& field_of);
  void Forget();
  int KeyNumber(const JsonMember& member, int field);
  void AddEdge(std::size_t index, std::string_view literal, Edge edge);

  const std::size_t fields_;
  std::vector<Node> nodes_;
  Buffer<char> literals_;
  std::unordered_map<std::string, int> unknown_keys_;  // by spelling
  std::array<std::uint64_t, 512> lately_{};            // hashes of shapes that were not known
  int too_many_keys_ = 0;                              // records that had no number for a key
};

}  // namespace weir::codec
