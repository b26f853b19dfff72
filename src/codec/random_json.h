#pragma once
// Records for tests: random JSON that is often good, sometimes odd and sometimes broken, the same
// for the same seed. Only tests include this.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "record/contract.h"

namespace weir::codec {

class RandomJson {
 public:
  explicit RandomJson(unsigned seed) : random_(seed) {}

  /// A contract with a field of each type, some of them nested.
  static Contract Fields();

  /// An event of that contract: most keys in a fixed order, values mostly of the right type.
  std::string Event();

  /// A few bytes changed, taken out, doubled or cut off.
  std::string Mutated(std::string text);

  /// Events one after the other, of which about a tenth are odd and a tenth broken.
  std::vector<std::string> Events(int count);

  std::uint32_t Below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

 private:
  bool Rarely() { return Below(40) == 0; }
  std::string Text();
  std::string Number();
  std::string Time();
  std::string Nested(int depth);
  std::string ValueOf(const Type& type);

  std::mt19937 random_;
};

}  // namespace weir::codec
