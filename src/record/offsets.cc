#include "record/offsets.h"

namespace weir {

std::string ToString(Position position) {
  return "(" + std::to_string(position.since) + ", " + std::to_string(position.epoch) + ")";
}

}  // namespace weir
