#pragma once
// FieldNames: name -> index, for the keys of one object. Exact and case-sensitive. Immutable.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::codec {

class FieldNames {
 public:
  FieldNames() = default;
  /// Distinct names; an empty one is never found.
  explicit FieldNames(std::vector<std::string> names);

  /// The index of a name, or -1.
  int Find(std::string_view name) const;

  std::size_t size() const { return names_.size(); }
  const std::string& name(std::size_t index) const { return names_[index]; }

 private:
  std::size_t SlotOf(std::string_view name) const;

  std::vector<std::string> names_;
  std::vector<std::int32_t> slots_;  // open addressing, a power of two, at most a quarter full
};

}  // namespace weir::codec
