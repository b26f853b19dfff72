#pragma once
// Schema: an Avro schema as a tree, with the attributes that table formats put into it: field ids
// of record fields, element ids of arrays, logical types. Immutable after Parse; safe from any
// thread.
//
// The tree comes from files that others wrote: its depth and size are bounded.

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::avro {

enum class Kind {
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kRecord,
  kEnum,
  kArray,
  kMap,
  kUnion,
  kFixed,
};

struct Node;

/// A field of a record.
struct Member {
  std::string name;
  std::optional<int> id;  // attribute "field-id"
  const Node* type = nullptr;
  std::vector<std::string> aliases = {};  // names that the field had before
};

/// One type. Records may refer to themselves.
struct Node {
  Kind kind = Kind::kNull;
  std::string name;          // of records, enums and fixed
  std::string logical_type;  // empty: none
  std::size_t size = 0;      // of fixed
  int precision = 0;         // of decimals
  int scale = 0;
  std::vector<std::string> symbols;   // of enums
  std::vector<Member> members;        // of records
  std::vector<const Node*> branches;  // of unions; the item of an array, the value of a map
  std::optional<int> element_id;      // of arrays

  const Node& item() const { return *branches.front(); }
};

class Schema {
 public:
  /// Errors: kCorrupt.
  static Result<Schema> Parse(std::string_view json) { return Parse(json, {}); }
  /// references: schemas whose named types this one uses, those that others build on first.
  static Result<Schema> Parse(std::string_view json, const std::vector<std::string>& references);

  const Node& root() const { return *root_; }

 private:
  friend class SchemaParser;
  std::shared_ptr<std::deque<Node>> nodes_;
  const Node* root_ = nullptr;
};

}  // namespace weir::avro
