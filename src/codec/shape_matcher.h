#pragma once
// ShapeMatcher: reads records along a ShapeGraph, with the widest vector instructions at hand.
//
// It accepts only what the strict reader accepts, with the same values; whatever it does not
// recognise it leaves to the strict reader. Reads nothing outside the record.

#include <string_view>

#include "codec/json_scanner.h"
#include "codec/row_block.h"
#include "codec/shape_graph.h"

namespace weir::codec {

/// What one walk works on.
struct ShapeWalk {
  ShapeGraph* graph;
  RowBlock* block;
  JsonScanner* scanner;  // for nested values
};

/// Reads one record into row `row`. False: not recognised, and the row may be half filled.
using MatchShape = bool (*)(const ShapeWalk& walk, std::string_view record, std::size_t row);

/// The best one for this processor; nullptr where there is none.
MatchShape BestMatchShape();

/// All that run on this processor, for tests.
struct NamedMatchShape {
  const char* name;
  MatchShape match;
};
std::vector<NamedMatchShape> AllMatchShapes();

}  // namespace weir::codec
