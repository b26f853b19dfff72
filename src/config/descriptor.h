#pragma once
// Descriptors: what each mapping of the configuration files may hold.
//
// One table per mapping drives the parser (section.h), the messages about unknown keys, the JSON
// Schema (json_schema.h) and the reference (reference.h), so that these never differ.
// Constant data; defaults are spelled as a file would spell them.

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace weir::config {

enum class ValueKind {
  kText,
  kChoice,    // one of `choices`
  kBoolean,   // true or false
  kCount,     // whole number, `_` between digits
  kDuration,  // with unit
  kSize,      // with unit
  kPath,      // counts from the file's folder
  kLocation,  // a path, or s3://bucket/prefix
  kTexts,     // a list of texts; one text counts as a list of one
  kTextMap,   // name -> text
  kMapping,   // of `mapping`
  kNamed,     // name -> a mapping of `mapping`
  kLater,     // known, but not in this version
};

struct MappingDescriptor;

struct KeyDescriptor {
  std::string_view key;
  ValueKind kind = ValueKind::kText;
  std::string_view doc;
  bool required = false;
  std::string_view fallback = {};       // the default; empty: none
  std::string_view choices = {};        // "earliest|latest"
  std::string_view later_choices = {};  // known, but not in this version
  std::string_view shorthand = {};  // kMapping, kNamed: what a plain text in its place stands for
  const MappingDescriptor* mapping = nullptr;
  bool secret = false;   // kText, kTextMap: may come from ${file:...}, is then never printed
  std::int64_t min = 0;  // kCount, kDuration (microseconds), kSize (bytes)
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

struct MappingDescriptor {
  std::string_view name;   // of the JSON Schema definition and the reference's heading
  std::string_view title;  // for people
  std::string_view doc;
  std::span<const KeyDescriptor> keys;

  const KeyDescriptor* Find(std::string_view key) const;
};

/// The keys that a message lists: without those of later versions.
std::vector<std::string_view> AllowedKeys(const MappingDescriptor& mapping);

/// Splits "a|b|c".
std::vector<std::string_view> Choices(std::string_view choices);

/// "a duration, such as 500ms, 1s, 10m": what a value of the kind is, for people.
std::string_view Describe(ValueKind kind);

/// The one of `known` that `text` was probably meant to be; empty when none is near.
std::string_view ClosestTo(std::string_view text, std::span<const std::string_view> known);

}  // namespace weir::config
