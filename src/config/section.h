#pragma once
// Section: one mapping of a configuration file, read by its descriptor.
//
// The constructor reports unknown, missing and not yet supported keys. The getters check kind and
// range, report what is wrong and give the default where the key is absent; nullopt means absent
// without a default, or wrong and reported. A getter of a key that the descriptor lacks is a bug of
// ours. Single-threaded; views into the tree and the descriptors, which outlive it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "config/descriptor.h"
#include "config/diagnostic.h"
#include "config/yaml_node.h"

namespace weir::config {

/// What reading one file needs. The sections of a file share it.
struct ReadContext {
  std::string file;    // as messages name it
  std::string folder;  // absolute; relative paths count from it
  Diagnostics& diagnostics;
  std::vector<std::string> secret_paths;  // key paths of values that are never printed
};

/// A text and where it stands.
struct PlacedText {
  std::string text;
  Place place;
};

class Section {
 public:
  /// `place`: of the key that holds the mapping. node: a mapping; anything else is reported, and
  /// the section is then empty.
  Section(const YamlNode& node, const Place& place, const MappingDescriptor& mapping,
          ReadContext& context);

  /// Whether it is a mapping with all required keys and no unknown ones.
  bool complete() const { return complete_; }
  /// Whether the key is there with a value, right or wrong.
  bool Has(std::string_view key) const;

  std::optional<std::string> Text(std::string_view key);  // also kChoice
  std::optional<bool> Boolean(std::string_view key);
  std::optional<std::int64_t> Count(std::string_view key);
  std::optional<Micros> Duration(std::string_view key);
  std::optional<std::int64_t> Size(std::string_view key);
  std::optional<std::string> Path(std::string_view key);  // absolute
  /// An absolute path, or "s3://bucket/prefix" without a slash at its end.
  std::optional<std::string> Location(std::string_view key);
  std::vector<PlacedText> Texts(std::string_view key);
  std::map<std::string, PlacedText> TextMap(std::string_view key);
  /// The mapping below a key; nullopt when absent or a shorthand text.
  std::optional<Section> Child(std::string_view key);
  /// The text that stands in place of the mapping of a kMapping key.
  std::optional<PlacedText> Shorthand(std::string_view key);
  /// The mappings below a kNamed key, in file order. `shorthand` holds the text where one stands in
  /// place of the mapping.
  struct Named;
  std::vector<Named> Children(std::string_view key);

  /// The value's place; the key's for an empty value; the mapping's when the key is absent.
  Place At(std::string_view key) const;
  const Place& place() const { return place_; }
  ReadContext& context() { return context_; }

  /// Reports a contradiction at a key.
  void Error(std::string_view key, ErrorCode code, std::string message, std::string help = {});

 private:
  const YamlEntry* Find(std::string_view key) const;
  const KeyDescriptor& Descriptor(std::string_view key, ValueKind kind) const;
  /// The scalar of a key, or the default; nullptr where there is none or it is no scalar.
  const YamlNode* Scalar(const KeyDescriptor& known);
  /// Reads a scalar by `parse`, which gives a Result, and checks the range.
  template <typename Parse>
  std::optional<std::int64_t> Number(const KeyDescriptor& known, Parse parse);
  std::optional<std::string> AsPath(const KeyDescriptor& known, const YamlNode& node);
  void ReportUnknownKeys();
  void ReportMissingKeys();
  void ReportUnknown(const YamlEntry& entry, std::size_t index);
  void CheckChoice(const KeyDescriptor& known, const YamlNode& node);
  void BadValue(const KeyDescriptor& known, const std::string& message);
  void WrongKind(std::string_view key, const Place& place, std::string_view wanted,
                 const YamlNode& node);
  std::optional<PlacedText> TextAt(std::string_view key, const YamlNode& node, std::string path);
  /// Whether a value may stand here as far as its origin goes; reports it otherwise.
  bool Admits(const YamlNode& node, const Place& place, bool secret);
  void NoteSecret(const YamlNode& node, const std::string& path);

  const YamlNode* node_;
  Place place_;
  const MappingDescriptor* mapping_;
  ReadContext& context_;
  YamlNode fallback_;       // the default of the key that is being read
  bool has_later_ = false;  // a key of a later version is there
  bool complete_ = true;
};

struct Section::Named {
  std::string name;
  Place place;  // of the name
  std::optional<PlacedText> shorthand;
  std::optional<Section> section;  // nullopt with a shorthand, or when it was wrong
};

}  // namespace weir::config
