#include "codec/shape_matcher.h"

namespace weir::codec {

MatchShape BestMatchShape() {
  const std::vector<NamedMatchShape> all = AllMatchShapes();
  return all.empty() ? nullptr : all.front().match;
}

}  // namespace weir::codec
