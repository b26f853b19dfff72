#pragma once
// YamlNode: a parsed YAML file as a plain tree that knows where each part stands.
//
// ReadYaml builds it from yaml-cpp's events within fixed limits: size, depth, number of nodes
// (aliases count as often as they are used), no duplicate keys, no tags, one document. What is
// wrong goes to the Diagnostics. Scalars are text here; their types are the reader's business.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.h"

namespace weir::config {

struct YamlEntry;

struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMapping };

  Kind kind = Kind::kNull;
  int line = 0;                    // from 1
  int column = 0;                  // from 1, in bytes
  int width = 1;                   // bytes of a scalar in its first line
  std::string text;                // scalar
  bool quoted = false;             // scalar: written with quotes or as a block
  bool has_variable = false;       // its text was written with ${...}
  bool from_file = false;          // its value came from ${file:...}
  bool secret = false;             // never to be printed
  bool failed = false;             // a variable in it could not be resolved; already reported
  std::vector<YamlNode> items;     // list
  std::vector<YamlEntry> entries;  // mapping, in file order, keys are unique

  bool is_null() const { return kind == Kind::kNull; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_mapping() const { return kind == Kind::kMapping; }
};

struct YamlEntry {
  std::string key;
  int line = 0;
  int column = 0;
  YamlNode value;
};

inline constexpr std::size_t kMaxFileBytes = 1U << 20;
inline constexpr std::size_t kMaxYamlDepth = 32;
inline constexpr std::size_t kMaxYamlNodes = 50'000;

/// "a mapping", "a list", "text", "nothing".
std::string_view Describe(YamlNode::Kind kind);

/// The tree of one file; nullopt when something was reported (WEIR0101). Makes the text known to
/// the diagnostics and hides the values of secret keys there.
std::optional<YamlNode> ReadYaml(std::string_view text, const std::string& file,
                                 Diagnostics& diagnostics);

/// Where a value or a key stands.
Place PlaceOf(const std::string& file, const YamlNode& node, std::string key_path);
Place PlaceOf(const std::string& file, const YamlEntry& entry, std::string key_path);

}  // namespace weir::config
